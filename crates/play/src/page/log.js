/**
 * The Log tab: all messages to the person, newest last. A code with a translation is shown translated; otherwise the
 * server's English text is shown.
 */

import { el } from './dom.js';
import { button } from './parts.js';
import { warning } from './warnings.js';

/** Maximum number of lines; older ones are dropped. */
const LINES = 300;

/**
 * @param {HTMLElement} slot
 * @param {import('./types.js').Context} context
 */
export function mount(slot, { store, t }) {
  const list = el('ol', { class: 'log', 'aria-label': t('log.title'), tabindex: 0 });
  const empty = el('p', { class: 'quiet' }, t('log.empty'));
  const clear = button(t('log.clear'), () => {
    list.replaceChildren();
    show();
  });
  slot.append(el('section', { class: 'log-panel', 'aria-label': t('log.title') }, empty, list, el('div', { class: 'panel-row' }, clear)));

  function show() {
    const none = list.childElementCount === 0;
    empty.hidden = !none;
    list.hidden = none;
    clear.hidden = none;
  }

  store.watch('message', (message) => {
    if (!message) return;
    const key = `message.${message.code}`;
    add(message.level, t(key) === key ? message.text : t(key));
  });
  store.watch('warned', (warned) => add('warning', warning(warned, t)));

  function add(level, text) {
    const now = new Date();
    list.append(el('li', { class: level },
      el('time', { datetime: now.toISOString() }, now.toLocaleTimeString()), el('b', {}, t(`log.${level}`)), el('span', {}, text)));
    while (list.childElementCount > LINES) list.firstElementChild.remove();
    show();
    list.scrollTop = list.scrollHeight;
  }
  show();
}
