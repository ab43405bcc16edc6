/**
 * The value bar: Black's win chance from the bottom up, a tick at one half, and a thin line at the previous value.
 *
 * It is hidden while a person plays the engine without live analysis. It stands at the left of the board, and lies
 * above it on small screens. The style sheet rotates it; this module only sets the lengths, as shares of the whole.
 */

import { el, set } from './dom.js';
import { eachFrame, liveValue, valueOfEnd, worth, worthInWords } from './parts.js';

/**
 * @param {HTMLElement} slot
 * @param {import('./types.js').Context} context
 */
export function mount(slot, { store, t }) {
  const black = el('div', { class: 'bar-black' });
  const before = el('div', { class: 'bar-before', hidden: true });
  const number = el('div', { class: 'bar-number', 'aria-hidden': 'true' });
  const meter = el('div', {
    class: 'value-bar', role: 'meter', 'aria-label': t('bar.label'), 'aria-valuemin': 0, 'aria-valuemax': 100,
  }, black, el('div', { class: 'bar-tick' }), before);
  slot.append(meter, number);

  function draw() {
    const state = store.get('state');
    if (!state) return;
    slot.classList.toggle('off', !state.opinion);
    const isDrawn = state.status.kind === 'draw';
    const value = valueOfEnd(state.status) ?? (isDrawn ? null : liveValue(state, store.get('analysis')) ?? state.line[state.ply - 1]?.value ?? null);
    const last = state.line[state.ply - 2]?.value ?? null;
    const share = value ? value.win_rate : 0.5;
    const words = isDrawn ? t('bar.drawn') : worthInWords(t, value);
    set(meter, { 'aria-valuenow': Math.round(100 * share), 'aria-valuetext': words, title: words });
    meter.classList.toggle('unknown', !value && !isDrawn);
    meter.style.setProperty('--share', String(share));
    meter.style.setProperty('--last', String(last?.win_rate ?? 0.5));
    before.hidden = !last;
    const short = isDrawn ? '½ ½' : value ? worth(t, value, 'black', 0) : '';
    number.replaceChildren(...short.split(' ').filter(Boolean).map((word) => el('span', {}, word)));
  }

  store.watch('state', draw);
  store.watch('analysis', eachFrame(draw));
}
