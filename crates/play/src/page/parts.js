/**
 * Shared parts of the panels: controls, values in short form, and small boards for thumbnails. Nothing here knows the
 * state of the game; everything is a function of its arguments.
 */

import { el, svg } from './dom.js';

/**
 * A button with a text.
 * @param {string} text
 * @param {() => void} click
 * @param {Object<string, any>} [props]
 */
export function button(text, click, props = {}) {
  return el('button', { type: 'button', ...props, on: { click } }, text);
}

/**
 * A check box with its label.
 * @param {string} text
 * @param {(on: boolean) => void} change
 * @returns {{node: HTMLElement, box: HTMLInputElement}}
 */
export function check(text, change) {
  const box = el('input', { type: 'checkbox', on: { change: () => change(box.checked) } });
  return { node: el('label', { class: 'check' }, box, el('span', {}, text)), box };
}

/**
 * A choice from a list, with its label.
 * @param {string} text
 * @param {[string, string][]} options value and text of each
 * @param {(value: string) => void} [change]
 * @returns {{node: HTMLElement, select: HTMLSelectElement}}
 */
export function choice(text, options, change = () => {}) {
  const select = el('select', { on: { change: () => change(select.value) } });
  for (const [value, name] of options) select.append(el('option', { value }, name));
  return { node: el('label', { class: 'field' }, el('span', {}, text), select), select };
}

/**
 * Converts a label to the column from the left and the row from the top.
 * @param {string} label
 * @param {number} height of the board
 * @returns {[number, number]}
 */
export function point(label, height) {
  return [label.charCodeAt(0) - 97, height - Number(label.slice(1))];
}

/**
 * The labels in a text of several.
 * @param {string} text
 * @returns {string[]}
 */
export const labelsOf = (text) => text.match(/[a-y]\d{1,2}/g) ?? [];

/**
 * The label of a point; see {@link point}.
 * @param {number} column
 * @param {number} row
 * @param {number} height
 */
export function labelOf(column, row, height) {
  return String.fromCharCode(97 + column) + (height - row);
}

/**
 * The other side.
 * @param {import('./types.js').Side} side
 * @returns {import('./types.js').Side}
 */
export const other = (side) => (side === 'black' ? 'white' : 'black');

/**
 * A share as per cent with one decimal.
 * @param {number} share 0 to 1
 * @param {number} [digits]
 */
export const percent = (share, digits = 1) => `${(100 * share).toFixed(digits)}%`;

/**
 * A part of a whole in whole per cent, such as the share of games that a side won.
 * @param {number} part
 * @param {number} whole
 */
export const portion = (part, whole) => percent(part / whole, 0);

/**
 * A loss in points of winning chances.
 * @param {number} loss 0 to 1
 */
export const points = (loss) => (100 * loss).toFixed(1);

/**
 * A value in short form, with its side: `B 63.0%`, or `W M9` where White wins in 9 plies.
 * @param {import('./types.js').Context['t']} t
 * @param {import('./types.js').Value|null|undefined} value
 * @param {import('./types.js').Side} [side] whose percentage
 * @param {number} [digits]
 */
export function worth(t, value, side = 'black', digits = 1) {
  if (!value) return '–';
  if (value.win) return t(value.win.plies ? 'worth.win' : 'worth.won', { side: t(`short.${value.win.side}`), plies: value.win.plies });
  return `${t(`short.${side}`)} ${percent(side === 'black' ? value.win_rate : 1 - value.win_rate, digits)}`;
}

/**
 * A value for the board, where its side is drawn beside it: Black's chances as a number of 100, or the plies to a win.
 * @param {import('./types.js').Context['t']} t
 * @param {import('./types.js').Value} value
 * @param {import('./types.js').Side} side whose chances
 * @returns {{side: import('./types.js').Side, text: string}}
 */
export function brief(t, value, side) {
  if (value.win) return { side: value.win.side, text: value.win.plies ? t('brief.win', { plies: value.win.plies }) : t('brief.won') };
  return { side, text: (100 * (side === 'black' ? value.win_rate : 1 - value.win_rate)).toFixed(0) };
}

/**
 * The value of a game that is over: all for the winner.
 * @param {any} status of the state
 * @returns {import('./types.js').Value|null}
 */
export function valueOfEnd(status) {
  if (status.kind !== 'win') return null;
  return { win_rate: status.side === 'black' ? 1 : 0, score: null, win: { side: status.side, plies: 0 }, depth: 0, nodes: 0 };
}

/**
 * A value in words.
 * @param {import('./types.js').Context['t']} t
 * @param {import('./types.js').Value|null|undefined} value
 */
export function worthInWords(t, value) {
  if (!value) return t('value.none');
  if (value.win) return t(`value.${value.win.plies ? 'win' : 'won'}.${value.win.side}`, { plies: value.win.plies });
  return t('value.rate', { rate: percent(value.win_rate) });
}

/** Lower bounds of the classes of losses, as shares of a win. */
const CLASSES = [0.02, 0.05, 0.1, 0.2, 0.35];

/**
 * The class of a loss: from 0 for almost nothing to 5 for a blunder.
 * @param {number} loss 0 to 1
 */
export const lossClass = (loss) => CLASSES.filter((from) => loss >= from).length;

/**
 * A count in short form: 950, 12.3 k, 4.2 M.
 * @param {number} count
 */
export function short(count) {
  if (count < 1000) return String(count);
  const [unit, letter] = count < 1e6 ? [1e3, 'k'] : count < 1e9 ? [1e6, 'M'] : [1e9, 'G'];
  return `${(count / unit).toFixed(count < 100 * unit ? 1 : 0)} ${letter}`;
}

/** Minimum number of lines of the board in a thumbnail. */
const CROP = 9;

/**
 * The part of a board to show: a square with all of the points and a margin, if the board is large enough.
 * @param {[number, number]} size
 * @param {[number, number][]} points
 * @returns {[number, number, number]} left, top, lines
 */
function crop([width, height], points) {
  const range = (axis) => [Math.min(...points.map((each) => each[axis])), Math.max(...points.map((each) => each[axis]))];
  const [left, right] = range(0);
  const [top, bottom] = range(1);
  const lines = Math.min(Math.max(CROP, right - left + 3, bottom - top + 3), Math.max(width, height));
  const start = (from, to, all) => Math.max(0, Math.min(Math.round((from + to - lines + 1) / 2), all - lines));
  return [start(left, right, width), start(top, bottom, height), lines];
}

/**
 * A small board without coordinates, around its stones.
 * @param {object} picture
 * @param {[number, number]} picture.size
 * @param {{at: string, side: string}[]} picture.stones
 * @param {string|null} [picture.bad] point of a cross
 * @param {string|null} [picture.good] point of a ring
 * @param {string} picture.name its text alternative
 * @returns {SVGElement}
 */
export function smallBoard({ size: [width, height], stones, bad, good, name }) {
  const seen = [...stones.map(({ at }) => at), bad, good].filter(Boolean).map((at) => point(/** @type {string} */ (at), height));
  const [left, top, shown] = seen.length ? crop([width, height], seen) : [0, 0, Math.max(width, height)];
  const lines = [];
  for (let x = 0; x < width; x++) lines.push(`M${x} 0V${height - 1}`);
  for (let y = 0; y < height; y++) lines.push(`M0 ${y}H${width - 1}`);
  const board = svg('svg', { viewBox: `${left - 0.7} ${top - 0.7} ${shown + 0.4} ${shown + 0.4}`, class: 'small-board', role: 'img', 'aria-label': name },
    svg('rect', { x: -0.7, y: -0.7, width: width + 0.4, height: height + 0.4, class: 'small-ground' }),
    svg('path', { d: lines.join(''), class: 'small-lines' }));
  for (const { at, side } of stones) {
    const [cx, cy] = point(at, height);
    board.append(svg('circle', { cx, cy, r: 0.46, class: `small-stone ${side}` }));
  }
  if (good) {
    const [cx, cy] = point(good, height);
    board.append(svg('circle', { cx, cy, r: 0.36, class: 'small-good' }));
  }
  if (bad) {
    const [x, y] = point(bad, height);
    board.append(svg('path', { d: `M${x - 0.3} ${y - 0.3}l.6 .6m0 -.6l-.6 .6`, class: 'small-bad' }));
  }
  return board;
}

/**
 * Schedules one call of `draw` for the next frame, for any number of requests until then.
 * @param {() => void} draw
 * @returns {() => void}
 */
export function eachFrame(draw) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      draw();
    });
  };
}

/**
 * The live value of the shown position, or null. It is null for a value of another position, for a value of the
 * opponent's threat, and for an older value while values are hidden.
 * @param {import('./types.js').State} state
 * @param {any} analysis the newest event `analysis`
 * @returns {import('./types.js').Value|null}
 */
export function liveValue(state, analysis) {
  if (!analysis || !state.opinion || analysis.node !== state.node || state.analysis.threat) return null;
  return analysis.lines[0]?.value ?? null;
}

/**
 * Shows nodes of the game, one request at a time: while a request runs, only the newest node is remembered.
 * @param {import('./types.js').Context} context
 * @returns {(node: number) => Promise<void>}
 */
export function visitor({ send }) {
  let wanted = /** @type {number|null} */ (null);
  let busy = false;
  return async (node) => {
    wanted = node;
    if (busy) return;
    busy = true;
    while (wanted !== null) {
      const next = wanted;
      wanted = null;
      await send('goto', { node: next });
    }
    busy = false;
  };
}
