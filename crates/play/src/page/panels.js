/**
 * The panels beside the board that are separate modules. Each exports `mount(element, context)`, which is called once.
 * A panel updates itself by watching the store. `Context` in types.js describes what it gets.
 */

import * as analysis from './analysis.js';
import * as bar from './bar.js';
import * as explorer from './explorer.js';
import * as graph from './graph.js';
import * as log from './log.js';
import * as proof from './proof.js';
import * as puzzles from './puzzles.js';
import * as review from './review.js';
import * as setup from './setup.js';

/** Modules by the slot of index.html that they fill. */
const PANELS = { analysis, explorer, graph, log, proof, puzzles, review, setup };

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
 * Drops stored events of another game: each game numbers its nodes anew.
 * @param {import('./types.js').Store} store
 */
function forgetWithGame(store) {
  let game = -1;
  store.watch('state', (state) => {
    if (game !== -1 && state.game.id !== game) for (const name of ['analysis', 'proof', 'tried', 'balance']) store.set(name, null);
    game = state.game.id;
  });
}
