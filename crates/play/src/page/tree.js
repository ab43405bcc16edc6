/**
 * The variation tree, drawn: each branch is a column, the current node is always in view. Only what is in view has
 * elements, so a tree of thousands of nodes costs no more than a small one.
 *
 * It is one widget for the keyboard and for screen readers (role `tree`): the arrow keys follow the drawing.
 */

import { el, patch, set, svg } from './dom.js';
import { eachFrame, visitor, worth } from './parts.js';
import { clockText, moveName } from './status.js';
import { countAfter, layOut, pathTo, plant, rowsOfLine } from './tree-layout.js';

/** Size of a place in pixels, and the margin around the drawing. */
const WIDE = 76;
const HIGH = 30;
const MARGIN = 8;
/** The middle of a stone, from the left edge of its place. */
const MIDDLE = 13;
/** Room for value and time. */
const DETAILS = 124;
/** Rows and columns that are drawn beyond the edges of the view. */
const BEYOND = 2;

/** Signs of a review, by the grade of a move. */
const SIGNS = { blunder: '??', mistake: '?', inaccuracy: '?!' };

/**
 * The sign that a review gives each move: its grade, where a missed or allowed win is the worst of all, or `!` for the
 * move that finds a forced win.
 * @param {any} review the latest event `review`, or null
 * @param {number} game
 * @returns {Map<number, string>}
 */
export function signsOf(review, game) {
  const signs = new Map();
  if (!review || review.game !== game) return signs;
  const moves = review.moves;
  moves.forEach((move, index) => {
    const { node, side, grade, before, after, missed_win: missed, allowed_win: allowed } = move;
    const wins = (value) => value?.win?.side === side;
    const own = moves.slice(0, index).findLast((earlier) => earlier.side === side);
    if (grade || missed || allowed) signs.set(node, missed || allowed ? '??' : SIGNS[grade]);
    else if (wins(before) && wins(after) && after.win.plies > 1 && !wins(own?.after)) signs.set(node, '!');
  });
  return signs;
}

/**
 * @param {HTMLElement} slot
 * @param {import('./types.js').Context} context
 * @returns {{fold: (node: number) => void, isFolded: (node: number) => boolean}}
 */
export function mountTree(slot, context) {
  const { store, t } = context;
  const visit = visitor(context);
  const edges = svg('svg', { class: 'tree-edges', 'aria-hidden': 'true' }, svg('path', { class: 'tree-line' }), svg('path', { class: 'tree-line here' }));
  const layer = el('div', { class: 'tree-nodes', role: 'presentation' });
  const plane = el('div', { class: 'tree-plane', role: 'presentation' }, edges, layer);
  const view = el('div', { class: 'tree', role: 'tree', tabindex: 0, 'aria-label': t('moves.title') }, plane);
  const empty = el('p', { class: 'quiet tree-empty' }, t('moves.none'));
  slot.append(el('div', { class: 'tree-frame' }, view, empty));

  let nodes = plant(new Map());
  let layout = layOut(nodes, new Set());
  let signs = new Map();
  const folded = new Set();
  /** What the nodes and the layout were made of. */
  let rows = /** @type {any} */ (null);
  let made = '';
  /** The node that was scrolled to, in its layout: news of other kinds leave the view where the person has moved it. */
  let revealed = '';
  let game = -1;
  /** Values and times of the shown line, by node. */
  let line = new Map();
  let path = new Set();
  let asking = false;
  /** Where values and times stand, if no branch is there. */
  let details = 0;

  const current = () => store.get('state')?.node ?? 0;
  const place = (id) => layout.places.get(id);
  const soon = eachFrame(draw);

  /** Takes what the store has; the event `tree` comes before the state that needs it. */
  function refresh() {
    const state = store.get('state');
    if (!state) return;
    if (state.game.id !== game) folded.clear();
    game = state.game.id;
    const sent = store.get('tree');
    const whole = sent?.game === game && sent.rows.size > 0;
    if (!whole) {
      nodes = plant(rowsOfLine(state));
      rows = null;
    } else if (rows !== sent) {
      nodes = plant(sent.rows);
      rows = sent;
    }
    for (const id of pathTo(nodes, state.node).slice(0, -1)) folded.delete(id);
    const print = `${game} ${whole ? sent.version : state.rev} ${[...folded]}`;
    if (print !== made) layout = layOut(nodes, folded);
    made = print;
    line = new Map(state.line.map((move) => [move.node, move]));
    path = new Set([0, ...state.line.map((move) => move.node)]);
    // Neither signs nor values help while the person looks for mistakes.
    asking = Boolean(store.get('quiz'));
    const aside = pathTo(nodes, state.node).some((id) => id && nodes.get(nodes.get(id)?.parent ?? 0)?.children[0] !== id);
    if (store.get('aside') !== aside) store.set('aside', aside);
    signs = asking ? new Map() : signsOf(store.get('review'), game);
    empty.hidden = nodes.size > 1;
    set(plane, { 'data-nodes': nodes.size });
    plane.style.width = `${layout.columns * WIDE + 2 * MARGIN}px`;
    plane.style.height = `${layout.rows.length * HIGH + 2 * MARGIN}px`;
    const now = `${print} ${state.node}`;
    if (now !== revealed) reveal();
    draw();
  }

  /** Scrolls as little as needed to have the current node in view with its neighbours. */
  function reveal() {
    const at = place(current());
    if (!at || !view.clientHeight) return;
    revealed = `${made} ${current()}`;
    const keep = (scroll, start, size, room) => Math.max(start + size - room, Math.min(scroll, start));
    const [y, x] = [at.row * HIGH, at.column * WIDE];
    view.scrollTop = keep(view.scrollTop, Math.max(0, y - HIGH), 3 * HIGH + 2 * MARGIN, view.clientHeight);
    view.scrollLeft = keep(view.scrollLeft, Math.max(0, x - WIDE / 2), 2 * WIDE, view.clientWidth);
  }

  function draw() {
    if (!view.clientHeight) return;
    const range = (scroll, room, size, count) => [
      Math.max(0, Math.floor((scroll - MARGIN) / size) - BEYOND), Math.min(count - 1, Math.ceil((scroll + room) / size) + BEYOND)];
    const [top, bottom] = range(view.scrollTop, view.clientHeight, HIGH, layout.rows.length);
    const [left, right] = range(view.scrollLeft, view.clientWidth, WIDE, layout.columns);
    const items = [];
    details = view.scrollLeft + view.clientWidth - DETAILS;
    const lines = ['', ''];
    for (let row = top; row <= bottom; row += 1) {
      for (const id of layout.rows[row]) {
        const { column } = /** @type {{column: number}} */ (place(id));
        const from = place(nodes.get(id)?.parent ?? -1);
        if (from && column >= left && from.column <= right) lines[path.has(id) ? 1 : 0] += edge(from, { row, column });
        if (column >= left && column <= right) items.push(item(id, row, column));
      }
    }
    const at = place(current());
    if (at && !items.some(({ id }) => id === current())) items.push(item(current(), at.row, at.column));
    set(edges.firstChild, { d: lines[0] });
    set(edges.lastChild, { d: lines[1] });
    patch(layer, items, { key: ({ id }) => String(id), make, update });
    set(view, { 'aria-activedescendant': at ? `tree-${current()}` : null });
  }

  const middle = ({ row, column }) => [MARGIN + column * WIDE + MIDDLE, MARGIN + row * HIGH + HIGH / 2];

  /** Down in the same column, or to the right on the parent's row and then down. */
  function edge(from, to) {
    const [[x, y], [toX, toY]] = [middle(from), middle(to)];
    return from.column === to.column ? `M${x} ${y}V${toY}` : `M${x} ${y}H${toX - 8}q8 0 8 8V${toY}`;
  }

  function item(id, row, column) {
    const node = /** @type {import('./tree-layout.js').TreeNode} */ (nodes.get(id));
    const siblings = nodes.get(node.parent)?.children ?? [id];
    const shown = line.get(id);
    return {
      ...node, children: node.children.length, row, column, sign: signs.get(id) ?? '', here: id === current(), onPath: path.has(id),
      after: folded.has(id) ? countAfter(nodes, id) : 0, folded: folded.has(id), ...(shown ? whereMore(id, row, column) : {}),
      position: siblings.indexOf(id) + 1, siblings: siblings.length,
      value: shown?.value && !asking ? worth(t, shown.value, 'black', 0) : '', time: shown && shown.ms !== null ? clockText(shown.ms) : '',
    };
  }

  /** Where value and time stand: at the right of the view, or beside the node, or nowhere: another node would seem to have them. */
  function whereMore(id, row, column) {
    const isFree = (other) => (place(other)?.column ?? Infinity) !== column + 1;
    const ids = layout.rows[row];
    const alone = layout.ends[row] === column + 1 && ids.length === 1;
    const free = isFree(ids[ids.indexOf(id) + 1]) && Boolean(nodes.get(id)?.children.every(isFree));
    return { kind: alone ? '' : free ? 'beside' : 'unseen', more: alone ? Math.max(details - column * WIDE - MARGIN, WIDE) : WIDE };
  }

  function make({ id }) {
    return el('div', { role: 'treeitem', id: `tree-${id}`, 'data-node': id, on: { click: () => visit(id) } });
  }

  const nameOf = ({ id, name, side }) => (id === 0 ? t('graph.start') : side && typeof name === 'string' ? name : moveName({ at: null, choice: name }, t));

  function update(node, it) {
    const { side, number, sign, comment, after, value, time } = it;
    set(node, {
      class: `tree-node ${side ?? 'other'}${it.here ? ' here' : ''}${it.onPath ? ' path' : ''}`,
      'aria-level': it.depth + 1, 'aria-selected': String(it.here),
      'aria-setsize': it.siblings, 'aria-posinset': it.position, 'aria-expanded': it.children ? String(!it.folded) : null,
    });
    node.style.transform = `translate(${MARGIN + it.column * WIDE}px, ${MARGIN + it.row * HIGH}px)`;
    const more = el('span', { class: `tree-more ${it.kind ?? ''}` }, value && el('span', { class: 'value', text: value }), time && el('span', { class: 'time', text: time }));
    more.style.left = `${it.more}px`;
    // The signs are read out in words.
    const drawn = (name, text, words) => (text ? [el('span', { class: name, text, 'data-sign': sign, 'aria-hidden': 'true' }), words && el('span', { class: 'unseen', text: words })] : []);
    node.replaceChildren(...[
      el('span', { class: 'tree-stone', text: side ? String(number) : '', 'aria-hidden': 'true' }),
      side && el('span', { class: 'unseen', text: t('tree.move', { number, side: t(`side.${side}`) }) }),
      el('span', { class: 'at', text: nameOf(it) }),
      ...drawn('tree-sign', sign, sign && t(`sign.${sign}`)), ...drawn('has-comment', comment && '❝', t('moves.comment')),
      ...drawn('tree-after', after ? `+${after}` : '', t('tree.hidden', { nodes: after })),
      (value || time) && more,
    ].filter(Boolean));
  }

  function fold(id) {
    if (folded.has(id)) folded.delete(id);
    else if (nodes.get(id)?.children.length) folded.add(id);
    refresh();
  }

  /** The node beside this one in its row. */
  function beside(id, step) {
    const ids = layout.rows[place(id)?.row ?? 0] ?? [];
    return ids[ids.indexOf(id) + step];
  }

  view.addEventListener('keydown', (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const steps = { ArrowUp: 'back', ArrowDown: 'forward', Home: 'first', End: 'last', PageUp: 'back_ten', PageDown: 'forward_ten', Delete: 'delete' };
    const sides = { ArrowLeft: -1, ArrowRight: 1 };
    if (steps[event.key]) context.acts(steps[event.key]);
    else if (sides[event.key]) {
      context.send('goto', () => {
        const node = beside(current(), sides[event.key]);
        return node === undefined ? null : { node };
      });
    } else if (event.key === '*') {
      folded.clear();
      refresh();
    } else if (event.key === '-' || event.key === '+') {
      context.api.settled().then(() => {
        if ((event.key === '+') === folded.has(current())) fold(current());
      });
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  view.addEventListener('scroll', soon);
  new ResizeObserver(() => {
    reveal();
    draw();
  }).observe(view);
  for (const source of ['state', 'review', 'quiz']) store.watch(source, refresh);
  return { fold, isFolded: (id) => folded.has(id) };
}
