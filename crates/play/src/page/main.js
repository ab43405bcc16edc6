/** Connects the parts of the page: data from the server goes into the store, input of the person becomes commands. */

import { frameActions, unsavedGuard } from './actions.js';
import { announceGame, createAnnouncer, readAloud } from './announce.js';
import { createApi, Refused } from './api.js';
import { createBoard } from './board.js';
import { listenToBoard } from './board-input.js';
import { createConnection } from './connection.js';
import { byId, el } from './dom.js';
import { createDrawings } from './drawings.js';
import { createFiles } from './files.js';
import { mountFault } from './fault.js';
import { mountGame } from './game.js';
import { chooseLanguage, translatePage, translator } from './i18n.js';
import { createKeys } from './keys.js';
import { mountOpening } from './opening.js';
import { BOARD_VIEW, createOverlays, foulKey } from './overlays.js';
import { mountPanels } from './panels.js';
import { mountPlayers } from './players.js';
import { followTheme } from './settings.js';
import { playSounds } from './sound.js';
import { openLink, takeLink } from './share.js';
import { openStart, subject } from './start.js';
import { lastStone } from './status.js';
import { createPreferences, createStore } from './store.js';
import { mountTabs } from './tabs.js';
import { createToasts } from './toasts.js';

const view = createPreferences(localStorage);
const store = createStore({ link: 'lost', tab: 'game', raw: false });
const language = chooseLanguage(view.get('language'));
const t = translator(language);
document.documentElement.lang = language;
translatePage(document, t);
followTheme(view);

const api = createApi({ connection: createConnection(), revision: () => store.get('state')?.rev ?? 0 });
const announce = createAnnouncer();
const toast = createToasts(announce);
const keys = createKeys(view);
const painted = createBoard(byId('frame'));
const overlays = createOverlays({ store, view, t, draw });

/** Paints the board, and records in the document which state is painted: tests wait for it. */
function draw(model) {
  painted.update(model);
  document.documentElement.dataset.rev = String(store.get('state').rev);
}

/** Sends a command and shows its refusal to the person. */
async function send(name, fields) {
  try {
    return await api.command(name, fields);
  } catch (error) {
    toast(refusal(error, /** @type {any} */ (fields)), 'error');
    return null;
  }
}

function refusal(error, fields = {}) {
  if (!(error instanceof Refused)) return t('refused.gone');
  if (error.foul) return t('refused.foul', { at: fields.at, kind: t(foulKey(error.foul)) });
  const key = error.error === 'opening' ? `refused.opening_${store.get('state')?.turn.phase}` : `refused.${error.error}`;
  const words = t(key);
  return words === key ? error.message : words;
}

/** @type {any} */
const context = { store, view, api, send, t, board: overlays.board, announce, toast, action: keys.action, keys, slots: { bar: byId('evalbar') } };
context.sure = unsavedGuard(context);
context.show = mountTabs(context);
context.acts = frameActions(context, createFiles(context));

mountPlayers(context);
mountOpening(context);
mountFault(context);
mountGame(context);
mountPanels(context);
announceGame(context);
readAloud(context, painted.cursor);
playSounds(context);

for (const name of BOARD_VIEW) view.watch(name, overlays.refresh);
store.watch('raw', overlays.refresh);
view.watch('touch', (touch) => painted.root.classList.toggle('slide', touch === 'slide'));
store.watch('state', (state) => {
  byId('subject').textContent = subject(state, t);
  overlays.refresh();
  if (store.get('link') === 'live') showBanner();
});

/** The message that asks for the second tap. */
let again = /** @type {HTMLElement|null} */ (null);

const input = listenToBoard(painted, {
  place,
  jump(at) {
    const move = store.get('state').line.find((one) => one.at === at);
    if (move) send('goto', { node: move.node });
  },
  back: () => keys.run('back'),
  step(steps, at) {
    if (!overlays.turn(at, steps)) keys.run(steps > 0 ? 'forward' : 'back');
  },
  hover(at) {
    painted.hover(at);
    if (store.get('hover') !== at) store.set('hover', at);
  },
  target: aim,
  draw: createDrawings(context),
  touch: () => (view.get('touch') !== 'auto' ? view.get('touch') : window.innerWidth < 480 ? 'confirm' : 'direct'),
  key: keys.pressed,
});

/** A point waits for its second tap, or no longer. */
function aim(at) {
  overlays.target(at);
  again?.remove();
  again = at && view.get('touch') !== 'slide' ? toast(t('touch.again', { at })) : null;
}

/** A point was chosen: makes a move, unless a panel captures the point. */
function place(at, event) {
  const state = store.get('state');
  const { capture } = overlays.held;
  if (capture) capture(at, event);
  else if (state.board.stones.some((stone) => stone.at === at)) {
    if (view.get('lastStoneGoes') && at === lastStone(state)?.at) keys.run('go');
  } else if (state.can.place) {
    const foul = state.board.to_move === 'black' && state.board.forbidden.find((point) => point.at === at);
    if (foul) toast(t('refused.foul', { at, kind: t(foulKey(foul.kind)) }), 'error');
    else send('move', { at });
  } else if (state.status.kind !== 'running') announce(t('refused.over'));
  else if (state.thinking) announce(t('refused.not_your_turn'));
}

/** Drops a point that waits for its second tap when the position changes. */
let shown = '';
store.watch('state', ({ game, node }) => {
  if (shown !== `${game.id} ${node}`) input.forget();
  shown = `${game.id} ${node}`;
});

/** Clicked buttons release the focus before a dialog could remember it, so that the space bar stays a shortcut. */
document.addEventListener('click', (event) => {
  const button = /** @type {Element} */ (event.target).closest?.('button');
  if (event.detail && button && !button.closest('dialog')) button.blur();
}, { capture: true });

function showLink(link) {
  store.set('link', link);
  showBanner();
}

/** Shows a problem of the connection, or else of saving. */
function showBanner() {
  const link = store.get('link');
  const unsaved = store.get('state')?.unsaved ?? null;
  const key = link === 'live' ? 'link.unsaved' : link === 'ended' && unsaved ? 'link.ended_unsaved' : `link.${link}`;
  const text = link === 'live' && !unsaved ? '' : t(key, { why: unsaved });
  const banner = byId('banner');
  if (banner.textContent === text && link !== 'replaced') return;
  const again = el('button', { type: 'button', text: t('link.here'), on: { click: begin } });
  banner.hidden = !text;
  banner.className = `banner ${link === 'live' ? 'lost' : link}`;
  banner.replaceChildren(el('p', { text }), ...(link === 'replaced' ? [again] : []));
}

/** Whether nothing has been played or set up. */
const isUntouched = ({ line, game }) => !line.length && !game.start.length;

/** What is wrong with the connection, by the status of the refusal. */
const BROKEN = { 401: 'locked', 500: 'broken', 501: 'unsupported' };

let stop = () => {};

async function begin() {
  stop();
  try {
    const { about, state, fresh } = await api.hello();
    store.set('about', about);
    store.set('state', state);
    stop = api.listen(store.set, showLink);
    const linked = takeLink();
    if (linked) await openLink(context, linked);
    else if (fresh && (state.offer || isUntouched(state))) openStart(context);
  } catch (error) {
    showLink(BROKEN[error instanceof Refused ? error.status : 0] ?? 'ended');
  }
}

window.addEventListener('hashchange', begin);
begin();
