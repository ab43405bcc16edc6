/**
 * The tabs beside the board: one stop of the Tab key; the arrow keys move between them. On a wide screen the moves are
 * no tab: they are always in view. On a small screen the panels are a sheet that can be pulled up.
 */

import { byId, el, set } from './dom.js';

export const TABS = ['game', 'analysis', 'explorer', 'review', 'puzzles', 'setup', 'log'];

/** Screens that show board, lines, tree and graph together. */
const WIDE = '(min-width: 1200px)';

/**
 * @param {import('./types.js').Context} context
 * @returns {(name: string) => void} opens a tab
 */
export function mountTabs({ store, t }) {
  const bar = byId('tabs');
  const wide = matchMedia(WIDE);
  /** The explorer is there if the program has a database. */
  const isThere = (name) => (name !== 'game' || !wide.matches) && (name !== 'explorer' || Boolean(store.get('state')?.database));
  const tabs = () => TABS.filter(isThere);
  const tab = (name) => el('button', { type: 'button', role: 'tab', id: `tab-${name}`, 'aria-controls': `panel-${name}`, text: t(`tab.${name}`),
    on: { click: () => show(name), keydown: (event) => move(event, name) } });
  const show = (wanted) => {
    const name = tabs().includes(wanted) ? wanted : 'analysis';
    for (const other of TABS) {
      set(byId(`tab-${other}`), { 'aria-selected': String(other === name), tabindex: other === name ? 0 : -1 });
      byId(`panel-${other}`).hidden = other !== name && (tabs().includes(other) || other === 'explorer');
    }
    byId('desk').dataset.tab = name;
    if (store.get('tab') !== name) store.set('tab', name);
  };
  const move = (event, name) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const all = tabs();
    const at = all.indexOf(name);
    const next = { Home: all[0], End: all[all.length - 1] }[event.key] ?? (step && all[(at + step + all.length) % all.length]);
    if (!next) return;
    event.preventDefault();
    show(next);
    byId(`tab-${next}`).focus();
  };
  const arrange = () => {
    for (const name of TABS) byId(`tab-${name}`).hidden = !isThere(name);
    set(byId('panel-game'), { role: wide.matches ? 'region' : 'tabpanel' });
    show(store.get('tab'));
  };
  bar.append(...TABS.map(tab));
  for (const name of TABS) set(byId(`panel-${name}`), { 'aria-labelledby': `tab-${name}`, 'aria-label': null });
  wide.addEventListener('change', arrange);
  let hasDatabase = false;
  store.watch('state', ({ database }) => {
    if (hasDatabase === Boolean(database)) return;
    hasDatabase = Boolean(database);
    arrange();
  });
  arrange();
  pull();
  return show;
}

/** The handle of the sheet. */
function pull() {
  const handle = byId('handle');
  handle.addEventListener('click', () => {
    const tall = byId('sheet').classList.toggle('tall');
    set(handle, { 'aria-expanded': String(tall) });
  });
}
