/** The game tab: buttons, the list of moves with its branches, the comment of the shown move. */

import { ask } from './dialog.js';
import { byId, el, patch, set } from './dom.js';
import { icon } from './icons.js';
import { keyText } from './keys.js';
import { worth } from './parts.js';
import { clockText, moveName } from './status.js';

/** Buttons above the list of moves, by action, and those below it. */
const ABOVE = ['undo', 'redo', 'hint', 'go', 'stop', 'pause'];
const BELOW = ['swap', 'resign', 'draw', 'restart', 'save', 'load', 'copy'];

/** Buttons of the row that small screens have at the bottom. */
const ROW = ['new', 'undo', 'redo', 'hint', 'analyse', 'menu'];

/** Conditions of the buttons that cannot always be used. */
const USABLE = {
  undo: ({ can }) => can.undo,
  redo: ({ can }) => can.redo,
  hint: ({ can }) => can.hint,
  go: ({ can }) => can.go,
  stop: ({ thinking }) => Boolean(thinking),
  pause: ({ can }) => can.pause,
  swap: ({ can }) => can.swap_sides,
  resign: ({ can }) => can.resign,
  draw: ({ can }) => can.draw,
  restart: ({ line }) => line.length > 0,
};

/** Buttons that are hidden while they cannot be used. */
const RARE = new Set(['stop', 'pause']);

/**
 * A button for an action, which updates its own disabled state.
 * @param {any} context
 * @param {any} name of an action
 */
export function actionButton({ store, t, keys, acts }, name) {
  const words = el('span', { class: 'words', text: t(`do.${name}`) });
  const key = keys.has(name) ? el('kbd', { text: keyText(keys.keysOf(name)[0]), 'aria-hidden': 'true' }) : null;
  const button = el('button', { type: 'button', class: 'act', 'data-do': name, on: { click: () => acts(name) } }, icon(name), words, key);
  store.watch('state', (state) => {
    if (USABLE[name]) button.disabled = !USABLE[name](state);
    button.hidden = button.disabled && RARE.has(name);
    if (name === 'pause') words.textContent = t(state.paused ? 'do.unpause' : 'do.pause');
    if (name === 'analyse') set(button, { 'aria-pressed': String(state.analysis.on) });
  });
  return button;
}

/**
 * @param {any} context
 */
export function mountGame(context) {
  const { t } = context;
  byId('panel-game').append(
    el('div', { class: 'acts' }, ...ABOVE.map((name) => actionButton(context, name))),
    el('div', {}, el('h3', { id: 'moves-title', text: t('moves.title') }), moveList(context)),
    branchTools(context), commentField(context),
    el('div', { class: 'acts below' }, ...BELOW.map((name) => actionButton(context, name))),
  );
  byId('row').append(...ROW.map((name) => actionButton(context, name)));
}

/** The menu of small screens: all buttons that are not in the row. */
export const MENU = [...ABOVE, ...BELOW].filter((name) => !ROW.includes(name));

function moveList({ store, t, send }) {
  const list = el('ol', { class: 'moves', 'aria-labelledby': 'moves-title' });
  const empty = el('p', { class: 'muted small', text: t('moves.none') });
  const entry = (move) => el('li', { 'data-node': move.node },
    el('button', { type: 'button', class: 'move', on: { click: () => send('goto', { node: move.node }) } }), el('span', { class: 'branches' }));
  /** @param {any} one */
  const branch = ({ node, ...move }) => el('button', { type: 'button', class: 'branch', title: t('moves.branch'),
    'aria-label': t('moves.instead', { at: moveName(move, t) }), text: move.text || moveName(move, t), on: { click: () => send('goto', { node }) } });
  const describe = (node, move) => {
    const [button, chips] = node.children;
    const side = move.side ?? 'black';
    button.replaceChildren(
      el('span', { class: 'number', text: move.at ? `${move.number}.` : '' }),
      el('span', { class: `dot ${side}`, 'aria-label': t(`side.${side}`), role: 'img' }),
      el('span', { class: 'at', text: moveName(move, t) }),
      move.comment ? el('span', { class: 'has-comment', role: 'img', 'aria-label': t('moves.comment'), text: '❝' }) : '',
      el('span', { class: 'value', text: move.value ? worth(t, move.value, 'black', 0) : '' }),
      el('span', { class: 'time', text: move.ms === null ? '' : clockText(move.ms) }));
    chips.replaceChildren(...move.siblings.map(branch));
    set(button, { 'aria-current': move.current ? 'step' : null });
    node.classList.toggle('later', move.later);
  };
  store.watch('state', (state) => {
    empty.hidden = state.line.length > 0;
    const items = state.line.map((move, index) => ({ ...move, current: index === state.ply - 1, later: index >= state.ply }));
    patch(list, items, { key: (move) => String(move.node), make: entry, update: describe });
    const current = list.children[Math.max(0, state.ply - 1)];
    if (current && !(current.offsetTop >= list.scrollTop && current.offsetTop + current.offsetHeight <= list.scrollTop + list.clientHeight)) {
      list.scrollTop = current.offsetTop - list.clientHeight / 2;
    }
  });
  return el('div', {}, empty, list);
}

/** Commands for the branch of the shown move. */
function branchTools({ store, t, send }) {
  const here = () => store.get('state').node;
  const remove = async () => {
    const node = here();
    const words = { title: t('moves.delete'), text: t('moves.delete_sure'), yes: t('moves.delete'), no: t('no') };
    if (await ask(words)) send('delete_branch', { node });
  };
  const promote = el('button', { type: 'button', text: t('moves.promote'), on: { click: () => send('promote', { node: here() }) } });
  const box = el('div', { class: 'tools' }, promote, el('button', { type: 'button', text: t('moves.delete'), on: { click: remove } }));
  store.watch('state', (state) => {
    box.hidden = state.ply === 0;
    promote.hidden = !state.line[state.ply - 1]?.siblings.length;
  });
  return box;
}

function commentField({ store, t, send }) {
  let node = 0;
  let known = '';
  const save = () => {
    known = area.value;
    send('comment', { node, text: known });
  };
  const area = el('textarea', { rows: 2, placeholder: t('moves.comment_hint'), on: { change: save } });
  const box = el('label', { class: 'comment' }, el('span', { class: 'small', text: t('moves.comment') }), area);
  store.watch('state', (state) => {
    const move = state.line[state.ply - 1];
    box.hidden = !move;
    const isWriting = document.activeElement === area;
    if (node === state.node && isWriting) return;
    // An unfinished comment belongs to the move where it was started.
    if (isWriting && area.value !== known) save();
    known = move?.comment ?? '';
    area.value = known;
    node = state.node;
  });
  return box;
}
