/**
 * The printed report of a review: the graph, the sums of both players, and a board for each mistake. It is part of the
 * document only while it is printed, and no screen shows it.
 */

import { el, svg } from './dom.js';
import { starPoints } from './board.js';
import { point, points, worth } from './parts.js';
import { subject } from './start.js';

/**
 * A whole board with coordinates and numbered stones, in black on white.
 * @param {{size: [number, number], stones: {at: string, side: string, number: number}[], bad: string, good: string|null, name: string}} what
 * @returns {SVGElement}
 */
export function diagram({ size: [width, height], stones, bad, good, name }) {
  const lines = [];
  for (let x = 0; x < width; x += 1) lines.push(`M${x} 0V${height - 1}`);
  for (let y = 0; y < height; y += 1) lines.push(`M0 ${y}H${width - 1}`);
  const text = (x, y, words, kind) => svg('text', { x, y, class: kind, text: words });
  const board = svg('svg', { viewBox: `-1.3 -0.6 ${width + 0.9} ${height + 1.1}`, role: 'img', 'aria-label': name }, svg('path', { d: lines.join(''), class: 'report-lines' }));
  for (const at of starPoints([width, height])) {
    const [cx, cy] = point(at, height);
    board.append(svg('circle', { cx, cy, r: 0.1, class: 'report-star' }));
  }
  for (let x = 0; x < width; x += 1) board.append(text(x, height - 0.1, String.fromCharCode(97 + x), 'report-edge'));
  for (let y = 0; y < height; y += 1) board.append(text(-0.9, y, String(height - y), 'report-edge'));
  for (const { at, side, number } of stones) {
    const [cx, cy] = point(at, height);
    board.append(svg('circle', { cx, cy, r: 0.46, class: `report-stone ${side}` }));
    if (number) board.append(text(cx, cy, String(number), `report-number ${side}`));
  }
  if (good) {
    const [cx, cy] = point(good, height);
    board.append(svg('circle', { cx, cy, r: 0.36, class: 'report-good' }));
  }
  const [x, y] = point(bad, height);
  board.append(svg('path', { d: `M${x - 0.28} ${y - 0.28}l.56 .56m0 -.56l-.56 .56`, class: 'report-bad' }));
  return board;
}

/**
 * Prints the review of the shown game.
 * @param {import('./types.js').Context} context
 * @param {{review: any, mistakes: any[], stones: Map<number, {at: string, side: string}>, sums: Element}} what `stones` are
 *   the moves by node
 */
export async function printReport({ store, api, t, toast }, { review, mistakes, stones, sums }) {
  const state = store.get('state');
  const graph = await picture(api, t).catch(() => null);
  if (!graph) toast(t('files.failed'), 'error');
  const report = el('main', { class: 'report', lang: document.documentElement.lang },
    el('h1', {}, t('report.title')),
    el('p', {}, `${subject(state, t)} · ${t('report.moves', { moves: review.nodes.length - 1 })}`),
    graph, sums,
    el('h2', {}, t('report.mistakes')),
    ...(mistakes.length ? mistakes.map((move) => mistake(state, review, move, stones, t)) : [el('p', {}, t('review.no_mistakes'))]),
    el('p', { class: 'report-foot' }, t('report.legend')));
  document.body.append(report);
  const done = () => {
    report.remove();
    removeEventListener('afterprint', done);
  };
  addEventListener('afterprint', done);
  await Promise.all([...report.querySelectorAll('img')].map((image) => image.decode().catch(() => {})));
  print();
}

/** The graph of the review, as the program writes it. */
async function picture(api, t) {
  const { blob } = await api.exportFile('review_svg');
  return el('img', { class: 'report-graph', alt: t('graph.label'), src: `data:image/svg+xml,${encodeURIComponent(await blob.text())}` });
}

function mistake(state, review, move, stones, t) {
  const start = state.game.start.map((stone) => ({ ...stone, number: 0 }));
  const before = review.nodes.slice(1, move.number).map((node, index) => ({ ...stones.get(node), number: index + 1 })).filter((stone) => stone.at);
  const name = t('review.move', { number: move.number, side: t(`side.${move.side}`), at: move.at });
  const tags = [move.grade && t(`grade.${move.grade}`), move.missed_win && t('review.missed_win'), move.allowed_win && t('review.allowed_win')];
  return el('section', { class: 'report-mistake' },
    diagram({ size: state.game.size, stones: [...start, ...before], bad: move.at, good: move.better[0] ?? null, name }),
    el('div', {}, el('h3', {}, name), el('p', {}, tags.filter(Boolean).join(' · ')),
      el('p', {}, `${worth(t, move.before)} → ${worth(t, move.after)} (${t('graph.lost', { loss: points(move.loss) })})`),
      move.better.length ? el('p', {}, t('review.better', { line: move.better.slice(0, 12).join(' ') })) : null,
      move.reply?.length ? el('p', {}, t('report.played', { line: [move.at, ...move.reply.slice(0, 11)].join(' ') })) : null));
}
