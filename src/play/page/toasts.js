/** Lines that come up and go away by themselves. */

import { byId, el } from './dom.js';

/** How long a line stays, in milliseconds, and how many there may be. */
const STAY = 6000;
const MOST = 4;

/**
 * @param {(text: string, urgent?: boolean) => void} announce
 * @returns {(text: string, level?: 'info'|'warning'|'error') => void}
 */
export function createToasts(announce) {
  const box = byId('toasts');
  return (text, level = 'info') => {
    const line = el('p', { class: `toast ${level}`, text });
    line.addEventListener('click', () => line.remove());
    box.append(line);
    while (box.children.length > MOST) box.firstChild?.remove();
    setTimeout(() => line.remove(), STAY);
    announce(text, level !== 'info');
  };
}
