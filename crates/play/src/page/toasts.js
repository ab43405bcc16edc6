/** Short messages that appear and disappear automatically. */

import { byId, el } from './dom.js';

/** How long a message stays and how long one with a button stays, in milliseconds; the maximum number of messages. */
const STAY = 6000;
const STAY_LONG = 60_000;
const MOST = 4;

/**
 * @param {(text: string, urgent?: boolean) => void} announce
 * @returns {(text: string, level?: 'info'|'warning'|'error', button?: HTMLElement|null) => HTMLElement}
 */
export function createToasts(announce) {
  const box = byId('toasts');
  return (text, level = 'info', button = null) => {
    const line = el('p', { class: `toast ${level}` }, text, button);
    line.addEventListener('click', () => line.remove());
    box.append(line);
    while (box.children.length > MOST) box.firstChild?.remove();
    setTimeout(() => line.remove(), button ? STAY_LONG : STAY);
    announce(button ? `${text} ${button.textContent}` : text, level !== 'info');
    return line;
  };
}
