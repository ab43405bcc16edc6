/** The tabs beside the board: one stop of the Tab key; the arrow keys move between them. */

import { byId, el, set } from './dom.js';

export const TABS = ['game', 'analysis', 'review', 'setup', 'log'];

/**
 * @param {import('./types.js').Context} context
 * @returns {(name: string) => void} opens a tab
 */
export function mountTabs({ store, t }) {
  const bar = byId('tabs');
  const tab = (name) => el('button', { type: 'button', role: 'tab', id: `tab-${name}`, 'aria-controls': `panel-${name}`, text: t(`tab.${name}`),
    on: { click: () => show(name), keydown: (event) => move(event, name) } });
  const show = (name) => {
    for (const other of TABS) {
      set(byId(`tab-${other}`), { 'aria-selected': String(other === name), tabindex: other === name ? 0 : -1 });
      byId(`panel-${other}`).hidden = other !== name;
    }
    if (store.get('tab') !== name) store.set('tab', name);
  };
  const move = (event, name) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const at = TABS.indexOf(name);
    const next = { Home: TABS[0], End: TABS[TABS.length - 1] }[event.key] ?? (step && TABS[(at + step + TABS.length) % TABS.length]);
    if (!next) return;
    event.preventDefault();
    show(next);
    byId(`tab-${next}`).focus();
  };
  bar.append(...TABS.map(tab));
  for (const name of TABS) set(byId(`panel-${name}`), { 'aria-labelledby': `tab-${name}` });
  show('game');
  return show;
}
