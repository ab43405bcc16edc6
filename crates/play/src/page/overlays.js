/**
 * What the board shows: combines the state of the game, the view settings, and the overlays of the panels into the
 * model of board.js.
 */

import { lastStone } from './status.js';

/** View settings that affect the board. */
export const BOARD_VIEW = ['numbers', 'coordinates', 'edge', 'boardStyle', 'flip', 'forbidden', 'forbiddenWhite', 'threats', 'candidates', 'heat'];

/**
 * @param {{store: import('./types.js').Store, view: import('./types.js').Store, t: (key: string, values?: object) => string,
 *   draw: (model: import('./board.js').Model) => void}} needs
 */
export function createOverlays({ store, view, t, draw }) {
  const overlays = new Map();
  /** @type {{preview: any[], highlight: any, target: any, capture: any}} */
  const held = { preview: [], highlight: null, target: null, capture: null };
  /** @type {((at: string|null, steps: number) => boolean)[]} */
  const wheels = [];
  let pending = false;

  /** Draws once for all changes within one task. */
  const refresh = () => {
    if (pending || !store.get('state')) return;
    pending = true;
    queueMicrotask(() => {
      pending = false;
      draw(model({ state: store.get('state'), raw: store.get('raw'), overlays: [...overlays.values()], held, view, t }));
    });
  };
  const put = (name, value) => {
    if (held[name] === value) return;
    held[name] = value;
    refresh();
  };

  /** @type {import('./types.js').Board} */
  const board = {
    preview(moves, side) {
      const first = side ?? overlays.get('setup')?.to_move ?? store.get('state')?.board.to_move ?? 'black';
      const other = first === 'black' ? 'white' : 'black';
      put('preview', (moves ?? []).map((at, index) => ({ at, side: index % 2 ? other : first, label: String(index + 1) })));
    },
    overlay(name, data) {
      if (!data && !overlays.has(name)) return;
      if (data) overlays.set(name, data);
      else overlays.delete(name);
      refresh();
    },
    highlight: (at) => put('highlight', at),
    capture: (take) => put('capture', take),
    wheel: (take) => wheels.push(take),
  };
  return { board, held, refresh, turn: (at, steps) => wheels.some((take) => take(at, steps)), target: (at) => put('target', at), setup: () => [...overlays.values()].some((overlay) => overlay.stones) };
}

/** @returns {import('./board.js').Model} */
function model({ state, raw, overlays, held, view, t }) {
  const setup = overlays.find((overlay) => overlay.stones);
  const shown = raw ? [] : overlays;
  const all = (name) => shown.flatMap((overlay) => overlay[name] ?? []);
  const size = setup?.size ?? state.game.size;
  const stones = setup ? setup.stones.map((stone) => ({ label: '', red: false, ...stone, number: undefined })) : numbered(state, view.get('numbers'));
  const last = setup ? null : lastStone(state)?.at ?? null;
  const forbidden = raw || setup ? [] : forbiddenPoints(state, view);
  const threats = raw || setup || !view.get('threats') ? [] : state.board.threats;
  const lively = held.capture || state.can.place || setup;
  return {
    size,
    flip: view.get('flip'),
    coordinates: view.get('coordinates'),
    inside: view.get('edge') === 'inside',
    style: view.get('boardStyle'),
    stones,
    last,
    dot: !stones.some((stone) => stone.at === last && stone.label),
    row: setup ? [] : state.status.row ?? [],
    blocked: setup ? setup.blocked ?? [] : state.board.blocked,
    forbidden,
    threats,
    candidates: view.get('candidates') && !held.preview.length ? all('candidates') : [],
    roots: held.preview.length ? [] : all('roots'),
    marks: all('marks'),
    arrows: all('arrows'),
    ghosts: raw ? [] : [...held.preview, ...all('ghosts')].filter(firstAtPoint(stones)),
    target: held.target,
    highlight: raw ? null : held.highlight,
    ghostSide: lively ? setup?.to_move ?? state.board.to_move : null,
    label: t('board.label', { width: size[0], height: size[1] }),
    ...names({ size, stones: setup ? setup.stones : state.board.stones, state, forbidden, threats, t, setup }),
  };
}

/** Accepts each free point once. */
function firstAtPoint(stones) {
  const seen = new Set(stones.map((stone) => stone.at));
  return ({ at }) => !seen.has(at) && Boolean(seen.add(at));
}

/** The stones; those selected by the setting get numbers. */
function numbered(state, wanted) {
  const last = lastStone(state)?.number ?? 0;
  const played = state.line.slice(0, state.ply);
  const branch = played.findLast((move) => move.siblings.length)?.number ?? 1;
  const label = {
    none: () => '',
    last: (number) => (number && number === last ? number : ''),
    all: (number) => number || '',
    branch: (number) => (number >= branch ? number - branch + 1 : ''),
  }[wanted] ?? (() => '');
  return state.board.stones.map(({ at, side, number }) => ({ at, side, label: String(label(number)), red: number > 0 && number === last }));
}

function forbiddenPoints(state, view) {
  const black = state.board.to_move === 'black';
  if (!view.get('forbidden') || !state.game.assist.forbidden || state.status.kind !== 'running') return [];
  return black || view.get('forbiddenWhite') ? state.board.forbidden.map((point) => ({ ...point, dim: !black })) : [];
}

/** The texts for screen readers at each point, and the tooltips of forbidden points. */
function names({ size: [width, height], stones, state, forbidden, threats, t, setup }) {
  /** @type {Object<string, string>} */
  const words = {};
  /** @type {Object<string, string>} */
  const titles = {};
  const point = (at) => `${at[0]} ${at.slice(1)}`;
  for (let column = 0; column < width; column += 1) {
    for (let row = 1; row <= height; row += 1) {
      const at = String.fromCharCode(97 + column) + row;
      words[at] = t('cell.empty', { at: point(at) });
    }
  }
  for (const { at, side, kind } of threats) words[at] += t('cell.threat', { kind: t(`threat.${kind}`), side: t(`side.${side}`) });
  for (const { at, kind } of forbidden) {
    titles[at] = t(foulKey(kind));
    words[at] += t('cell.forbidden', { kind: titles[at] });
  }
  for (const at of setup ? setup.blocked ?? [] : state.board.blocked) words[at] = t('cell.blocked', { at: point(at) });
  for (const { at, side, number } of stones) {
    const values = { at: point(at), side: t(`side.${side}`), number };
    words[at] = t(number ? 'cell.move' : 'cell.stone', values);
  }
  return { names: words, titles };
}

/**
 * Key of the words for a kind of forbidden move.
 * @param {string} kind
 */
export function foulKey(kind) {
  return `foul.${kind.replace(' ', '_')}`;
}
