/**
 * The Review tab: a review of the whole line with its progress, the sums of each player's moves, the mistakes ordered
 * by size, "find your mistakes", and the review as a file. All judgements come from the server.
 */

import { el, patch, set } from './dom.js';
import { download } from './files.js';
import { button, choice, points, smallBoard, visitor, worth } from './parts.js';
import { createQuiz } from './quiz.js';
import { printReport } from './report.js';

/** Nodes of the search of each position, and the key of their name. */
const DEPTHS = [[20_000, 'quick'], [100_000, 'normal'], [500_000, 'deep'], [2_000_000, 'long']];
const FORMATS = ['review_sgf', 'review_svg', 'review_json'];

/**
 * Rank of a mistake: a missed or allowed win ranks above any other loss.
 * @param {any} move
 */
const weight = (move) => move.loss + (move.missed_win || move.allowed_win ? 1 : 0);

/**
 * @param {HTMLElement} slot
 * @param {import('./types.js').Context} context
 */
export function mount(slot, context) {
  const { store, api, send, t, board, announce, toast, action } = context;
  const visit = visitor(context);
  /** Moves of the review's line by node, for the thumbnails: an unfinished review has not judged all of them. */
  const known = new Map();

  const depth = choice(t('review.depth'), DEPTHS.map(([nodes, name]) => [String(nodes), t(`review.depth_${name}`)]));
  depth.select.value = String(DEPTHS[1][0]);
  const start = button(t('review.start'), () => send('review', { nodes: Number(depth.select.value) }), { class: 'primary' });
  const bar = el('progress', { 'aria-label': t('review.progress') });
  const count = el('span', { class: 'readout' });
  const cancel = button(t('review.cancel'), () => send('cancel', { job: mine().job }));
  const progress = el('div', { class: 'panel-row progress-row' }, bar, count, cancel);
  const told = el('p', { class: 'quiet', role: 'status' });
  const sums = el('tbody');
  const summary = el('table', { class: 'sums' }, el('caption', { class: 'unseen' }, t('review.summary')),
    el('thead', {}, el('tr', {}, el('td'), ...['black', 'white'].map((side) => el('th', { scope: 'col' }, t(`side.${side}`))))), sums);
  const of = choice(t('quiz.of'), ['both', 'black', 'white'].map((side) => [side, t(`quiz.of_${side}`)]));
  const find = button(t('quiz.start'), () => quiz.start(questions()));
  const finder = el('div', { class: 'panel-row' }, find, of.node);
  const list = el('ol', { class: 'mistakes' });
  const none = el('p', { class: 'quiet' }, t('review.no_mistakes'));
  const heading = el('h3', {}, t('review.mistakes'));
  const files = el('div', { class: 'panel-row', role: 'group', 'aria-label': t('review.export') },
    ...FORMATS.map((format) => button(t(`review.${format}`), () => save(format))),
    button(t('report.print'), () => printReport(context, { review: mine(), mistakes: mistakes(), stones: known, sums: summary.cloneNode(true) }), { 'data-review': 'print' }));
  const quiz = createQuiz(context, (text) => {
    draw();
    if (text) told.textContent = text;
  });
  slot.append(el('section', { class: 'review', 'aria-label': t('review.title') },
    el('div', { class: 'panel-row' }, depth.node, start), progress, told, quiz.node, summary, finder, heading, none, list, files));

  /** The review of the game that is shown, or null. */
  function mine() {
    const review = store.get('review');
    return review && review.game === store.get('state')?.game.id ? review : null;
  }

  const mistakes = () => (mine()?.moves ?? []).filter((move) => move.grade || move.missed_win || move.allowed_win);

  function questions() {
    const side = of.select.value;
    const { nodes } = mine();
    return mistakes().filter((move) => side === 'both' || move.side === side).map((move) => ({ move, before: nodes[move.number - 1] }));
  }

  function draw() {
    const review = mine();
    const running = review?.state === 'running';
    const asking = Boolean(store.get('quiz'));
    progress.hidden = !running;
    start.disabled = running || !store.get('state')?.line.length;
    set(start, { hidden: asking });
    depth.node.hidden = asking;
    if (running) {
      Object.assign(bar, { max: review.total, value: review.done });
      count.textContent = t('review.done', { done: review.done, total: review.total });
    }
    if (!review) told.textContent = t('review.none');
    else if (running) told.textContent = '';
    else told.textContent = review.state === 'cancelled' ? t('review.cancelled', { done: review.done, total: review.total }) : '';
    summary.hidden = !review?.sums || asking;
    files.hidden = review?.state !== 'done' || asking;
    if (review?.sums) drawSums(review.sums);
    drawMistakes(review, asking);
  }

  function drawSums({ black, white }) {
    /** @type {[string, (sum: any) => number|string][]} */
    const rows = [
      ['accuracy', (sum) => sum.accuracy.toFixed(1)],
      ['moves', (sum) => sum.moves],
      ['inaccuracies', (sum) => sum.grades[0]],
      ['mistakes_count', (sum) => sum.grades[1]],
      ['blunders', (sum) => sum.grades[2]],
      ['missed', (sum) => sum.missed],
      ['allowed', (sum) => sum.allowed],
      ['mean_loss', (sum) => points(sum.mean_loss)],
    ];
    sums.replaceChildren(...rows.map(([name, read]) => el('tr', {}, el('th', { scope: 'row' }, t(`review.${name}`)),
      el('td', {}, String(read(black))), el('td', {}, String(read(white))))));
  }

  function drawMistakes(review, asking) {
    const found = review && !asking ? mistakes().sort((a, b) => weight(b) - weight(a) || a.number - b.number) : [];
    const now = store.get('state')?.node;
    heading.hidden = !found.length;
    list.hidden = !found.length;
    none.hidden = review?.state !== 'done' || asking || found.length > 0;
    finder.hidden = review?.state !== 'done' || asking || !found.length;
    patch(list, found.map((move) => ({ move, here: move.node === now })), {
      key: ({ move }) => `${review.job}/${move.node}`,
      make: () => el('li'),
      update: (item, { move, here }) => item.replaceChildren(entry(review, move, here)),
    });
  }

  /** A mistake: its picture, the error, and the better line. */
  function entry(review, move, here) {
    const tags = [move.grade && t(`grade.${move.grade}`), move.missed_win && t('review.missed_win'), move.allowed_win && t('review.allowed_win')];
    const name = t('review.move', { number: move.number, side: t(`side.${move.side}`), at: move.at });
    const stones = review.nodes.slice(1, move.number).map((node) => known.get(node)).filter(Boolean);
    const state = store.get('state');
    const picture = smallBoard({ size: state.game.size, stones: [...state.game.start, ...stones], bad: move.at, good: move.better[0], name: '' });
    set(picture, { role: null, 'aria-label': null, 'aria-hidden': 'true' });
    const better = move.better.length ? el('span', { class: 'better' }, t('review.better', { line: move.better.slice(0, 6).join(' ') })) : null;
    return el('button', { type: 'button', class: `mistake ${move.grade ?? ''}`, 'aria-current': here ? 'true' : null, on: { click: () => visit(move.node) } },
      picture,
      el('span', { class: 'mistake-text' },
        el('b', {}, name),
        el('span', { class: 'tags' }, tags.filter(Boolean).join(' · ')),
        el('span', {}, `${worth(t, move.before)} → ${worth(t, move.after)} (${t('graph.lost', { loss: points(move.loss) })})`),
        better));
  }

  async function save(format) {
    try {
      const { name, blob } = await api.exportFile(format);
      download(name, blob);
    } catch (error) {
      toast(/** @type {Error} */ (error).message, 'error');
    }
  }

  /** Goes to the next mistake of the line, or the one before. */
  function jump(by) {
    send('goto', () => {
      const at = store.get('state').ply;
      const found = mistakes().sort((a, b) => by * (a.number - b.number)).find((move) => by * (move.number - at) > 0);
      if (!found) {
        toast(t(mine() ? 'review.no_more' : 'review.none'));
        return null;
      }
      announce(t('review.move', { number: found.number, side: t(`side.${found.side}`), at: found.at }));
      if (found.better.length) board.highlight(null);
      return { node: found.node };
    });
  }

  function learn(moves) {
    for (const { node, at, side } of moves) if (at && side) known.set(node, { at, side });
  }

  let game = -1;
  store.watch('state', (state) => {
    if (state.game.id !== game) known.clear();
    game = state.game.id;
    learn(state.line);
    draw();
  });
  let told_done = 0;
  store.watch('review', (review) => {
    if (!review) return;
    learn(review.moves);
    draw();
    if (review.state === 'done' && review.job !== told_done) {
      if (told_done || mine()) announce(t('review.finished', { mistakes: mistakes().length }));
      told_done = review.job;
    }
  });
  store.watch('quiz', draw);
  action('next_mistake', () => jump(1));
  action('previous_mistake', () => jump(-1));
}
