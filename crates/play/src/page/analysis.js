/**
 * The Analysis tab: live analysis of the shown position. It has a table of lines with previews on the board, switches
 * for the analysis overlays on the board, the opponent's threat, and moves that balance the position.
 *
 * All values come from the server. While a line is previewed, its row does not change, so that nothing moves under the
 * pointer. Events for other positions than the shown one are dropped.
 */

import { el, patch, set } from './dom.js';
import { icon } from './icons.js';
import { brief, button, check, choice, eachFrame, lossClass, other, points, short, worth, worthInWords } from './parts.js';
import { createSecond } from './second.js';
import { lastStone } from './status.js';

/** Number of moves of a line in the table. */
const MOVES = 14;
/** Sum of wheel deltas that makes a step, because touch pads send many small deltas. */
const NOTCH = 40;
/** Plies of the best line that are drawn as arrows. */
const ARROWS = 3;

/**
 * @param {HTMLElement} slot
 * @param {import('./types.js').Context} context
 */
export function mount(slot, context) {
  const { store, view, send, t, board, announce, toast, action } = context;
  /**
   * The previewed line: its row, the line at that time, the number of shown moves, and whether it stays when the
   * pointer leaves.
   */
  let pinned = /** @type {{row: number, line: any, moves: number, held: boolean}|null} */ (null);
  let wheel = 0;

  const state = () => store.get('state');
  const current = () => {
    const analysis = store.get('analysis');
    return analysis && state().analysis.on && analysis.node === state().node && !store.get('quiz') ? analysis : null;
  };
  /** The side of the first move of each line. */
  const mover = () => (state().analysis.threat ? other(state().board.to_move) : state().board.to_move);
  const viewer = () => (view.get('values') === 'mover' ? mover() : 'black');

  const power = el('button', { type: 'button', role: 'switch', class: 'switch', on: { click: toggle } }, t('analysis.on'));
  const lines = choice(t('analysis.lines'), Array.from({ length: 10 }, (_, n) => [String(n + 1), String(n + 1)]),
    (count) => send('analysis', { lines: Number(count) }));
  const readout = el('p', { class: 'readout' });
  const rows = el('tbody');
  /** @type {[string, (string|null)?][]} */
  const heads = [['analysis.rank', 'analysis.rank_short'], ['analysis.value'], ['analysis.depth', 'analysis.depth_short'], ['analysis.moves'], ['analysis.row_actions', null]];
  const table = el('table', { class: 'pv' },
    el('caption', { class: 'unseen' }, t('analysis.caption')), el('colgroup', {}, ...heads.map(() => el('col'))),
    el('thead', {}, el('tr', {}, ...heads.map(([name, brief = name]) => el('th', { scope: 'col', title: t(name) },
      brief === name ? t(name) : el('span', { 'aria-hidden': 'true' }, brief && t(brief)), brief !== name && el('span', { class: 'unseen' }, t(name)))))), rows);
  const idle = el('p', { class: 'quiet' });
  /** Has room for all lines from the start, so that what is below stays where it is. */
  const room = el('div', { class: 'pv-room' }, idle, table);
  const legend = el('button', { type: 'button', class: 'icon-button', 'data-do': 'legend', title: t('do.legend'), 'aria-label': t('do.legend'), on: { click: () => context.acts('legend') } }, icon('legend'));
  const avoided = el('div', { class: 'chips', role: 'group', 'aria-label': t('analysis.avoided') });
  const threat = button(t('analysis.threat'), showThreat, { 'aria-pressed': 'false' });
  const balance = [1, 2].map((moves) => button(t(`analysis.balance_${moves}`), () => askBalance(moves), { 'aria-label': `${t('analysis.balance')} ${t(`analysis.balance_${moves}`)}` }));
  const balanced = el('p', { class: 'answer', role: 'status' });
  const mineOnly = check(t('analysis.values_mover'), (on) => view.set('values', on ? 'mover' : 'black'));
  const switches = ['candidates', 'heat', 'arrows', 'threats', 'forbidden'].map((name) => {
    const { node, box } = check(t(`analysis.show_${name}`), (on) => view.set(name, on));
    view.watch(name, (on) => {
      box.checked = on;
      overlay();
    });
    return node;
  });
  const { threads, hash, engine } = engineSettings(context);

  slot.append(el('section', { class: 'analysis', 'aria-label': t('analysis.title') },
    el('div', { class: 'panel-row toolbar' }, power, lines.node, readout, legend),
    room,
    createSecond(context),
    el('div', { class: 'panel-row' }, threat, el('span', { class: 'together' }, el('span', { class: 'muted' }, t('analysis.balance')), ...balance)),
    el('div', { class: 'answers' }, balanced),
    el('fieldset', { class: 'switches' }, el('legend', {}, t('analysis.shown')), ...switches, mineOnly.node), engine, avoided));

  function toggle() {
    send('analysis', { on: !state().analysis.on });
  }

  function showThreat() {
    const on = !(state().analysis.on && state().analysis.threat);
    send('analysis', on ? { on: true, threat: true } : { threat: false });
  }

  async function askBalance(moves) {
    const answer = await send('balance', { moves });
    if (answer) balanced.textContent = t('analysis.balancing');
  }

  /** The lines in the table; the previewed line is unchanged. */
  function shownLines() {
    const analysis = current();
    if (!analysis) return [];
    return analysis.lines.map((line, row) => (pinned && pinned.row === row ? pinned.line : line));
  }

  function draw() {
    if (!state()) return;
    const analysis = current();
    const { on, threat: reversed, avoid } = state().analysis;
    set(power, { 'aria-checked': String(on) });
    set(threat, { 'aria-pressed': String(on && reversed) });
    lines.select.value = String(state().analysis.lines);
    room.style.setProperty('--lines', String(state().analysis.lines));
    readout.textContent = analysis ? reading(analysis) : '';
    table.hidden = !analysis?.lines.length;
    idle.hidden = !table.hidden;
    idle.textContent = t(store.get('quiz') ? 'analysis.quiz' : !on ? 'analysis.off' : state().thinking ? 'analysis.waits' : 'analysis.starts');
    patch(rows, shownLines().map((line) => ({ line, viewer: viewer(), mover: mover() })), { key: (_, row) => String(row), make, update });
    patch(avoided, avoid, { key: (at) => at, make: (at) => el('button', { type: 'button', class: 'chip', on: { click: () => consider(at) } }, t('analysis.consider', { at })) });
    avoided.hidden = !avoid.length;
    threads.value = String(state().settings.threads);
    hash.value = String(state().settings.hash_mb);
    mark();
    overlay();
  }

  function reading({ depth, seldepth, nodes, nps, done, book, stored }) {
    const parts = [`d ${depth}/${seldepth}`, `${short(nodes)} ${t('analysis.nodes')}`, `${short(nps)}/s`];
    if (done) parts.push(t('analysis.done'));
    if (stored) parts.push(t('analysis.stored'));
    if (book) parts.push(t('analysis.book', { at: book }));
    return parts.join(' · ');
  }

  function make() {
    const row = el('tr', {},
      el('th', { scope: 'row' }, el('button', { type: 'button', class: 'rank' })),
      el('td', { class: 'worth' }), el('td', { class: 'pv-depth' }), el('td', { class: 'pv-moves' }, el('div')),
      el('td', { class: 'row-actions' },
        button('+', () => adopt(indexOf(row)), { title: t('analysis.adopt'), 'aria-label': t('analysis.adopt') }),
        button('✕', () => avoid(indexOf(row)), { title: t('analysis.avoid'), 'aria-label': t('analysis.avoid') })));
    const index = () => indexOf(row);
    row.addEventListener('mouseenter', () => pin(index(), Infinity, false));
    row.addEventListener('mouseleave', () => pinned?.held || unpin());
    row.addEventListener('dblclick', () => adopt(index()));
    row.addEventListener('auxclick', (event) => event.button === 1 && adopt(index()));
    row.addEventListener('mousedown', (event) => event.button === 1 && event.preventDefault());
    const rank = row.querySelector('.rank');
    rank.addEventListener('focus', () => pin(index(), Infinity, false));
    rank.addEventListener('blur', () => pinned?.held || unpin());
    rank.addEventListener('click', () => pin(index(), Infinity, true));
    rank.addEventListener('keydown', (event) => {
      const by = { ArrowUp: -1, ArrowDown: 1, ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!by || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
        step(by);
    });
    const cell = row.querySelector('.pv-moves');
    cell.addEventListener('click', (event) => {
      const token = event.target.closest('button');
      if (token) pin(index(), [...token.parentNode.children].indexOf(token) + 1, true);
    });
    cell.addEventListener('wheel', (event) => {
      event.preventDefault();
      wheel += event.deltaY;
      if (Math.abs(wheel) < NOTCH) return;
      if (pinned?.row !== index()) pin(index(), Infinity, false);
      step(Math.sign(wheel));
      wheel = 0;
    }, { passive: false });
    return row;
  }

  const indexOf = (row) => [...rows.children].indexOf(row);

  function update(row, { line, viewer: side, mover: first }) {
    const rank = row.querySelector('.rank');
    const index = row.parentNode ? indexOf(row) : rows.childElementCount;
    rank.textContent = String(index + 1);
    set(rank, { 'aria-label': `${t('analysis.line', { rank: index + 1 })}: ${worthInWords(t, line.value)}. ${line.moves.join(' ')}` });
    const value = row.querySelector('.worth');
    value.textContent = worth(t, line.value, side);
    set(value, { class: `worth loss-${lossClass(line.loss)}`, title: line.loss >= 0.0005 ? t('analysis.loses', { loss: points(line.loss) }) : t('analysis.best') });
    row.querySelector('.pv-depth').textContent = line.value.win ? '' : String(line.value.depth);
    const tokens = line.moves.slice(0, MOVES).map((at, ply) => ({ at, side: ply % 2 ? other(first) : first }));
    patch(row.querySelector('.pv-moves > div'), tokens, {
      key: (_, ply) => String(ply),
      make: () => el('button', { type: 'button', tabindex: -1 }),
      update: (node, { at, side: stone }) => set(Object.assign(node, { textContent: at }), { class: `token ${stone}` }),
    });
  }

  function pin(row, moves, held) {
    const line = pinned !== null && pinned.row === row ? pinned.line : current()?.lines[row];
    if (!line) return;
    if (pinned?.held && !held && pinned.row === row) return;
    pinned = { row, line, moves: Math.min(moves, line.moves.length), held };
    board.preview(line.moves.slice(0, pinned.moves), mover());
    // Draws the whole table: newer data may have arrived since it was drawn.
    draw();
  }

  function unpin() {
    if (!pinned) return;
    pinned = null;
    board.preview(null);
    draw();
  }

  function step(by) {
    if (!pinned) return;
    const moves = Math.max(1, Math.min(pinned.line.moves.length, pinned.moves + by));
    pin(pinned.row, moves, true);
    announce(pinned.line.moves[moves - 1]);
  }

  /** Marks the previewed row and move in the table. */
  function mark() {
    [...rows.children].forEach((row, index) => {
      const here = pinned?.row === index;
      row.classList.toggle('pinned', here);
      [...row.querySelectorAll('.token')].forEach((token, ply) => token.classList.toggle('shown', here && ply < (pinned?.moves ?? 0)));
    });
  }

  async function adopt(row) {
    const line = pinned !== null && pinned.row === row ? pinned.line : current()?.lines[row];
    if (!line) return;
    if (state().analysis.threat) {
      toast(t('analysis.adopt_threat'), 'warning');
      return;
    }
    const moves = line.moves.slice(0, pinned !== null && pinned.row === row ? pinned.moves : MOVES);
    if (await send('add_line', { node: state().node, moves })) toast(t('analysis.adopted', { moves: moves.join(' ') }));
  }

  function avoid(row) {
    const at = shownLines()[row]?.moves[0];
    if (at) send('analysis', { avoid: [...new Set([...state().analysis.avoid, at])] });
  }

  function consider(at) {
    send('analysis', { avoid: state().analysis.avoid.filter((avoided) => avoided !== at) });
  }

  /** The analysis overlay on the board; empty while the board shows a preview or a proof. */
  function overlay() {
    const analysis = state() ? current() : null;
    if (!analysis || pinned || store.get('proving')) {
      board.overlay('analysis', null);
      return;
    }
    board.overlay('analysis', {
      candidates: view.get('candidates') ? analysis.lines.filter((line) => line.moves.length).map(candidate) : [],
      roots: view.get('heat') ? analysis.roots : [],
      arrows: view.get('arrows') && analysis.lines.length ? arrows(analysis.lines[0].moves) : [],
    });
  }

  function candidate(line, row) {
    const { value, loss, moves } = line;
    return {
      at: moves[0],
      klass: lossClass(loss),
      ...candidateValue(value),
      depth: String(value.depth),
      rank: row + 1,
      sign: value.win ? (value.win.side === mover() ? '★' : '✕') : undefined,
    };
  }

  function candidateValue(value) {
    const { side, text } = brief(t, value, viewer());
    return { value: text, side };
  }

  function arrows(moves) {
    const last = lastStone(state())?.at;
    const points = [...(last ? [last] : []), ...moves.slice(0, ARROWS)];
    return points.slice(1).map((to, index) => ({ from: points[index], to, fade: index / (ARROWS + 1) }));
  }

  /** A balance answer names its node; an answer for another node than the shown one is dropped. */
  store.watch('balance', (answer) => {
    if (!answer) return;
    balanced.replaceChildren();
    if (!state() || answer.node !== state().node) return;
    if (!answer.moves.length) {
      balanced.textContent = t('analysis.no_balance');
      return;
    }
    const show = () => board.preview(answer.moves, state().board.to_move);
    const hide = () => board.preview(null);
    balanced.append(
      el('button', { type: 'button', class: 'link', on: { mouseenter: show, focus: show, mouseleave: hide, blur: hide, click: show } }, answer.moves.join(' ')),
      ` ${worthInWords(t, answer.value)} `,
      button(t('analysis.adopt_short'), () => send('add_line', { node: answer.node, moves: answer.moves })));
  });

  let shownAt = '';
  store.watch('state', (now) => {
    const place = `${now.game.id}/${now.node}/${now.analysis.threat}`;
    if (place !== shownAt) {
      balanced.replaceChildren();
      if (pinned) unpin();
    }
    shownAt = place;
    draw();
  });
  store.watch('analysis', eachFrame(draw));
  store.watch('quiz', draw);
  store.watch('proving', overlay);
  view.watch('values', (values) => {
    mineOnly.box.checked = values === 'mover';
    draw();
  });
  // Runs before the frame's key handler, where Escape also ends the analysis.
  document.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !pinned) return;
    event.preventDefault();
    unpin();
  }, { capture: true });
  board.wheel((point, steps) => {
    if (store.get('proving')) return false;
    if (pinned?.line.moves.slice(0, pinned.moves).includes(point)) {
      step(Math.sign(steps));
      return true;
    }
    const row = (current()?.lines ?? []).findIndex((line) => line.moves[0] === point);
    if (row < 0 || steps < 0) return false;
    pin(row, 1, true);
    return true;
  });

  action('analyse', toggle);
  action('threat', showThreat);
  action('balance_one', () => askBalance(1));
  action('balance_two', () => askBalance(2));
  action('preview_line', (event) => {
    const row = Number(event?.key) - 1;
    const line = current()?.lines[row];
    if (!line) toast(t('analysis.no_line'));
    else if (pinned?.held && pinned.row === row && !state().analysis.threat) send('move', { at: pinned.line.moves[0] });
    else {
      pin(row, Infinity, true);
      announce(`${t('analysis.line', { rank: row + 1 })}: ${worthInWords(t, line.value)}. ${line.moves.join(' ')}`);
    }
  });
}

/**
 * Threads and table of the engine, folded away.
 * @param {import('./types.js').Context} context
 */
function engineSettings({ store, send, t }) {
  const threads = choice(t('analysis.threads'), [], (value) => send('settings', { threads: Number(value) }));
  const sizes = [16, 32, 64, 128, 256, 512, 1024, 2048, 4096];
  const hash = choice(t('analysis.hash'), sizes.map((size) => [String(size), `${size} MiB`]), (value) => send('settings', { hash_mb: Number(value) }));
  store.watch('state', ({ settings }) => {
    for (let count = threads.select.options.length + 1; count <= Math.max(settings.processors, settings.threads); count++) {
      threads.select.append(el('option', { value: count }, String(count)));
    }
    if (!sizes.includes(settings.hash_mb)) {
      sizes.push(settings.hash_mb);
      hash.select.append(el('option', { value: settings.hash_mb }, `${settings.hash_mb} MiB`));
    }
  });
  const engine = el('details', { class: 'engine' }, el('summary', {}, t('analysis.engine')), el('div', { class: 'panel-row' }, threads.node, hash.node));
  return { threads: threads.select, hash: hash.select, engine };
}
