/** Warns before a move that lets the opponent win by force, where the game was started with that help. */

import { ask } from './dialog.js';

/** Longest wait for the judgement, in milliseconds; then the move is made unwarned. */
const LONGEST = 5000;

/**
 * @param {import('./types.js').Context} context
 * @returns {(at: string) => Promise<boolean>} whether to play the move
 */
export function createWarning({ store, api, t }) {
  let busy = false;

  const judge = async (at) => {
    const { job } = await api.command('try', { node: store.get('state').node, at });
    return new Promise((resolve) => {
      const done = (tried) => {
        clearTimeout(timer);
        queueMicrotask(() => end());
        resolve(tried);
      };
      const timer = setTimeout(done, LONGEST, null);
      const end = store.watch('tried', (tried) => tried?.job === job && done(tried));
    });
  };

  return async (at) => {
    const { game, turn, board } = store.get('state');
    if (!game.assist.warn || turn.phase !== 'move' || busy) return !busy;
    busy = true;
    try {
      const tried = await judge(at).catch(() => null);
      const loses = tried?.value.win && tried.value.win.side !== board.to_move;
      const lostAnyway = tried?.best.win && tried.best.win.side !== board.to_move;
      if (!loses || lostAnyway) return true;
      const text = t('warning.text', { at, line: tried.reply.slice(0, 5).join(' ') });
      return await ask({ title: t('warning.title'), text, yes: t('warning.yes'), no: t('warning.no') });
    } finally {
      busy = false;
    }
  };
}
