/**
 * The panels beside the board that are modules of their own. Each exports `mount(element, context)`, is called once, and
 * keeps itself up to date by watching the store. See `Context` in types.js for what it is given.
 */

import * as analysis from './analysis.js';
import * as bar from './bar.js';
import * as graph from './graph.js';
import * as log from './log.js';
import * as proof from './proof.js';
import * as review from './review.js';
import * as setup from './setup.js';

/** Modules by the slot of index.html that they fill. */
const PANELS = { analysis, graph, log, proof, review, setup };

/**
 * Fills the slots.
 * @param {import('./types.js').Context} context
 */
export function mountPanels(context) {
  const { store } = context;
  forgetWithGame(store);
  bar.mount(context.slots.bar, context);
  for (const slot of document.querySelectorAll('[data-slot]')) {
    const panel = PANELS[/** @type {HTMLElement} */ (slot).dataset.slot ?? ''];
    if (panel) panel.mount(slot, context);
  }
}

/**
 * Forgets what was said of another game: nodes are numbered anew in each.
 * @param {import('./types.js').Store} store
 */
function forgetWithGame(store) {
  let game = -1;
  store.watch('state', (state) => {
    if (game !== -1 && state.game.id !== game) for (const name of ['analysis', 'proof', 'tried', 'balance']) store.set(name, null);
    game = state.game.id;
  });
}
