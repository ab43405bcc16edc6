/**
 * "Find your mistakes": shows one reviewed position after another, before the mistake was made, with the move of the
 * game. The person tries a better one on the board, and the server judges it by the standard of the review: any move is
 * right that is as good as the best. The better line is hidden until the person asks for it.
 * Nothing on the board helps meanwhile: live analysis is off, and the store's `quiz` makes the other panels hide their
 * help.
 */

import { el } from './dom.js';
import { button, points, worthInWords } from './parts.js';

/**
 * @param {import('./types.js').Context} context
 * @param {(text: string) => void} ended is called when the quiz is over, with the score if all was answered
 */
export function createQuiz({ store, send, t, board, announce }, ended) {
  let questions = /** @type {{before: number, move: any}[]} */ ([]);
  let index = -1;
  let found = 0;
  let analysed = false;
  /** The move being judged, and whether this question has been answered or given up. */
  let tried = '';
  let settled = false;
  let arrived = false;

  const title = el('p', { class: 'quiz-title' });
  const verdict = el('p', { class: 'verdict', role: 'status' });
  const give = button(t('quiz.answer'), reveal);
  const next = button(t('quiz.next'), () => turn(index + 1), { class: 'primary' });
  const node = el('section', { class: 'quiz', 'aria-label': t('quiz.title'), hidden: true }, el('h3', {}, t('quiz.title')), title, verdict,
    el('div', { class: 'panel-row' }, next, give, button(t('quiz.end'), end)));

  /** @param {{before: number, move: any}[]} asked mistakes with the node before each */
  function start(asked) {
    analysed = store.get('state').analysis.on;
    if (analysed) send('analysis', { on: false });
    questions = asked;
    found = 0;
    node.hidden = false;
    store.set('quiz', true);
    turn(0);
  }

  async function turn(number) {
    if (number >= questions.length) {
      finish();
      return;
    }
    index = number;
    tried = '';
    settled = false;
    arrived = false;
    verdict.textContent = '';
    next.textContent = t(index + 1 === questions.length ? 'quiz.finish' : 'quiz.next');
    give.hidden = false;
    board.preview(null);
    board.overlay('quiz', null);
    const { before, move } = questions[index];
    title.textContent = t('quiz.question', { number: index + 1, total: questions.length, move: move.number, side: t(`side.${move.side}`), at: move.at, loss: points(move.loss) });
    board.capture(attempt);
    await send('goto', { node: before });
    if (index === number && !tried) board.overlay('quiz', { ghosts: [{ at: move.at, side: move.side }], marks: [{ at: move.at, shape: 'cross', tone: 'bad' }] });
    announce(title.textContent ?? '');
  }

  async function attempt(at) {
    const { before } = questions[index];
    if (tried && !settled) return;
    tried = at;
    board.preview(null);
    board.overlay('quiz', { marks: [{ at, shape: 'circle', tone: 'accent' }] });
    verdict.textContent = t('quiz.judging', { at });
    if (!(await send('try', { node: before, at }))) {
      tried = '';
      verdict.textContent = '';
      board.overlay('quiz', null);
    }
  }

  function judged(event) {
    const { before, move } = questions[index];
    if (event.node !== before || event.at !== tried) return;
    if (event.loss === null) {
      tried = '';
      verdict.textContent = '';
      board.overlay('quiz', null);
      return;
    }
    const good = event.right;
    const value = worthInWords(t, event.value);
    tried = '';
    board.overlay('quiz', { marks: [{ at: event.at, shape: good ? 'circle' : 'cross', tone: good ? 'good' : 'bad' }] });
    if (good && !settled) found += 1;
    if (good) settled = true;
    const isNoWin = move.before.win?.side === move.side && event.value.win?.side !== move.side;
    const key = good ? 'quiz.good' : event.at === move.at ? 'quiz.played' : isNoWin ? 'quiz.no_win' : 'quiz.bad';
    verdict.textContent = t(key, { at: event.at, loss: points(event.loss), value });
    give.hidden = settled && !move.better.length;
  }

  function reveal() {
    const { move } = questions[index];
    settled = true;
    tried = '';
    give.hidden = true;
    board.overlay('quiz', { marks: [{ at: move.at, shape: 'cross', tone: 'bad' }] });
    if (move.better.length) board.preview(move.better, move.side);
    verdict.textContent = t('quiz.told', { better: move.better.join(' ') || '–', at: move.at, loss: points(move.loss) });
  }

  function finish() {
    const text = t('quiz.score', { found, total: questions.length });
    end();
    announce(text);
    ended(text);
  }

  function end() {
    if (index < 0) return;
    index = -1;
    node.hidden = true;
    board.capture(null);
    board.preview(null);
    board.overlay('quiz', null);
    store.set('quiz', false);
    if (analysed) send('analysis', { on: true });
    ended('');
  }

  store.watch('tried', (event) => event && index >= 0 && judged(event));
  // Browsing to another node or opening another tab ends the quiz.
  store.watch('state', (state) => {
    if (index < 0) return;
    if (state.node === questions[index].before) arrived = true;
    else if (arrived) end();
  });
  store.watch('tab', (tab) => tab !== 'review' && end());

  return { node, start };
}
