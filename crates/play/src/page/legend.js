/** The legend: what the colours, signs and rings on the board mean. It stands beside the board, not over it. */

import { byId, el, svg } from './dom.js';
import { candidateMark, threatMark, rootMark, cross } from './board.js';

/** When the legend was closed: a press on its button closes it before the click arrives. */
let closed = -Infinity;
/** A click later than this after closing opens it again, in milliseconds. */
const AGAIN = 400;

/** A sample in a square of one cell, as it looks on the board. */
function sample(layer, ...marks) {
  return svg('svg', { class: 'board legend-sample', viewBox: '-.62 -.62 1.24 1.24', 'aria-hidden': 'true' },
    svg('rect', { class: 'wood', x: -0.62, y: -0.62, width: 1.24, height: 1.24 }),
    svg('path', { class: 'lines', d: 'M-.62 0H.62M0 -.62V.62' }), svg('g', { class: layer }, ...marks));
}

/**
 * Opens the legend, or closes it.
 * @param {import('./types.js').Context} context
 */
export function toggleLegend({ t }) {
  const open = document.getElementById('legend');
  if (open) {
    open.hidePopover();
    return;
  }
  if (performance.now() - closed < AGAIN) return;
  const line = (picture, words) => el('li', {}, picture, el('span', {}, words));
  const group = (title, lines) => el('section', {}, el('h4', {}, title), el('ul', {}, ...lines));
  const losses = ['0', '2', '5', '10', '20', '35'];
  const box = el('div', { id: 'legend', class: 'legend', popover: 'auto', role: 'dialog', 'aria-label': t('legend.title') },
    el('div', { class: 'dialog-head' }, el('h3', {}, t('legend.title')),
      el('button', { type: 'button', class: 'plain close', 'aria-label': t('close'), autofocus: true, on: { click: () => box.hidePopover() } }, '✕')),
    group(t('legend.candidates'), [
      line(sample('candidates', ...candidateMark({ klass: 0, value: '63', side: 'black', depth: '12', rank: 1 })), t('legend.candidate')),
      line(sample('candidates', ...candidateMark({ klass: 0, value: 'M7', side: 'white', sign: '★' })), t('legend.win')),
      ...losses.map((from, klass) => line(el('span', { class: `legend-colour loss-${klass}` }),
        t(klass === 5 ? 'legend.loss_most' : 'legend.loss', { from, to: losses[klass + 1] })))]),
    group(t('legend.search'), ['best', 'searching', 'searched', 'lost'].map((state) => line(sample('roots', rootMark(state)), t(`legend.${state}`)))),
    group(t('legend.threats'), [
      ...['five', 'open_four', 'four', 'three'].map((kind) => line(sample('threats', ...threatMark({ side: 'black', kind })), t(`legend.${kind}`))),
      line(sample('threats', ...threatMark({ side: 'white', kind: 'four' })), t('legend.white_threat'))]),
    group(t('legend.others'), [
      line(sample('forbidden', cross(0.22, 'halo'), cross(0.22, 'ink')), t('legend.forbidden')),
      ...['??', '?', '?!', '!'].map((sign) => line(el('b', { class: 'tree-sign', 'data-sign': sign }, sign), t(`sign.${sign}`)))]));
  box.addEventListener('toggle', (event) => {
    if (/** @type {any} */ (event).newState !== 'closed') return;
    closed = performance.now();
    box.remove();
  });
  byId('desk').append(box);
  box.showPopover();
}
