/** The actions of the frame's buttons and keys. The panels define their own actions. */

import { actionButton, MENU } from './game.js';
import { el } from './dom.js';
import { savedMark } from './files.js';
import { toggleLegend } from './legend.js';
import { ask, openDialog } from './dialog.js';
import { showKeys } from './keys.js';
import { openSettings } from './settings.js';
import { worthInWords } from './parts.js';
import { openShare } from './share.js';
import { openStart } from './start.js';
import { showWarnings } from './warnings.js';

const NUMBERS = ['none', 'last', 'all', 'branch'];

/**
 * Defines all actions of the frame.
 * @param {any} context
 * @param {ReturnType<typeof import('./files.js').createFiles>} files
 */
export function frameActions(context, files) {
  const { store, view, t, send, action, keys, toast } = context;
  const state = () => store.get('state');

  moveActions(context);
  viewActions(context);
  for (const name of ['undo', 'redo', 'go', 'hint']) action(name, () => state().can[name] && !store.get('puzzling') && send(name));
  action('play_best', () => {
    const best = store.get('analysis');
    const at = best?.node === state().node ? best.lines[0]?.moves[0] : null;
    if (at && state().can.place) send('move', { at });
    else if (state().can.go) send('go');
  });
  action('analyse', () => send('analysis', { on: !state().analysis.on }));
  action('threat', () => send('analysis', { on: true, threat: !state().analysis.threat }));
  action('legend', () => toggleLegend(context));
  action('keys', () => showKeys(context, keys));
  action('escape', () => {
    if (state().thinking) send('stop');
    else if (state().analysis.on) send('analysis', { on: false });
    else context.board.preview(null);
  });

  const plain = {
    new: () => openStart(context),
    stop: () => send('stop'),
    pause: () => send('pause', { on: !state().paused }),
    swap: () => send('swap_sides'),
    resign: () => send('resign'),
    draw: () => send('draw'),
    restart: async () => (await context.sure()) && send('restart'),
    rematch: async () => (await context.sure()) && rematch(context),
    review: () => {
      context.show('review');
      if (!state().review) send('review', { nodes: 100_000 });
    },
    legend: () => toggleLegend(context),
    save: files.openSave,
    load: files.pick,
    copy: files.copy,
    share: () => openShare(context),
    settings: () => openSettings(context),
    menu: () => openMenu(context),
  };
  store.watch('message', ({ level, code, text }) => {
    const words = t(`message.${code}`);
    toast(words === `message.${code}` ? text : words, level);
  });
  showHints(context);
  showWarnings(context);
  return (name) => (plain[name] ? plain[name]() : keys.run(name));
}

/**
 * Asks whether unsaved moves may be discarded.
 * @param {any} context
 * @returns {() => Promise<boolean>}
 */
export function unsavedGuard({ store, t }) {
  return async () => {
    const state = store.get('state');
    const safe = state.line.length < 2 || state.status.kind !== 'running' || store.get('saved') === savedMark(state);
    return safe || ask({ title: t('unsaved.title'), text: t('unsaved.text'), yes: t('unsaved.yes'), no: t('no') });
  };
}

/** The same game again with colours exchanged, or from a set-up position as it was. */
function rematch({ store, send }) {
  const { game } = store.get('state');
  if (game.start.length) return send('restart');
  const { rule, size, opening, clock, assist, black, white } = game;
  return send('new', { rule, size, opening, clock, assist, black: white, white: black });
}

/** A step that leads to the end of any line. */
const END = 2 ** 31 - 1;

/** Steps through the moves. The board counts them from where it is then: what the page shows may be older. */
function moveActions({ send, action }) {
  const steps = { back: -1, forward: 1, back_ten: -10, forward_ten: 10, first: -END, last: END };
  for (const [name, by] of Object.entries(steps)) action(name, () => send('step', { by }));
  action('sibling_before', () => send('sibling', { by: -1 }));
  action('sibling_after', () => send('sibling', { by: 1 }));
}

function viewActions({ store, view, t, action, announce, keys }) {
  for (const name of ['threats', 'flip', 'coordinates']) {
    action(name, () => {
      view.set(name, !view.get(name));
      announce(`${t(`settings.${name}`)}: ${t(view.get(name) ? 'on' : 'off')}`);
    });
  }
  action('numbers', () => {
    view.set('numbers', NUMBERS[(NUMBERS.indexOf(view.get('numbers')) + 1) % NUMBERS.length]);
    announce(`${t('settings.numbers')}: ${t(`settings.numbers_${view.get('numbers')}`)}`);
  });
  keys.action('raw', () => store.set('raw', true), () => store.get('raw') && store.set('raw', false));
}

/** Hints: the best move is marked until the position changes. */
function showHints({ store, t, board, toast }) {
  store.watch('hint', ({ node, line }) => {
    if (node !== store.get('state').node) return;
    if (!line) return;
    const value = worthInWords(t, line.value);
    const [at] = line.moves;
    board.overlay('hint', { marks: [{ at, shape: 'circle', tone: 'good' }], ghosts: [{ at, side: store.get('state').board.to_move }] });
    toast(t('hint.move', { at, value }));
  });
  let shown = null;
  store.watch('state', ({ game, node }) => {
    if (shown !== `${game.id} ${node}`) board.overlay('hint', null);
    shown = `${game.id} ${node}`;
  });
}

function openMenu(context) {
  const box = openDialog({ title: context.t('do.menu'), name: 'menu', close: context.t('close'), body: [
    el('div', { class: 'acts' }, ...[...MENU, 'settings', 'keys'].map((name) => {
      const button = actionButton(context, name);
      button.addEventListener('click', () => box.close(), { capture: true });
      return button;
    }))] });
}
