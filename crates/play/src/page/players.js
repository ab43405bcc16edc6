/** The two player strips with their clocks, and the sentence about the state of the game. */

import { byId, el, set, svg } from './dom.js';
import { clockText, playerName, sentence } from './status.js';

/**
 * @param {import('./types.js').Context} context
 */
export function mountPlayers({ store, t }) {
  const strips = { black: strip('black', t), white: strip('white', t) };
  byId('players').append(strips.black.root, strips.white.root);
  let arrived = 0;
  let timer = 0;

  const tick = () => {
    const state = store.get('state');
    const passed = performance.now() - arrived;
    for (const side of ['black', 'white']) strips[side].time(state, passed);
  };

  store.watch('state', (state) => {
    arrived = performance.now();
    for (const side of ['black', 'white']) strips[side].show(state);
    tick();
    clearInterval(timer);
    if (state.clock?.running || state.thinking) timer = window.setInterval(tick, 100);
    const status = byId('status');
    const words = sentence(state, t);
    if (status.textContent !== words) status.textContent = words;
    status.classList.toggle('over', state.status.kind !== 'running');
  });
}

function strip(side, t) {
  const name = el('strong', { class: 'name' });
  const note = el('span', { class: 'note small' });
  const clock = el('span', { class: 'clock' });
  const line = el('div', { class: 'progress', 'aria-hidden': 'true' });
  const stone = svg('svg', { class: `disc ${side}`, viewBox: '0 0 24 24', role: 'img', 'aria-label': t(`side.${side}`) }, svg('circle', { cx: 12, cy: 12, r: 10.5 }));
  const root = el('div', { class: 'player', 'data-side': side }, stone, el('div', { class: 'who' }, name, el('div', { class: 'times' }, clock, note)), line);
  return {
    root,
    show(state) {
      name.textContent = playerName(state, side, t);
      const running = state.status.kind === 'running';
      set(root, { 'data-turn': running && state.turn.side === side, 'data-won': state.status.kind === 'win' && state.status.side === side });
      line.classList.toggle('busy', thinks(state, side));
      clock.hidden = !state.clock;
    },
    /** `passed` is the time since the state arrived, in milliseconds. */
    time(state, passed) {
      note.textContent = thinks(state, side) ? t('player.thinking', { seconds: ((state.thinking.ms + passed) / 1000).toFixed(1) }) : '';
      if (!state.clock) return;
      const left = state.clock[`${side}_ms`] - (state.clock.running === side ? passed : 0);
      clock.textContent = clockText(left);
      clock.classList.toggle('short', left < 10_000);
    },
  };
}

const thinks = (state, side) => state.thinking?.kind === 'move' && state.thinking.side === side;
