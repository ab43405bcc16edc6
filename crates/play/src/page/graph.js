/**
 * The graph of the game: Black's win chance after each move of the shown line, and below it what each move lost.
 *
 * Values come from the line and, if there is one, from the review; only screen coordinates are computed here. The graph
 * is a slider for the keyboard and for screen readers, and a table shows the same values.
 */

import { el, set, svg } from './dom.js';
import { eachFrame, liveValue, lossClass, percent, points, visitor, worth, worthInWords } from './parts.js';

/** The part below the curve, for what the moves lost. */
const BARS = 30;
const LEFT = 56;
const RIGHT = 8;
const TOP = 6;
/** Values of searches with fewer nodes are drawn dashed. */
const FEW_NODES = 2000;
/** A loss of this share fills the height of a bar. */
const FULL_LOSS = 0.5;

/**
 * One place of the graph for the start of the game and one for each move.
 * @typedef {object} Place
 * @property {number} node
 * @property {string|null} at
 * @property {number} number of the move, 0 for the start
 * @property {import('./types.js').Value|null} value
 * @property {number|null} rate Black's win chance
 * @property {boolean} few whether it comes from a small search
 * @property {any} judged the review's judgement of the move
 */

/**
 * The data of each position of the shown line.
 * @param {any} state
 * @param {any} review the latest event `review`, or null
 * @param {any} analysis the latest event `analysis`, or null
 * @returns {Place[]}
 */
export function places(state, review, analysis) {
  const reviewed = review && review.game === state.game.id ? review : null;
  const rates = new Map();
  const judged = new Map();
  if (reviewed) {
    reviewed.nodes.forEach((node, index) => rates.set(node, reviewed.win_rates[index] ?? null));
    for (const move of reviewed.moves) judged.set(move.node, move);
  }
  const start = { node: 0, at: null, number: 0, value: null };
  return [start, ...state.line].map((move) => {
    const verdict = judged.get(move.node) ?? null;
    const now = move.node === state.node ? liveValue(state, analysis) : null;
    const kept = move.value ?? verdict?.after ?? null;
    const value = now && now.nodes > (kept?.nodes ?? 0) ? now : kept;
    const known = rates.get(move.node) ?? null;
    const few = known === null && !value?.win && (value?.nodes ?? 0) < FEW_NODES;
    const { node, at, number } = move;
    return { node, at, number, value, rate: known ?? value?.win_rate ?? null, few, judged: verdict };
  });
}

/**
 * @param {HTMLElement} slot
 * @param {import('./types.js').Context} context
 */
export function mount(slot, context) {
  const { store, t } = context;
  const visitNode = visitor(context);
  const picture = svg('svg', { class: 'graph', tabindex: 0, role: 'slider', 'aria-label': t('graph.label'), 'aria-valuemin': 0 });
  const note = el('p', { class: 'graph-note', 'aria-hidden': 'true' });
  const rows = el('tbody');
  const head = ['graph.move', 'graph.black', 'graph.loss'].map((key) => el('th', { scope: 'col' }, t(key)));
  const table = el('details', { class: 'graph-table' }, el('summary', {}, t('graph.table')),
    el('table', {}, el('thead', {}, el('tr', {}, ...head)), rows));
  slot.append(el('section', { class: 'graph-panel', 'aria-label': t('graph.title') }, picture, note, table));

  /** @type {Place[]} */
  let shown = [];
  let width = 0;
  /** Of the curve. */
  let height = 0;
  let hover = /** @type {number|null} */ (null);
  const soon = eachFrame(draw);

  const x = (index) => LEFT + (shown.length > 1 ? (index * (width - LEFT - RIGHT)) / (shown.length - 1) : 0);
  const y = (rate) => TOP + (1 - rate) * (height - 2 * TOP);
  const ply = () => store.get('state').ply;
  const name = (place) => (place.at ? `${place.number} ${place.at}` : t('graph.start'));
  const valueOf = (place) => place.value ?? (place.rate === null ? null : { win_rate: place.rate, win: null });
  const words = (place) => {
    const value = valueOf(place);
    return `${name(place)}: ${value || store.get('state').opinion ? worthInWords(t, value) : t('value.hidden')}`;
  };

  function draw() {
    const state = store.get('state');
    if (!state || !width || height <= 0) return;
    shown = places(state, store.get('review'), store.get('analysis'));
    set(picture, {
      viewBox: `0 0 ${width} ${height + BARS}`,
      'aria-valuemax': shown.length - 1,
      'aria-valuenow': state.ply,
      'aria-valuetext': words(shown[state.ply]),
    });
    picture.replaceChildren(...scale(), ...proven(), ...lines(), ...losses(), ...cursors());
    tell();
  }

  function scale() {
    const out = [svg('rect', { x: LEFT, y: TOP, width: width - LEFT - RIGHT, height: height - 2 * TOP, class: 'ground' })];
    for (const rate of [1, 0.75, 0.5, 0.25, 0]) {
      out.push(svg('line', { x1: LEFT, x2: width - RIGHT, y1: y(rate), y2: y(rate), class: rate === 0.5 ? 'middle' : 'tick' }));
      if (rate % 0.5 === 0) out.push(svg('text', { x: LEFT - 4, y: y(rate) + 4, 'text-anchor': 'end' }, `${t('short.black')} ${percent(rate, 0)}`));
    }
    return out;
  }

  /** Spans of the game where a win is proven; Black's at the top edge, White's at the bottom. */
  function proven() {
    const step = shown.length > 1 ? x(1) - x(0) : 0;
    return shown.flatMap(({ value }, index) => {
      if (!value?.win) return [];
      const from = Math.max(LEFT, x(index) - step / 2);
      const size = { x: from, width: Math.min(width - RIGHT, x(index) + step / 2) - from };
      const black = value.win.side === 'black';
      return [
        svg('rect', { ...size, y: TOP, height: height - 2 * TOP, class: `proven ${value.win.side}` }),
        svg('rect', { ...size, y: black ? TOP : height - TOP - 4, height: 4, class: `proven-edge ${value.win.side}` }),
      ];
    });
  }

  /** The curve: one path for each run of known positions, dashed where few nodes were searched. */
  function lines() {
    const out = [];
    for (let index = 1; index < shown.length; index++) {
      const [from, to] = [shown[index - 1], shown[index]];
      if (from.rate === null || to.rate === null) continue;
      const ends = { x1: x(index - 1), y1: y(from.rate), x2: x(index), y2: y(to.rate) };
      out.push(svg('line', { ...ends, class: from.few || to.few ? 'curve few' : 'curve' }));
    }
    shown.forEach(({ rate, few }, index) => {
      const alone = (shown[index - 1]?.rate ?? null) === null && (shown[index + 1]?.rate ?? null) === null;
      if (rate !== null && (alone || shown.length < 40)) {
        out.push(svg('circle', { cx: x(index), cy: y(rate), r: 2.2, class: few ? 'dot few' : 'dot' }));
      }
    });
    return out;
  }

  function losses() {
    const base = height + BARS - 2;
    const wide = Math.max(2, Math.min(10, (shown.length > 1 ? x(1) - x(0) : 10) - 1));
    const out = [svg('line', { x1: LEFT, x2: width - RIGHT, y1: base, y2: base, class: 'tick' })];
    shown.forEach(({ judged }, index) => {
      if (!judged) return;
      const tall = Math.min(1, judged.loss / FULL_LOSS) * (BARS - 12);
      const at = { x: x(index) - wide / 2, width: wide };
      if (tall >= 0.5) out.push(svg('rect', { ...at, y: base - tall, height: tall, class: `bar ${judged.side} loss-${lossClass(judged.loss)}` }));
      if (judged.missed_win || judged.allowed_win) {
        out.push(svg('text', { x: x(index), y: base - tall - 2, 'text-anchor': 'middle', class: 'alarm' }, '!'));
      }
    });
    return out;
  }

  function cursors() {
    const out = [];
    const cursor = (index, kind) => {
      out.push(svg('line', { x1: x(index), x2: x(index), y1: TOP, y2: height + BARS - 2, class: kind }));
      const { rate } = shown[index];
      if (rate !== null) out.push(svg('circle', { cx: x(index), cy: y(rate), r: 4, class: kind }));
    };
    cursor(ply(), 'now');
    if (hover !== null && hover < shown.length && hover !== ply()) cursor(hover, 'hover');
    return out;
  }

  /** The line of text under the graph: describes the position under the pointer, or else the one on the board. */
  function tell() {
    const place = shown[hover !== null && hover < shown.length ? hover : ply()];
    const loss = place.judged && place.judged.loss >= 0.02 ? ` · ${t('graph.lost', { loss: points(place.judged.loss) })}` : '';
    note.textContent = words(place) + (place.few && place.value ? ` · ${t('graph.few')}` : '') + loss;
    note.title = note.textContent;
  }

  function tabulate() {
    if (!(/** @type {HTMLDetailsElement} */ (table).open)) return;
    rows.replaceChildren(...shown.map((place, index) => {
      const go = el('button', { type: 'button', class: 'link', 'aria-current': index === ply() ? 'step' : null, on: { click: () => visit(index) } }, name(place));
      return el('tr', {}, el('td', {}, go), el('td', {}, worth(t, valueOf(place))), el('td', {}, place.judged ? points(place.judged.loss) : ''));
    }));
  }

  const visit = (index) => visitNode(shown[index].node);

  function under(event) {
    const box = picture.getBoundingClientRect();
    const share = (event.clientX - box.left - LEFT) / Math.max(1, box.width - LEFT - RIGHT);
    return Math.max(0, Math.min(shown.length - 1, Math.round(share * (shown.length - 1))));
  }

  picture.addEventListener('pointerdown', (event) => {
    picture.setPointerCapture(event.pointerId);
    visit(under(event));
  });
  picture.addEventListener('pointermove', (event) => {
    const now = under(event);
    if (now !== hover && event.buttons & 1) visit(now);
    hover = now;
    soon();
  });
  picture.addEventListener('pointerleave', () => {
    hover = null;
    soon();
  });
  picture.addEventListener('keydown', (event) => {
    const steps = { ArrowLeft: 'back', ArrowDown: 'back', ArrowRight: 'forward', ArrowUp: 'forward', PageUp: 'back_ten', PageDown: 'forward_ten', Home: 'first', End: 'last' };
    const step = steps[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    context.acts(step);
  });
  // The graph would tell where the mistakes are.
  store.watch('quiz', (asking) => slot.classList.toggle('hushed', Boolean(asking)));
  table.addEventListener('toggle', tabulate);
  new ResizeObserver(([entry]) => {
    width = Math.round(entry.contentRect.width);
    height = Math.round(entry.contentRect.height) - BARS;
    draw();
  }).observe(picture);
  store.watch('analysis', soon);
  for (const source of ['state', 'review']) {
    store.watch(source, () => {
      draw();
      tabulate();
    });
  }
}
