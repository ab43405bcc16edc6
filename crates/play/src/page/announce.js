/** Texts for screen readers: moves and results as they happen, and the keys for reading aloud. */

import { byId } from './dom.js';
import { liveValue, worthInWords } from './parts.js';
import { moveName, sentence } from './status.js';

/**
 * Announces texts to screen readers, politely or urgently.
 * @returns {(text: string, urgent?: boolean) => void}
 */
export function createAnnouncer() {
  const regions = [byId('polite'), byId('assertive')].map((region) => ({ region, texts: /** @type {string[]} */ ([]) }));
  return (text, urgent = false) => {
    const { region, texts } = regions[urgent ? 1 : 0];
    region.textContent = '';
    texts.push(text);
    if (texts.length > 1) return; // It is announced together with the first text.
    setTimeout(() => {
      region.textContent = texts.splice(0).join(' ');
    }, 30); // The region is empty for a moment, so that a repeated text is announced again.
  };
}

/**
 * Announces moves and results as they happen.
 * @param {import('./types.js').Context} context
 */
export function announceGame({ store, t, announce }) {
  let before = null;
  store.watch('state', (state) => {
    const [old, now] = [before, state];
    before = state;
    if (!old || old.game.id !== now.game.id) return;
    if (now.status.kind !== 'running' && old.status.kind === 'running') announce(sentence(now, t), true);
    else if (now.node !== old.node) announce(lastMove(now, t));
    else if (now.thinking && !old.thinking) announce(thinks(now, t));
  });
}

/** The last move in words. */
export function lastMove(state, t) {
  const move = state.line[state.ply - 1];
  if (!move) return t('aloud.no_move');
  return t('aloud.move', { number: move.number, side: t(`side.${move.side ?? 'black'}`), at: moveName(move, t) });
}

/**
 * The keys for reading aloud.
 * @param {import('./types.js').Context} context
 * @param {() => string} cursor the point of the board's cursor
 */
export function readAloud({ store, t, announce, action }, cursor) {
  const say = (name, words) => action(name, () => store.get('state') && announce(words(store.get('state')), true));
  say('read_move', (state) => lastMove(state, t));
  say('read_value', (state) => {
    const value = liveValue(state, store.get('analysis')) ?? state.line[state.ply - 1]?.value;
    return value ? `${worthInWords(t, value)}.` : t(state.opinion ? 'aloud.no_value' : 'value.hidden');
  });
  say('read_clocks', (state) => (state.clock
    ? t('aloud.clocks', { black: Math.ceil(state.clock.black_ms / 1000), white: Math.ceil(state.clock.white_ms / 1000) })
    : t('aloud.no_clocks')));
  say('read_lines', (state) => linesThrough(state, cursor(), t));
}

/** The four lines through a point, up to four points to both sides. */
function linesThrough({ game: { size: [width, height] }, board }, at, t) {
  const stones = new Map(board.stones.map((stone) => [stone.at, stone.side]));
  const [column, row] = [at.charCodeAt(0) - 97, Number(at.slice(1)) - 1];
  const word = (x, y) => t(`aloud.${stones.get(String.fromCharCode(97 + x) + (y + 1)) ?? 'empty'}`);
  const line = ([name, dx, dy]) => {
    const words = [];
    for (let i = -4; i <= 4; i += 1) {
      const [x, y] = [column + i * dx, row + i * dy];
      if (x >= 0 && y >= 0 && x < width && y < height) words.push(word(x, y));
    }
    return `${t(`aloud.${name}`)}: ${words.join(' ')}.`;
  };
  /** @type {[string, number, number][]} */
  const directions = [['across', 1, 0], ['up', 0, 1], ['rising', 1, 1], ['falling', 1, -1]];
  return directions.map(line).join(' ');
}

/** Who thinks of what. */
function thinks({ thinking: { kind, side }, game }, t) {
  const values = { side: t(`side.${side}`), engine: game[side].name };
  return kind === 'move' && game[side].kind === 'other' ? t('thinking.other', values) : t(`thinking.${kind}`, values);
}
