/**
 * Warnings of a person's own bad move, with a button that takes the move back while `undo` would take back this move.
 */

import { el } from './dom.js';
import { keyText } from './keys.js';
import { points, worthInWords } from './parts.js';

/**
 * A warning in a sentence.
 * @param {any} warned the event `warned`
 * @param {import('./types.js').Context['t']} t
 */
export const warning = ({ at, best, value, loss }, t) => t('warned.text', { at, loss: points(loss), value: worthInWords(t, value), best: worthInWords(t, best) });

/**
 * @param {import('./types.js').Context} context
 */
export function showWarnings({ store, t, toast, keys }) {
  let line = /** @type {HTMLElement|null} */ (null);
  let move = { game: -1, node: -1, side: '' };

  store.watch('warned', (warned) => {
    const { game, line: moves, ply } = store.get('state');
    line?.remove();
    move = { game: game.id, node: moves.slice(0, ply).findLast(({ at, side }) => at === warned.at && side === warned.side)?.node ?? -1, side: warned.side };
    const back = t('warned.back', { key: keyText(keys.keysOf('undo')[0]) });
    const button = el('button', { type: 'button', class: 'take-back', on: { click: () => keys.run('undo') } }, back);
    line = toast(warned.undo ? `${warning(warned, t)} ` : warning(warned, t), 'warning', warned.undo ? button : null);
  });
  // After another own move, or when the board shows something else, there is nothing to take back.
  store.watch('state', ({ game, line: moves, ply, status }) => {
    const index = moves.slice(0, ply).findIndex(({ node }) => node === move.node);
    const isLast = index >= 0 && !moves.slice(index + 1, ply).some(({ side }) => side === move.side);
    if (line && (game.id !== move.game || !isLast || status.kind !== 'running')) {
      line.remove();
      line = null;
    }
  });
}
