/**
 * The panels beside the board that are modules of their own. Each exports `mount(element, context)`, is called once, and
 * keeps itself up to date by watching the store. See `Context` in types.js for what it is given.
 */

/** Modules by the slot of index.html that they fill. */
const PANELS = {};

/**
 * Fills the slots.
 * @param {import('./types.js').Context} context
 */
export function mountPanels(context) {
  for (const slot of document.querySelectorAll('[data-slot]')) {
    const panel = PANELS[/** @type {HTMLElement} */ (slot).dataset.slot ?? ''];
    if (panel) panel.mount(slot, context);
  }
}
