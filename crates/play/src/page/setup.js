/**
 * The Setup tab: the person puts stones and blocked cells on the board freely, turns and shifts them, and plays or
 * analyses the position. While the tab is open the board shows the draft, and clicks on the board go to the draft.
 *
 * The draft is only a drawing: the server decides whether a game can start from it, and parses pasted text.
 */

import { el, set } from './dom.js';
import { button, choice, labelOf, other, point } from './parts.js';

const TOOLS = ['alternate', 'black', 'white', 'erase', 'block'];
/** Prefix of other engines in the list of levels. */
const OTHER = 'other:';
/** @type {[string, string][]} */
const SIZES = Array.from({ length: 21 }, (_, n) => [String(n + 5), String(n + 5)]);

/**
 * A position under construction. Stones and blocked cells are in the order in which they were put.
 * @typedef {{size: [number, number], rule: string, stones: Map<string, import('./types.js').Side>, blocked: Set<string>, to_move: import('./types.js').Side}} Draft
 */

/**
 * @param {HTMLElement} slot
 * @param {import('./types.js').Context} context
 */
export function mount(slot, context) {
  const { store, api, send, t, board, show, announce } = context;
  let draft = /** @type {Draft|null} */ (null);
  let tool = TOOLS[0];
  /** The game that the draft was copied from; an unchanged draft is replaced when another game is shown. */
  let taken = -1;
  let touched = false;

  const tools = el('fieldset', { class: 'tools' }, el('legend', {}, t('setup.tool')), ...TOOLS.map((name) =>
    el('label', { class: 'tool' }, el('input', { type: 'radio', name: 'setup-tool', value: name, prop: { checked: name === tool }, on: { change: () => { tool = name; } } }),
      el('span', { class: `tool-sign ${name}`, 'aria-hidden': 'true' }), el('span', {}, t(`setup.${name}`)))));
  const mover = choice(t('setup.to_move'), [['black', t('side.black')], ['white', t('side.white')]], (side) => edit((now) => { now.to_move = /** @type {import('./types.js').Side} */ (side); }));
  const width = choice(t('setup.width'), SIZES, resize);
  const height = choice(t('setup.height'), SIZES, resize);
  const rule = choice(t('setup.rule'), [], (name) => edit((now) => { now.rule = name; }));
  const counts = el('p', { class: 'readout' });
  const note = el('p', { class: 'setup-note', role: 'status' });
  /** @type {[string, string, () => void][]} */
  const moves = [
    ['rotate', '⟳', () => turn((x, y, _, h) => [h - 1 - y, x], true)],
    ['flip_across', '⇋', () => turn((x, y, w) => [w - 1 - x, y])],
    ['flip_down', '⥮', () => turn((x, y, _, h) => [x, h - 1 - y])],
    ['left', '←', () => turn((x, y) => [x - 1, y])],
    ['right', '→', () => turn((x, y) => [x + 1, y])],
    ['up', '↑', () => turn((x, y) => [x, y - 1])],
    ['down', '↓', () => turn((x, y) => [x, y + 1])],
  ];
  const turns = el('div', { class: 'panel-row turns', role: 'group', 'aria-label': t('setup.transform') }, ...moves.map(([name, sign, run]) =>
    button(sign, run, { 'aria-label': t(`setup.${name}`), title: t(`setup.${name}`) })));
  const text = el('textarea', { rows: 2, spellcheck: 'false', placeholder: 'h8i9j10 · SGF · psq' });
  const games = el('div', { class: 'chips' });
  const who = choice(t('setup.players'), ['black', 'white', 'persons', 'engines'].map((name) => [name, t(`setup.players_${name}`)]), () => draw());
  const level = choice(t('setup.level'), []);
  slot.append(el('section', { class: 'setup', 'aria-label': t('setup.title') },
    tools,
    el('div', { class: 'panel-row' }, mover.node, counts),
    turns,
    el('div', { class: 'panel-row' }, button(t('setup.from_board'), take), button(t('setup.clear'), clear)),
    el('div', { class: 'panel-row' }, rule.node, el('span', { class: 'together' }, width.node, height.node)),
    el('label', { class: 'field paste' }, el('span', {}, t('setup.paste')), text),
    el('div', { class: 'panel-row' }, button(t('setup.load'), load)), games, note,
    el('div', { class: 'panel-row' }, who.node, level.node),
    el('div', { class: 'panel-row' },
      button(t('setup.play'), () => begin(false), { class: 'primary' }), button(t('setup.analyse'), () => begin(true)))));

  const open = () => store.get('tab') === 'setup';

  /** Changes the draft. @param {(now: Draft) => void} change */
  function edit(change) {
    if (!draft) return;
    change(draft);
    touched = true;
    note.textContent = '';
    draw();
  }

  /** Copies the shown position into the draft. */
  function take() {
    const { game, board: shown } = store.get('state');
    draft = {
      size: game.size,
      rule: game.rule,
      stones: new Map(shown.stones.map(({ at, side }) => [at, side])),
      blocked: new Set(shown.blocked),
      to_move: shown.to_move,
    };
    taken = game.id;
    touched = false;
    note.textContent = '';
    draw();
  }

  function clear() {
    edit((now) => {
      now.stones.clear();
      now.blocked.clear();
      now.to_move = 'black';
    });
  }

  function resize() {
    edit((now) => {
      now.size = [Number(width.select.value), Number(height.select.value)];
      const inside = (at) => on(now.size, point(at, now.size[1]));
      for (const at of [...now.stones.keys()]) if (!inside(at)) now.stones.delete(at);
      for (const at of [...now.blocked]) if (!inside(at)) now.blocked.delete(at);
    });
  }

  const on = ([w, h], [x, y]) => x >= 0 && y >= 0 && x < w && y < h;

  /** Moves every stone and blocked cell; does nothing if one of them would leave the board. */
  function turn(map, swap = false) {
    if (!draft) return;
    const [w, h] = draft.size;
    const size = /** @type {[number, number]} */ (swap ? [h, w] : [w, h]);
    const places = [...draft.stones.keys(), ...draft.blocked].map((at) => map(...point(at, h), w, h));
    if (!places.every((place) => on(size, place))) {
      note.textContent = t('setup.edge');
      return;
    }
    const to = (at) => {
      const [x, y] = map(...point(at, h), w, h);
      return labelOf(x, y, size[1]);
    };
    edit((now) => {
      now.stones = new Map([...now.stones].map(([at, side]) => [to(at), side]));
      now.blocked = new Set([...now.blocked].map(to));
      now.size = size;
    });
  }

  /** Handles a click on the board. */
  function put(at) {
    edit((now) => {
      const was = now.stones.get(at) ?? (now.blocked.has(at) ? 'block' : null);
      const wanted = tool === 'alternate' ? now.to_move : tool;
      now.stones.delete(at);
      now.blocked.delete(at);
      if (tool === 'alternate' && was) {
        announce(t('setup.erased', { at }));
        return;
      }
      if (wanted !== 'erase' && was !== wanted) {
        if (wanted === 'block') now.blocked.add(at);
        else now.stones.set(at, /** @type {import('./types.js').Side} */ (wanted));
        if (tool === 'alternate') now.to_move = other(now.to_move);
        announce(`${at}: ${t(`setup.${wanted}`)}`);
      } else announce(t('setup.erased', { at }));
    });
  }

  function draw() {
    const shown = open() && draft;
    board.capture(shown ? put : null);
    board.overlay('setup', draft && open() ? {
      stones: [...draft.stones].map(([at, side]) => ({ at, side })),
      blocked: [...draft.blocked],
      size: draft.size,
      to_move: draft.to_move,
    } : null);
    if (!draft) return;
    const sides = [...draft.stones.values()];
    const black = sides.filter((side) => side === 'black').length;
    counts.textContent = t('setup.counts', { black, white: sides.length - black });
    mover.select.value = draft.to_move;
    [width.select.value, height.select.value] = draft.size.map(String);
    rule.select.value = draft.rule;
    level.node.hidden = who.select.value === 'persons';
  }

  /**
   * Sends the pasted text to the server for parsing. A single game is loaded at once, and its position becomes the
   * draft.
   */
  async function load() {
    games.replaceChildren();
    if (!text.value.trim() || !(await context.sure())) return;
    note.textContent = t('setup.reading');
    try {
      const before = store.get('state').game.id;
      touched = false;
      const answer = await api.importFile('pasted.txt', text.value);
      const found = answer.games;
      note.textContent = found.flatMap((game) => game.warnings).join(' ');
      if (answer.loaded || found.some((game) => game.loaded)) {
        if (store.get('state').game.id !== before) take();
        return;
      }
      note.textContent = t('setup.which');
      games.append(...found.map((game) => button(t('setup.game', game), () => send('load', { index: game.index }), { class: 'chip' })));
    } catch (error) {
      note.textContent = /** @type {Error} */ (error).message;
    }
  }

  /** Starts a game from the draft, or shows the server's reason for the refusal. */
  async function begin(analyse) {
    if (!draft || !(await context.sure())) return;
    const { game } = store.get('state');
    const person = (side) => ({ kind: 'person', name: game[side].kind === 'person' ? game[side].name : '' });
    const engine = () => (level.select.value.startsWith(OTHER)
      ? { kind: 'other', name: level.select.value.slice(OTHER.length) }
      : { kind: 'engine', level: level.select.value ? Number(level.select.value) : null });
    const seat = (side) => (analyse || who.select.value === 'persons' || who.select.value === side ? person(side) : engine());
    const start = {
      stones: [...draft.stones].map(([at, side]) => ({ at, side })),
      blocked: [...draft.blocked],
      to_move: draft.to_move,
    };
    try {
      await api.command('new', { rule: draft.rule, size: draft.size, opening: 'none', black: seat('black'), white: seat('white'), ...(analyse ? { study: true } : { assist: game.assist }), start });
      touched = false;
      note.textContent = '';
      show(analyse ? 'analysis' : 'game');
      if (analyse) send('analysis', { on: true });
    } catch (error) {
      note.textContent = t('setup.refused', { why: /** @type {Error} */ (error).message });
    }
  }

  store.watch('about', (about) => {
    rule.select.replaceChildren(...about.rules.map((name) => el('option', { value: name }, t(`rule.${name}`))));
    level.select.replaceChildren(...about.levels.map((each) => el('option', { value: each.level }, String(each.level))), el('option', { value: '' }, t('setup.full')),
      ...(about.engines ?? []).map((name) => el('option', { value: OTHER + name }, name)));
    set(level.select, { value: null });
    level.select.value = String(about.default_level);
    draw();
  });
  store.watch('state', (state) => {
    if (open() && state.game.id !== taken && !touched) take();
  });
  store.watch('tab', () => {
    const { game } = store.get('state') ?? {};
    if (open() && game && !(touched && draft)) take();
    else draw();
  });
}
