/** The buttons of the game, and the pane of its moves: the tree, the ways through it, the comment of the shown move. */

import { ask } from './dialog.js';
import { byId, el, set } from './dom.js';
import { icon } from './icons.js';
import { keyText } from './keys.js';
import { mountTree } from './tree.js';

/** Buttons beside the board, by action. Each has its place, so that none moves when another is hidden. */
const ACTS = ['undo', 'redo', 'hint', 'stop', 'go', 'swap', 'restart', 'pause', 'resign', 'draw'];
/** Buttons after the end of a game, in place of those of the running game. */
const AFTER = ['review', 'rematch', 'save'];
/** Ways through the moves. */
const STEPS = ['first', 'back', 'forward', 'last'];
/** Buttons of the row that small screens have at the bottom. */
const ROW = [...STEPS, 'undo', 'hint', 'analyse', 'menu'];
/** Buttons at the top of the page. */
const TOP = ['new', 'load', 'save', 'copy', 'share', 'settings', 'keys'];

const isOver = ({ status }) => status.kind !== 'running';
/** Whether a game is being played, not studied or read. */
const isPlayed = (state) => !state.game.study && !isOver(state);

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
  first: ({ ply }) => ply > 0,
  back: ({ ply }) => ply > 0,
  forward: ({ ply, line }) => ply < line.length,
  last: ({ ply, line }) => ply < line.length,
  delete: ({ ply }) => ply > 0,
  fold: ({ children }) => children.length > 0,
};

/** Conditions of the buttons that are not always shown. */
const SHOWN = {
  stop: ({ thinking }) => Boolean(thinking),
  hint: (state) => !state.thinking && !isOver(state),
  go: (state) => !isOver(state),
  rematch: ({ game }) => !game.study,
  pause: ({ can }) => can.pause,
  resign: (state) => isPlayed(state) && !state.can.pause,
  draw: (state) => isPlayed(state) && !state.can.pause,
  swap: (state) => !isOver(state),
};

/**
 * A button for an action, which updates its own disabled state.
 * @param {any} context
 * @param {any} name of an action
 * @param {boolean} [stays] whether it is never hidden
 */
export function actionButton({ store, t, keys, acts }, name, stays = false) {
  const words = el('span', { class: 'words', text: t(`do.${name}`) });
  const known = keys.has(name) ? keyText(keys.keysOf(name)[0]) : '';
  const key = known ? el('kbd', { text: known, 'aria-hidden': 'true' }) : null;
  const title = known ? `${t(`do.${name}`)} (${known})` : null;
  const button = el('button', { type: 'button', class: 'act', title, 'data-do': name, on: { click: () => acts(name) } }, icon(name), words, key);
  store.watch('state', (state) => {
    if (USABLE[name]) button.disabled = !USABLE[name](state);
    if (SHOWN[name] && !stays) button.hidden = !SHOWN[name](state);
    if (name === 'pause') words.textContent = t(state.paused ? 'do.unpause' : 'do.pause');
    if (name === 'analyse') set(button, { 'aria-pressed': String(state.analysis.on) });
  });
  // Only the tree knows whether the shown move is on the main line.
  if (name === 'promote') store.watch('aside', (aside) => { button.disabled = !aside; });
  return button;
}

/**
 * @param {any} context
 */
export function mountGame(context) {
  const { store, t } = context;
  const buttons = (names) => names.map((name) => actionButton(context, name));
  const after = el('div', { class: 'acts after', role: 'group', 'aria-label': t('after.title') }, ...buttons(AFTER));
  const acts = el('div', { class: 'acts' }, ...buttons(ACTS));
  byId('acts').append(acts, after);
  store.watch('state', (state) => {
    after.hidden = !isOver(state);
    byId('desk').classList.toggle('over', isOver(state));
  });
  const pane = byId('panel-game');
  const tools = el('div', { class: 'tree-tools', role: 'group', 'aria-label': t('moves.tools') }, el('div', { class: 'ways' }, ...buttons(STEPS)),
    el('div', { class: 'edits' }, ...buttons(['promote', 'fold', 'delete'])), commentField(context));
  const tree = mountTree(pane, context);
  pane.append(tools);
  treeActions(context, tree);
  byId('ways').append(...buttons(STEPS));
  byId('row').append(...ROW.map((name) => actionButton(context, name, true)));
  byId('top-actions').append(...buttons(TOP));
}

/** The menu of small screens: all buttons that are not in the row. */
export const MENU = ['new', 'redo', ...ACTS.filter((name) => !ROW.includes(name) && name !== 'redo'), 'promote', 'fold', 'delete', 'save', 'load', 'copy', 'share', 'legend'];

/** Commands for the branch of the shown move. */
function treeActions({ store, api, t, send, action }, tree) {
  const here = () => store.get('state').node;
  action('delete', async () => {
    await api.settled();
    const node = here();
    if (!node) return;
    const words = { title: t('moves.delete'), text: t('moves.delete_sure'), yes: t('moves.delete'), no: t('no') };
    if (await ask(words)) send('delete_branch', { node });
  });
  action('promote', () => send('promote', () => (store.get('aside') ? { node: here() } : null)));
  action('fold', () => api.settled().then(() => tree.fold(here())));
}

function commentField({ store, t, send }) {
  let node = 0;
  let known = '';
  const save = () => {
    known = area.value;
    send('comment', { node, text: known });
  };
  const area = el('textarea', { rows: 1, placeholder: t('moves.comment_hint'), 'aria-label': t('moves.comment'), on: { change: save } });
  const box = el('div', { class: 'comment' }, area);
  store.watch('state', (state) => {
    const move = state.line[state.ply - 1];
    area.disabled = !move;
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
