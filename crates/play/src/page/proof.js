/**
 * The proof player: asks the solver whether a side has a forced win, and plays the winning line on the board. Where the
 * defender is to move, the person can try each defence; each one is a separate request to the solver.
 *
 * It shows a win only if the server proves it, and distinguishes "there is none" from "not settled". The stones are
 * numbered ghosts: the game itself does not change until the line is added to its tree.
 */

import { el, patch, set } from './dom.js';
import { button, choice, other } from './parts.js';

/** Time of a move when the line plays by itself, in milliseconds. */
const PACE = 1100;
/** Delay before the defences of a position are requested, so that quick steps send no requests. */
const REST = 250;

/**
 * A question to the solver.
 * @typedef {{node: number, after: string[], attacker: import('./types.js').Side, means: string}} Question
 */

/** @param {Question} question */
const keyOf = ({ node, after, attacker, means }) => [node, attacker, means, ...after].join(' ');

/**
 * @param {HTMLElement} slot
 * @param {import('./types.js').Context} context
 */
export function mount(slot, { store, send, t, board, toast }) {
  /** The first answer with a win, which the player plays. */
  let root = /** @type {any} */ (null);
  /** Moves after `root.node`, and how many of them are shown. */
  let path = /** @type {string[]} */ ([]);
  let step = 0;
  /** Answers by the key of their question. */
  const answers = new Map();
  /** The question that waits for an answer, and whether the answer replaces the line. */
  let pending = /** @type {{key: string, job: number|null, takes: boolean}|null} */ (null);
  let timer = 0;
  let resting = 0;
  let game = -1;

  const attacker = choice(t('proof.attacker'), [['black', t('side.black')], ['white', t('side.white')]], forget);
  const means = choice(t('proof.means'), ['any', 'threats', 'fours'].map((name) => [name, t(`proof.means_${name}`)]), forget);
  const ask = button(t('proof.ask'), () => question([], true), { class: 'primary' });
  const stop = button(t('proof.cancel'), () => pending?.job && send('cancel', { job: pending.job }));
  const found = button('', showFound, { class: 'link' });
  const verdict = el('p', { class: 'verdict', role: 'status' });
  const note = el('p', { class: 'quiet' });
  const moves = el('div', { class: 'tokens', role: 'group', 'aria-label': t('proof.line') });
  const play = button('', () => (timer ? pause() : start()));
  const buttons = {
    first: button('«', () => show(root.after.length), { 'aria-label': t('proof.first'), title: t('proof.first') }),
    back: button('‹', () => show(step - 1), { 'aria-label': t('proof.back'), title: t('proof.back') }),
    next: button('›', () => show(step + 1), { 'aria-label': t('proof.next'), title: t('proof.next') }),
    last: button('»', () => show(path.length), { 'aria-label': t('proof.last'), title: t('proof.last') }),
  };
  const defences = el('div', { class: 'chips', role: 'group', 'aria-label': t('proof.defences') });
  const heading = el('p');
  const defend = el('div', { class: 'defend' }, heading, defences);
  const elsewhere = button(t('proof.return'), () => send('goto', { node: root.node }));
  const adopt = button(t('proof.adopt'), async () => {
    if (await send('add_line', { node: root.node, moves: path })) toast(t('analysis.adopted', { moves: path.join(' ') }));
  });
  const close = button(t('proof.close'), forget);
  const player = el('div', { class: 'proof-player' }, moves,
    el('div', { class: 'panel-row steps' }, buttons.first, buttons.back, play, buttons.next, buttons.last), defend,
    el('div', { class: 'panel-row' }, adopt, elsewhere, close));
  slot.append(el('section', { class: 'proof', 'aria-label': t('proof.title') }, el('h3', {}, t('proof.title')),
    el('div', { class: 'panel-row' }, attacker.node, means.node, ask, stop), found, verdict, note, player));

  /** The side to move after this number of moves of the path. */
  function moverAt(ply) {
    const first = root.after.length % 2 ? other(root.to_move) : root.to_move;
    return ply % 2 ? other(first) : first;
  }

  /** Asks about the position after these moves; with `takes` the line of the answer replaces the played line. */
  async function question(after, takes) {
    const node = after.length ? root.node : store.get('state').node;
    const asked = { node, after, attacker: /** @type {import('./types.js').Side} */ (attacker.select.value), means: means.select.value };
    const key = keyOf(asked);
    if (takes && !after.length) drop();
    const known = answers.get(key);
    if (known && known.verdict !== 'unknown') {
      if (takes) take(known);
      draw();
      return;
    }
    pending = { key, job: null, takes };
    draw();
    const reply = await send('prove', asked);
    if (pending?.key !== key) return;
    pending = reply ? { ...pending, job: reply.job } : null;
    draw();
  }

  /** Plays the line of an answer. If the answer has no win, it shows that and the player stays where it is. */
  function take(answer) {
    const after = answer.after.length;
    if (answer.verdict !== 'win') {
      pause();
      if (after) note.textContent = t(`proof.after_${answer.verdict}`, { at: answer.after[after - 1] });
      else verdict.textContent = t(`proof.${answer.verdict}_${answer.means}`, { side: t(`side.${answer.attacker}`) });
      return;
    }
    if (!after) root = answer;
    path = [...answer.after, ...answer.line];
    note.textContent = after && !answer.over ? t('proof.after_win', { at: answer.after[after - 1], plies: answer.line.length }) : '';
    verdict.textContent = t('proof.win', { side: t(`side.${root.attacker}`), plies: root.line.length, means: t(`proof.by_${root.means}`) });
    show(after);
  }

  function show(ply) {
    step = Math.max(0, Math.min(path.length, ply));
    if (step === path.length) pause();
    clearTimeout(resting);
    resting = window.setTimeout(rest, REST);
    draw();
  }

  /** Requests the defences of the shown position after the delay. */
  function rest() {
    if (!root || timer || pending || !here() || step === path.length || moverAt(step) === root.attacker) return;
    if (!answers.has(keyOf({ ...root, after: path.slice(0, step) }))) question(path.slice(0, step), false);
  }

  function start() {
    if (step === path.length) step = root.after.length;
    note.textContent = '';
    timer = window.setInterval(() => show(step + 1), PACE);
    show(step + 1);
  }

  function pause() {
    clearInterval(timer);
    timer = 0;
    if (root) draw();
  }

  function drop() {
    clearInterval(timer);
    timer = 0;
    root = null;
    path = [];
    step = 0;
    note.textContent = '';
    verdict.textContent = '';
  }

  function forget() {
    if (pending?.job) send('cancel', { job: pending.job });
    pending = null;
    drop();
    draw();
  }

  /** Whether the board shows the position where the proof begins, and the panel is open. */
  function here() {
    return root && store.get('state').node === root.node && (store.get('tab') ?? 'analysis') === 'analysis';
  }

  function draw() {
    const state = store.get('state');
    if (!state) return;
    stop.hidden = !pending;
    ask.disabled = Boolean(pending?.takes);
    if (pending?.takes) (root ? note : verdict).textContent = t('proof.searching');
    player.hidden = !root;
    drawFound();
    const shown = Boolean(here());
    if (root) drawPlayer(state);
    if (store.get('proving') !== shown) store.set('proving', shown);
    board.overlay('proof', shown ? {
      ghosts: path.slice(0, step).map((at, ply) => ({ at, side: moverAt(ply), label: String(ply + 1) })),
      marks: shownDefences().map((at) => ({ at, shape: 'circle', tone: 'second' })),
    } : null);
  }

  function drawPlayer(state) {
    const there = state.node === root.node;
    elsewhere.hidden = there;
    play.textContent = t(timer ? 'proof.pause' : 'proof.play');
    for (const control of [play, ...Object.values(buttons)]) control.disabled = !there;
    if (there) {
      buttons.first.disabled = step === 0;
      buttons.back.disabled = step === 0;
      buttons.next.disabled = step === path.length;
      buttons.last.disabled = step === path.length;
    }
    patch(moves, path.map((at, ply) => ({ at, side: moverAt(ply), shown: ply < step, last: ply === step - 1 })), {
      key: (_, ply) => String(ply),
      make: () => el('button', { type: 'button', on: { click: (event) => show([...moves.children].indexOf(event.currentTarget) + 1) } }),
      update: (node, { at, side, shown, last }) => set(Object.assign(node, { textContent: at }),
        { class: `token ${side}${shown ? ' shown' : ''}`, 'aria-current': last ? 'step' : null }),
    });
    const others = there ? shownDefences() : [];
    defend.hidden = !others.length;
    heading.textContent = t(others.length > 1 ? 'proof.defences' : 'proof.no_defence');
    patch(defences, others.map((at) => ({ at, chosen: at === path[step] })), {
      key: ({ at }) => at,
      make: ({ at }) => button(at, () => answer(at), { class: 'chip' }),
      update: (node, { chosen }) => set(node, { 'aria-pressed': String(chosen) }),
    });
  }

  /** The defences that the server lists for the shown position; the one on the line comes first. */
  function shownDefences() {
    if (!root || timer) return [];
    const answer = answers.get(keyOf({ ...root, after: path.slice(0, step) }));
    if (!answer || !path[step] || moverAt(step) === root.attacker) return [];
    return [...new Set([path[step], ...answer.defences])];
  }

  /** Tries a defence: the one on the line is just a step, any other one is sent to the solver. */
  function answer(at) {
    pause();
    if (at === path[step]) show(step + 1);
    else question([...path.slice(0, step), at], true);
  }

  /** Offers the player if the analysis has proven a win. */
  function drawFound() {
    const state = store.get('state');
    const analysis = store.get('analysis');
    const win = analysis && analysis.node === state.node && state.analysis.on && !state.analysis.threat && !store.get('quiz')
      ? analysis.lines[0]?.value.win : null;
    found.hidden = !win || Boolean(root) || Boolean(pending);
    if (win) found.textContent = t('proof.found', { side: t(`side.${win.side}`), plies: win.plies });
    found.dataset.side = win?.side ?? '';
  }

  function showFound() {
    attacker.select.value = found.dataset.side ?? 'black';
    means.select.value = 'any';
    question([], true);
  }

  board.wheel((_, steps) => {
    if (!here()) return false;
    pause();
    show(step + Math.sign(steps));
    return true;
  });
  store.watch('proof', (event) => {
    if (!event) return;
    const key = keyOf(event);
    answers.set(key, event);
    if (pending?.key === key) {
      const { takes } = pending;
      pending = null;
      if (takes) take(event);
      draw();
    }
  });
  let node = -1;
  store.watch('state', (state) => {
    if (state.game.id !== game) {
      game = state.game.id;
      answers.clear();
      forget();
      node = -1;
    }
    if (state.node !== node) {
      if (timer) pause();
      if (!root && !pending) {
        verdict.textContent = '';
        attacker.select.value = state.board.to_move;
      }
    }
    node = state.node;
    draw();
  });
  store.watch('tab', (tab) => {
    if (tab !== 'analysis' && timer) pause();
    draw();
  });
  store.watch('analysis', drawFound);
  store.watch('quiz', drawFound);
}
