/**
 * The Puzzles tab: a trainer. The person plays the attack on the board, the solver defends as long as it can, and a
 * wrong move is refuted by a line that is played out. The game does not change: the puzzle is an overlay, and the
 * server judges each move on its own.
 *
 * Nothing on the board helps meanwhile: live analysis is off, and the store's `quiz` makes the other panels hide
 * their help.
 */

import { el } from './dom.js';
import { button, choice, labelsOf, other } from './parts.js';
import { foulKey } from './overlays.js';

/** Time between two stones that the page plays, in milliseconds. */
const PACE = 450;

const GRADES = ['0', '1', '2', '3', '4', '5'];

/**
 * @typedef {object} Puzzle as trainer.rs lists it
 * @property {string} id
 * @property {string} rule
 * @property {[number, number]} size
 * @property {string} stones
 * @property {import('./types.js').Side} to_move
 * @property {'fours'|'threats'|'trap'|'escape'} kind
 * @property {number} grade
 */

/**
 * @param {HTMLElement} slot
 * @param {import('./types.js').Context} context
 */
export function mount(slot, context) {
  const { store, view, api, send, t, board, announce, toast } = context;
  let puzzles = /** @type {Puzzle[]} */ ([]);
  let progress = { solved: /** @type {Object<string, boolean>} */ ({}), streak: 0, best: 0 };
  let asked = false;
  let puzzle = /** @type {Puzzle|null} */ (null);
  /** Moves since the position of the puzzle, and a line that is only shown after them. */
  let moves = /** @type {string[]} */ ([]);
  let shown = /** @type {string[]} */ ([]);
  /** `ask`: the person is to move; `busy`: the server or the page is; `wrong`: a refutation is on the board; `solved`. */
  let phase = 'ask';
  let clean = true;
  let hints = 0;
  let point = '';
  let analysed = false;
  /** Counts what is going on, so that what was begun before it is dropped. */
  let turn = 0;

  const kept = () => ({ rule: '', grade: '0', ...view.get('puzzles') });
  const rule = choice(t('puzzle.rule'), [], () => filter());
  const grade = choice(t('puzzle.grade'), GRADES.map((one) => [one, t(`puzzle.grade_${one}`)]), () => filter());
  const score = el('p', { class: 'readout', 'data-puzzle': 'score' });
  const task = el('p', { class: 'puzzle-task' });
  const verdict = el('p', { class: 'verdict', role: 'status', 'data-puzzle': 'verdict' });
  const help = el('p', { class: 'quiet', role: 'status', 'data-puzzle': 'help' });
  const named = (name, run, props = {}) => button(t(`puzzle.${name}`), run, { 'data-puzzle': name, ...props });
  const begin = named('start', () => start(), { class: 'primary', disabled: true });
  const next = named('next', () => start(), { class: 'primary' });
  const again = named('again', retry, { class: 'primary' });
  const hint = named('hint', giveHint);
  const show = named('show', reveal);
  const leave = named('leave', stop);
  slot.append(el('section', { class: 'puzzles', 'aria-label': t('puzzle.title') }, el('h3', { class: 'unseen' }, t('puzzle.title')), task, verdict, help,
    el('div', { class: 'panel-row' }, again, next, hint, show, leave), el('div', { class: 'panel-row' }, rule.node, grade.node, begin), score));

  async function load() {
    if (asked) return;
    asked = true;
    try {
      ({ puzzles, progress } = await api.puzzles({ do: 'list' }));
    } catch {
      asked = false;
      toast(t('puzzle.gone'), 'error');
      return;
    }
    const rules = [...new Set(puzzles.map((one) => one.rule))];
    rule.select.append(...rules.map((name) => el('option', { value: name }, t(`rule.${name}`))));
    const wanted = kept();
    rule.select.value = rules.includes(wanted.rule) ? wanted.rule : rules.includes(store.get('state').game.rule) ? store.get('state').game.rule : rules[0] ?? '';
    grade.select.value = GRADES.includes(wanted.grade) ? wanted.grade : '0';
    draw();
  }

  const chosen = () => puzzles.filter((one) => one.rule === rule.select.value && (grade.select.value === '0' || one.grade === Number(grade.select.value)));

  function filter() {
    view.set('puzzles', { rule: rule.select.value, grade: grade.select.value });
    if (puzzle) stop();
    draw();
  }

  /** The next unsolved puzzle after the last one, or the next one if all are solved. */
  function following() {
    const all = chosen();
    const from = all.findIndex((one) => one.id === puzzle?.id) + 1;
    const turned = [...all.slice(from), ...all.slice(0, from)];
    return turned.find((one) => !(one.id in progress.solved)) ?? turned[0] ?? null;
  }

  function start() {
    const found = following();
    if (!found) return;
    if (!puzzle) {
      analysed = store.get('state').analysis.on;
      if (analysed) send('analysis', { on: false });
      store.set('quiz', true);
      occupy(true);
    }
    puzzle = found;
    clean = true;
    task.textContent = t(puzzle.kind === 'escape' ? 'puzzle.task_escape' : 'puzzle.task', { side: t(`side.${puzzle.to_move}`) });
    restart();
    announce(task.textContent ?? '');
  }

  /** Puts the position of the puzzle on the board. */
  function restart() {
    turn += 1;
    moves = [];
    shown = [];
    hints = 0;
    help.textContent = '';
    settle('ask', '');
    board.capture(attempt);
  }

  /** Takes back a wrong move. */
  function retry() {
    turn += 1;
    shown = [];
    settle('ask', '');
  }

  function settle(now, words) {
    phase = now;
    verdict.textContent = words;
    if (now === 'ask') point = '';
    draw();
  }

  function stop() {
    if (!puzzle) return;
    turn += 1;
    puzzle = null;
    moves = [];
    shown = [];
    task.textContent = '';
    help.textContent = '';
    settle('ask', '');
    board.capture(null);
    board.overlay('puzzle', null);
    store.set('quiz', false);
    occupy(false);
    if (analysed) send('analysis', { on: true });
  }

  /** Hides the buttons of the game while the board shows a puzzle. */
  function occupy(on) {
    store.set('puzzling', on);
    document.documentElement.toggleAttribute('data-puzzling', on);
  }

  /** Asks the server; null if it does not answer or the puzzle was left meanwhile. */
  async function question(body) {
    const mine = turn;
    try {
      const answer = await api.puzzles({ puzzle: puzzle?.id, ...body });
      return mine === turn ? answer : null;
    } catch (error) {
      if (mine === turn) settle('ask', /** @type {Error} */ (error).message);
      return null;
    }
  }

  async function attempt(at) {
    if (phase === 'wrong') retry();
    else if (phase === 'ask' && puzzle && !stones().some((stone) => stone.at === at)) await judge(puzzle, at);
  }

  async function judge(asking, at) {
    shown = [at];
    hints = 0;
    help.textContent = '';
    settle('busy', '');
    const answer = await question({ do: 'try', moves: [...moves, at] });
    if (!answer) {
      shown = [];
      draw();
      return;
    }
    const { line } = answer;
    if (answer.verdict === 'illegal') {
      shown = [];
      settle('ask', answer.foul ? t('refused.foul', { at, kind: t(foulKey(answer.foul)) }) : t('puzzle.illegal', { at }));
    } else if (answer.verdict === 'wrong') {
      miss();
      verdict.textContent = t(`puzzle.${asking.kind === 'escape' ? 'trapped' : answer.loses ? 'loses' : 'holds'}`,
        { at, side: t(`side.${other(asking.to_move)}`), reply: line[0] ?? '' });
      if (await follow(line)) settle('wrong', verdict.textContent ?? '');
    } else {
      moves = [...moves, at];
      shown = [];
      if (!(await follow(line))) return;
      moves = [...moves, ...line];
      shown = [];
      if (answer.verdict === 'right') settle('ask', t('puzzle.right', { at }));
      else solved(asking);
    }
  }

  /** Shows a line stone by stone; false if the puzzle was left meanwhile. */
  async function follow(line) {
    const mine = turn;
    for (const at of line) {
      draw();
      await new Promise((resolve) => setTimeout(resolve, PACE));
      if (mine !== turn) return false;
      shown = [...shown, at];
    }
    draw();
    return true;
  }

  function solved({ id }) {
    settle('solved', t(clean ? 'puzzle.solved' : 'puzzle.solved_helped'));
    keep({ do: 'solved', puzzle: id, clean });
    next.focus();
  }

  /** A wrong move or a hint: the streak ends. */
  function miss() {
    if (clean) keep({ do: 'missed' });
    clean = false;
  }

  async function keep(body) {
    try {
      const answer = await api.puzzles(body);
      progress = answer.progress;
      if (answer.unsaved) toast(t('puzzle.unsaved', { why: answer.unsaved }), 'warning');
    } catch {
      toast(t('puzzle.gone'), 'error');
    }
    draw();
  }

  /** First the shape, then the point. */
  async function giveHint() {
    if (phase === 'wrong') retry();
    if (phase !== 'ask' || !puzzle) return;
    const asking = puzzle;
    const answer = await question({ do: 'hint', moves });
    if (!answer) return;
    miss();
    hints += 1;
    const shape = t(`puzzle.shape_${answer.shape}`);
    help.textContent = hints > 1 ? t('puzzle.point', { at: answer.at }) : moves.length ? shape : `${t(`puzzle.kind_${asking.kind}`)} ${shape}`;
    if (hints > 1) point = answer.at;
    draw();
  }

  /** Plays the solution. */
  async function reveal() {
    if (!puzzle) return;
    miss();
    restart();
    const asking = puzzle;
    settle('busy', '');
    while (puzzle === asking && phase === 'busy') {
      const best = await question({ do: 'hint', moves });
      const answer = best && await question({ do: 'try', moves: [...moves, best.at] });
      if (!answer || !['right', 'solved'].includes(answer.verdict)) break;
      const { line } = answer;
      if (!(await follow([best.at, ...line]))) return;
      moves = [...moves, best.at, ...line];
      shown = [];
      if (answer.verdict === 'solved') settle('solved', t('puzzle.told'));
    }
    if (phase === 'busy') settle('ask', '');
  }

  /** All stones of the position, those of the puzzle's moves with numbers. */
  function stones() {
    if (!puzzle) return [];
    const first = puzzle.to_move;
    const start = labelsOf(puzzle.stones).map((at, index) => ({ at, side: index % 2 ? 'white' : 'black' }));
    const played = [...moves, ...shown];
    const numbered = played.map((at, index) => ({ at, side: index % 2 ? other(first) : first, label: String(index + 1), red: index + 1 === played.length }));
    return /** @type {any[]} */ ([...start, ...numbered]);
  }

  function draw() {
    const { solved } = progress;
    const all = chosen();
    score.textContent = t('puzzle.score', { done: all.filter((one) => one.id in solved).length, total: all.length, streak: progress.streak, best: progress.best });
    begin.hidden = Boolean(puzzle);
    begin.disabled = !all.length;
    next.hidden = !puzzle || phase === 'busy';
    next.textContent = t(phase === 'solved' ? 'puzzle.next' : 'puzzle.skip');
    next.classList.toggle('primary', phase === 'solved');
    again.hidden = phase !== 'wrong';
    for (const one of [hint, show]) one.hidden = !puzzle || phase === 'solved';
    for (const one of [hint, show]) one.disabled = phase === 'busy';
    leave.hidden = !puzzle;
    if (!puzzle || store.get('tab') !== 'puzzles') return;
    const turned = (moves.length + shown.length) % 2 === 1;
    board.overlay('puzzle', {
      stones: stones(), size: puzzle.size, blocked: [], to_move: turned ? other(puzzle.to_move) : puzzle.to_move,
      marks: point ? [{ at: point, shape: 'circle', tone: 'good' }] : phase === 'wrong' ? [{ at: shown[0], shape: 'cross', tone: 'bad' }] : [],
    });
  }

  store.watch('tab', (tab) => {
    if (tab === 'puzzles') load();
    else stop();
  });
  // Another position comes on the board: a step by a key, a move of the engine, a file, or another page.
  let here = '';
  store.watch('state', ({ game, node }) => {
    if (here && here !== `${game.id} ${node}`) stop();
    here = `${game.id} ${node}`;
  });
}
