/** The settings dialog: appearance, sound, keys, and the engine's threads and memory. */

import { choice, number, openDialog, tick } from './dialog.js';
import { el } from './dom.js';
import { ACTIONS, keyName, keyText } from './keys.js';

/** Applies the selected theme, and follows changes. */
export function followTheme(view) {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const contrast = matchMedia('(prefers-contrast: more)');
  const apply = () => {
    const wanted = view.get('theme');
    const system = contrast.matches ? 'contrast' : dark.matches ? 'dark' : 'light';
    document.documentElement.dataset.theme = wanted === 'system' ? system : wanted;
  };
  view.watch('theme', apply);
  for (const query of [dark, contrast]) query.addEventListener('change', apply);
}

/**
 * @param {any} context
 */
export function openSettings(context) {
  const { store, view, t, send } = context;
  const { settings } = store.get('state');
  const pick = (name, values, then = () => {}) => {
    const field = choice({ name, legend: t(`settings.${name}`), value: view.get(name), options: values.map((value) => [value, t(`settings.${name}_${value}`)]) });
    field.addEventListener('change', (event) => {
      view.set(name, /** @type {HTMLInputElement} */ (event.target).value);
      then();
    });
    return field;
  };
  const flag = (name) => tick({ name, words: t(`settings.${name}`), checked: view.get(name), change: (on) => view.set(name, on) });
  const engine = (name, words, value, max) => number({ name, words, value, min: 1, max, change: (wanted) => send('settings', { [name]: wanted }) });
  const quit = async () => {
    box.close();
    await send('bye');
  };
  const box = openDialog({ title: t('settings.title'), name: 'settings', close: t('close'), body: [
    pick('theme', ['system', 'light', 'dark', 'contrast']),
    pick('language', ['auto', 'en', 'zh'], () => location.reload()),
    pick('numbers', ['none', 'last', 'all', 'branch']),
    pick('boardStyle', ['shaded', 'flat', 'print']),
    pick('edge', ['outside', 'inside']),
    pick('touch', ['auto', 'direct', 'confirm', 'slide']),
    el('fieldset', { class: 'choice' }, el('legend', { text: t('settings.board') }), el('div', { class: 'ticks' },
      ...['coordinates', 'flip', 'forbidden', 'forbiddenWhite', 'threats', 'lastStoneGoes', 'sound'].map(flag))),
    el('fieldset', { class: 'choice' }, el('legend', { text: t('settings.engine') }), el('div', { class: 'pair' },
      settings.processors > 1 ? engine('threads', t('settings.threads', { processors: settings.processors }), settings.threads, Math.max(settings.processors, settings.threads)) : null,
      engine('hash_mb', t('settings.hash'), settings.hash_mb, 65536))),
    keyTable(context),
    store.get('about').local ? el('div', { class: 'dialog-foot' }, el('button', { type: 'button', text: t('settings.quit'), on: { click: quit } })) : null,
  ] });
}

/** Keys that can be changed: press the button, then the key. */
function keyTable({ view, t, keys }) {
  const row = (action) => {
    const words = el('span', { text: t(`key.${action}`) });
    const show = () => {
      button.textContent = keyText(keys.keysOf(action)[0]);
    };
    const button = el('button', { type: 'button', 'aria-label': t('settings.change_key', { action: t(`key.${action}`) }), on: {
      click() {
        button.textContent = t('settings.press');
      },
      blur: show,
      keydown(event) {
        if (button.textContent !== t('settings.press') || ['Shift', 'Control', 'Alt', 'Meta', 'Tab'].includes(event.key)) return;
        event.preventDefault();
        event.stopPropagation();
        if (event.key !== 'Escape') view.set('keys', changed(view.get('keys'), action, keyName(event)));
        for (const one of refresh) one();
      },
    } });
    refresh.push(show);
    show();
    return el('div', { class: 'key-row' }, words, button);
  };
  const refresh = [];
  const fixed = ['escape', 'preview_line'];
  const reset = el('button', { type: 'button', text: t('settings.reset_keys'), on: {
    click() {
      view.set('keys', {});
      for (const one of refresh) one();
    },
  } });
  return el('details', {}, el('summary', { text: t('settings.keys') }),
    ...Object.keys(ACTIONS).filter((action) => !fixed.includes(action)).map(row), reset);
}

/** The table with a key for an action. Another action with this key loses it. */
function changed(table, action, key) {
  const others = Object.entries(table).filter(([, used]) => used !== key);
  return { ...Object.fromEntries(others), [action]: key };
}
