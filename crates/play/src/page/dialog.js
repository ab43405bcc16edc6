/**
 * Dialogs and their parts. The browser's `dialog` element traps the focus, closes on Escape, and restores the focus.
 */

import { el } from './dom.js';

/**
 * Opens a dialog.
 * @param {{title: string, body: (Node|null)[], name?: string, close: string, onClose?: () => void}} what `close` is the name of the
 *   closing button
 * @returns {HTMLDialogElement}
 */
export function openDialog({ title, body, name = '', close, onClose = () => {} }) {
  const heading = el('h2', { id: `title-${name}`, text: title });
  const cross = el('button', { type: 'button', class: 'plain close', 'aria-label': close, text: '✕', on: { click: () => box.close() } });
  const box = el('dialog', { class: `dialog ${name}`, 'aria-labelledby': `title-${name}` }, el('div', { class: 'dialog-head' }, heading, cross), ...body);
  box.addEventListener('close', () => {
    box.remove();
    onClose();
  });
  box.addEventListener('mousedown', (event) => {
    if (event.target === box) box.close();
  });
  document.body.append(box);
  box.showModal();
  return box;
}

/**
 * Asks a question.
 * @param {{title: string, text: string, yes: string, no: string}} words
 * @returns {Promise<boolean>}
 */
export function ask({ title, text, yes, no }) {
  return new Promise((resolve) => {
    let answer = false;
    const agree = () => {
      answer = true;
      box.close();
    };
    const buttons = el('div', { class: 'dialog-foot' },
      el('button', { type: 'button', text: no, on: { click: () => box.close() } }),
      el('button', { type: 'button', class: 'main', autofocus: true, text: yes, on: { click: agree } }));
    const box = openDialog({ title, name: 'ask', close: no, body: [el('p', { text }), buttons], onClose: () => resolve(answer) });
  });
}

/**
 * A group of radio buttons.
 * @param {{name: string, legend: string, value: string, options: [string, string, string?][], cards?: boolean}} what options are
 *   value, label, and a second line
 * @returns {HTMLFieldSetElement}
 */
export function choice({ name, legend, value, options, cards = false }) {
  /** @param {[string, string, string?]} one */
  const option = ([key, words, more]) => el('label', { class: 'option' },
    el('input', { type: 'radio', name, value: key, checked: key === value }),
    el('span', {}, words, more ? el('small', { text: more }) : null));
  return el('fieldset', { class: cards ? 'cards' : 'choice', 'data-field': name }, el('legend', { text: legend }),
    el('div', { class: 'options' }, ...options.map(option)));
}

/**
 * A checkbox with its label.
 * @param {{name: string, words: string, checked: boolean, change?: (checked: boolean) => void}} what
 */
export function tick({ name, words, checked, change = () => {} }) {
  const input = el('input', { type: 'checkbox', name, checked, on: { change: () => change(input.checked) } });
  return el('label', { class: 'tick' }, input, el('span', { text: words }));
}

/**
 * A number field with its label.
 * @param {{name: string, words: string, value: number, min: number, max: number, step?: number|'any', change?: (value: number) => void}} what
 */
export function number({ name, words, value, min, max, step = 1, change = () => {} }) {
  const listen = () => input.checkValidity() && input.value !== '' && change(Number(input.value));
  const input = el('input', { type: 'number', name, value, min, max, step, required: true, inputmode: 'decimal', on: { change: listen } });
  return el('label', { class: 'entry' }, el('span', { text: words }), input);
}
