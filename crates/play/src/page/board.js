/**
 * The board as SVG. What is painted depends on the model alone, and each update patches the differences. One unit is
 * one cell. board-input.js handles pointers and keys; this module knows no game and no server.
 *
 * Each point has one transparent cell on top of everything, with its label in `data-at` and its name for screen
 * readers.
 */

import { el, patch, set, svg } from './dom.js';

/**
 * @typedef {object} Model
 * @property {[number, number]} size width and height
 * @property {boolean} flip seen from the other side
 * @property {boolean} coordinates
 * @property {boolean} inside whether the coordinates are between the lines instead of around them
 * @property {string} style of board and stones: `shaded`, `flat`, `print`
 * @property {{at: string, side: 'black'|'white', label: string, red: boolean}[]} stones
 * @property {string|null} last the last move
 * @property {boolean} dot whether the last move has a dot, because it shows no number
 * @property {string[]} row the winning row, in order
 * @property {string[]} blocked
 * @property {{at: string, kind: string, dim: boolean}[]} forbidden
 * @property {{at: string, side: 'black'|'white', kind: string}[]} threats
 * @property {import('./types.js').Candidate[]} candidates
 * @property {{at: string, state: string}[]} roots
 * @property {import('./types.js').Mark[]} marks
 * @property {import('./types.js').Arrow[]} arrows
 * @property {import('./types.js').Ghost[]} ghosts
 * @property {string|null} target a point chosen by touch that waits for its confirmation
 * @property {string|null} highlight
 * @property {'black'|'white'|null} ghostSide colour of the ghost under the pointer; null where no stone may be placed
 * @property {Object<string, string>} names the text for screen readers at each point
 * @property {Object<string, string>} titles the tooltips of some points
 * @property {string} label name of the whole board
 */

/** Layers from the bottom up. */
const LAYERS = ['ground', 'blocked', 'stones', 'last', 'win', 'threats', 'roots', 'forbidden', 'arrows', 'ghosts', 'candidates', 'marks', 'hover',
  'target', 'cells'];

/**
 * Where points are.
 * @param {[number, number]} size
 * @param {boolean} [flip]
 */
export function geometry([width, height], flip = false) {
  return {
    /** Centre of a point. */
    point(at) {
      const column = at.charCodeAt(0) - 97;
      const row = height - Number(at.slice(1));
      return flip ? { x: width - column, y: height - row } : { x: column + 1, y: row + 1 };
    },
    /** Label of the point nearest to a place, or null beyond the board. */
    label(x, y) {
      const [column, row] = flip ? [width - Math.round(x), height - Math.round(y)] : [Math.round(x) - 1, Math.round(y) - 1];
      if (column < 0 || row < 0 || column >= width || row >= height) return null;
      return String.fromCharCode(97 + column) + (height - row);
    },
  };
}

/** Labels of the star points: four, and the middle where there is one. */
export function starPoints([width, height]) {
  const inset = (length) => Math.floor(length / 5);
  const name = (column, row) => String.fromCharCode(97 + column) + (height - row);
  const columns = [inset(width), width - 1 - inset(width)];
  const rows = [inset(height), height - 1 - inset(height)];
  const stars = rows.flatMap((row) => columns.map((column) => name(column, row)));
  if (width % 2 && height % 2) stars.push(name((width - 1) / 2, (height - 1) / 2));
  return [...new Set(stars)];
}

/**
 * @param {Element} frame where the board goes
 * @returns {{root: SVGSVGElement, update: (model: Model) => void, hover: (at: string|null) => void, cell: (at: string) => any,
 *   setCursor: (at: string) => void, cursor: () => string, at: (clientX: number, clientY: number) => string|null}}
 */
export function createBoard(frame) {
  const layers = Object.fromEntries(LAYERS.map((name) => [name, svg('g', { class: name, 'aria-hidden': name === 'cells' ? null : 'true' })]));
  const root = svg('svg', { class: 'board', role: 'grid' }, shades(), ...Object.values(layers));
  // A style sheet that loads nothing cannot name these fills.
  for (const name of ['black', 'white', 'wood']) root.style.setProperty(`--fill-${name}`, `url(#fill-${name})`);
  layers.cells.setAttribute('role', 'presentation');
  frame.append(root);
  let model = null;
  let places = geometry([15, 15]);
  let hovered = null;
  let cursor = '';
  const cells = new Map();

  const cell = (at) => cells.get(at);
  const setCursor = (at) => {
    cell(cursor)?.setAttribute('tabindex', '-1');
    cursor = at;
    cell(at)?.setAttribute('tabindex', '0');
  };

  /** Draws what depends only on size and view. */
  const lay = () => {
    const [width, height] = model.size;
    const box = frameOf(model);
    places = geometry(model.size, model.flip);
    set(root, { viewBox: box.join(' '), 'data-style': model.style, 'aria-rowcount': height, 'aria-colcount': width });
    /** @type {HTMLElement} */ (frame).style.setProperty('--ratio', String(box[2] / box[3]));
    document.documentElement.style.setProperty('--ratio', String(box[2] / box[3]));
    drawGround(layers.ground, model, box, places);
    cells.clear();
    layers.cells.replaceChildren(...drawCells(model, places, cells));
    setCursor(cells.has(cursor) ? cursor : String.fromCharCode(97 + Math.floor(width / 2)) + Math.ceil(height / 2));
  };

  const showHover = () => {
    const free = model.ghostSide && hovered && !model.stones.some((stone) => stone.at === hovered);
    const wrong = free && model.forbidden.some((point) => point.at === hovered && !point.dim);
    for (const node of layers.forbidden.children) node.classList.toggle('grown', wrong && node.getAttribute('data-at') === hovered);
    const ghosts = free && !wrong && !model.blocked.includes(hovered) ? [{ at: hovered, side: model.ghostSide }] : [];
    patchStones(layers.hover, ghosts, places, 'ghost');
  };

  return {
    root,
    update(next) {
      const shape = (value) => value && JSON.stringify([value.size, value.flip, value.coordinates, value.inside, value.style]);
      const changed = shape(model) !== shape(next);
      model = next;
      if (changed) lay();
      set(root, { 'aria-label': next.label });
      drawLayers(layers, next, places);
      for (const [at, node] of cells) nameCell(node, next.names[at] ?? at, next.titles[at]);
      showHover();
    },
    hover(at) {
      hovered = at;
      if (model) showHover();
    },
    cell,
    setCursor,
    cursor: () => cursor,
    at(clientX, clientY) {
      const matrix = root.getScreenCTM();
      if (!matrix) return null;
      const place = new DOMPoint(clientX, clientY).matrixTransform(matrix.inverse());
      return places.label(place.x, place.y);
    },
  };
}

function nameCell(node, name, title) {
  if (node.getAttribute('aria-label') !== name) node.setAttribute('aria-label', name);
  if ((node.firstChild?.textContent ?? undefined) === title) return;
  node.replaceChildren(...(title ? [svg('title', { text: title })] : []));
}

/** The part of the plane that is shown. Outer coordinates have a margin of their own that no stone reaches. */
function frameOf({ size: [width, height], coordinates, inside }) {
  if (!coordinates || inside) return [0.42, 0.42, width + 0.16, height + 0.16];
  const top = height > 15 ? -0.15 : 0.42; // letters above tall boards only
  return [-0.15, top, width + 1.3, height + 1.15 - top];
}

/** The fills of the shaded style. */
function shades() {
  const stop = (offset, color) => svg('stop', { offset, 'stop-color': color });
  const stone = (id, ...stops) => svg('radialGradient', { id, cx: 0.36, cy: 0.3, r: 0.75 }, ...stops);
  return svg('defs', {},
    stone('fill-black', stop(0, '#70777b'), stop(0.35, '#34393c'), stop(1, '#0d0f10')),
    stone('fill-white', stop(0, '#ffffff'), stop(0.6, '#f6f4ef'), stop(1, '#cfcabf')),
    svg('linearGradient', { id: 'fill-wood', x1: 0, y1: 0, x2: 0.13, y2: 0.02, spreadMethod: 'reflect' },
      stop(0, '#e3bf83'), stop(0.35, '#dfb978'), stop(0.6, '#e6c48b'), stop(1, '#dcb573')));
}

/** Background, lines, star points, coordinates. */
function drawGround(layer, { size, flip, coordinates, inside = false }, box, places) {
  const [width, height] = size;
  const inner = [];
  for (let x = 2; x < width; x += 1) inner.push(`M${x} 1V${height}`);
  for (let y = 2; y < height; y += 1) inner.push(`M1 ${y}H${width}`);
  const star = (at) => {
    const { x, y } = places.point(at);
    return svg('circle', { class: 'star', cx: x, cy: y, r: 0.1 });
  };
  layer.replaceChildren(
    svg('rect', { class: 'wood', x: box[0], y: box[1], width: box[2], height: box[3], rx: 0.25 }),
    svg('path', { class: 'lines', d: inner.join('') }),
    svg('rect', { class: 'outer', x: 1, y: 1, width: width - 1, height: height - 1 }),
    ...starPoints(size).map(star),
    ...(coordinates ? (inside ? innerLabels : edgeLabels)(width, height, flip) : []),
  );
}

function edgeLabels(width, height, flip) {
  const text = (x, y, label) => svg('text', { class: 'edge', x, y, text: label });
  const labels = [];
  for (let column = 0; column < width; column += 1) {
    const letter = String.fromCharCode(65 + (flip ? width - 1 - column : column));
    labels.push(text(column + 1, height + 0.86, letter));
    if (height > 15) labels.push(text(column + 1, 0.14, letter));
  }
  for (let row = 0; row < height; row += 1) {
    const number = flip ? row + 1 : height - row;
    labels.push(text(0.14, row + 1, number), text(width + 0.86, row + 1, number));
  }
  return labels;
}

/** Coordinates in the corners of the outer cells. */
function innerLabels(width, height, flip) {
  const text = (x, y, label) => svg('text', { class: 'edge inner', x, y, text: label });
  const letters = Array.from({ length: width }, (_, column) => text(column + 1.2, height + 0.34, String.fromCharCode(65 + (flip ? width - 1 - column : column))));
  const numbers = Array.from({ length: height }, (_, row) => text(0.7, row + 0.72, flip ? row + 1 : height - row));
  return [...letters, ...numbers];
}

/** Rows of cells, and fills the map of cells by label. */
function drawCells({ size: [width, height] }, places, cells) {
  const rows = [];
  for (let y = 1; y <= height; y += 1) {
    const row = svg('g', { role: 'row', 'aria-rowindex': y });
    for (let x = 1; x <= width; x += 1) {
      const at = places.label(x, y) ?? '';
      const node = svg('rect', { class: 'cell', role: 'gridcell', 'aria-colindex': x, tabindex: -1, 'data-at': at, x: x - 0.5, y: y - 0.5,
        width: 1, height: 1 });
      cells.set(at, node);
      row.append(node);
    }
    rows.push(row);
  }
  return rows;
}

function drawLayers(layers, model, places) {
  const drawn = (name, items, make) => patchMarks(layers[name], items, places, make);
  patchStones(layers.stones, model.stones, places, 'stone');
  patchStones(layers.ghosts, model.ghosts, places, 'ghost');
  drawn('last', model.last ? [{ at: model.last, dot: model.dot }] : [], lastMark);
  drawn('blocked', model.blocked.map((at) => ({ at })), () => [svg('rect', { x: -0.5, y: -0.5, width: 1, height: 1 })]);
  drawn('forbidden', model.forbidden, ({ dim }) => [cross(0.22, dim ? 'halo dim' : 'halo'), cross(0.22, dim ? 'ink dim' : 'ink')]);
  drawn('threats', model.threats, threatMark);
  drawn('roots', model.roots, ({ state }) => [rootMark(state)]);
  drawn('candidates', model.candidates, candidateMark);
  drawn('marks', [...model.marks, ...(model.highlight ? [{ at: model.highlight, shape: 'circle', tone: 'accent' }] : [])], markShape);
  drawn('target', model.target ? [{ at: model.target }] : [], () => [
    svg('path', { class: 'halo', d: 'M-.75 0h1.5M0 -.75v1.5' }), svg('path', { class: 'ink', d: 'M-.75 0h1.5M0 -.75v1.5' })]);
  drawRow(layers.win, model.row, places);
  const full = new Set([...model.stones, ...model.ghosts, ...model.candidates].map(({ at }) => at));
  drawArrows(layers.arrows, model.arrows, places, full);
}

const transform = ({ x, y }) => `translate(${x} ${y})`;

function patchStones(layer, stones, places, name) {
  patch(layer, stones.map((stone) => ({ ...stone, ...places.point(stone.at) })), {
    key: (stone) => stone.at,
    make: (stone) => svg('g', { 'data-at': stone.at }, svg('circle', { class: 'shade', cx: 0.035, cy: 0.055, r: 0.47 }), svg('circle', { class: 'body', r: 0.47 }), svg('text')),
    update(node, { side, label, red, x, y }) {
      set(node, { class: `${name} ${side}${red ? ' red' : ''}`, transform: transform({ x, y }) });
      node.lastChild.textContent = label ?? '';
      node.lastChild.classList.toggle('long', String(label ?? '').length > 2);
    },
  });
}

/** A layer whose items are drawn around (0, 0) by `make` and moved to their points. */
function patchMarks(layer, items, places, make) {
  patch(layer, items.map((item) => ({ ...item, ...places.point(item.at) })), {
    key: (item, index) => `${item.at} ${item.side ?? item.shape ?? ''} ${item.text ?? ''}${layer.classList.contains('marks') ? index : ''}`,
    make: (item) => svg('g', { 'data-at': item.at }),
    update(node, item) {
      set(node, { transform: transform(item) });
      node.replaceChildren(...make(item));
    },
  });
}

export const cross = (arm, name) => svg('path', { class: name, d: `M${-arm} ${-arm}L${arm} ${arm}M${-arm} ${arm}L${arm} ${-arm}` });

const lastMark = ({ dot }) => [svg('circle', { class: 'ring', r: 0.47 }), dot && svg('circle', { class: 'dot', r: 0.15 })].filter(Boolean);

/** The state of a move in the search. */
export const rootMark = (state) => (state === 'lost' ? cross(0.1, 'lost') : svg('circle', { class: state, r: 0.13 }));

/** A five is a filled square, a four a ring, an open four two rings, a three a dashed ring. */
export function threatMark({ side, kind }) {
  const radius = side === 'black' ? 0.34 : 0.24;
  const ring = (r, name) => [svg('circle', { class: `edge-line ${name}`, r }), svg('circle', { class: `ink ${name}`, r })];
  const shapes = {
    five: () => [svg('rect', { class: 'five', x: -radius * 0.8, y: -radius * 0.8, width: radius * 1.6, height: radius * 1.6 })],
    open_four: () => [...ring(radius, ''), ...ring(radius - 0.13, '')],
    four: () => ring(radius, ''),
    three: () => ring(radius, 'dashed'),
  };
  return [svg('g', { class: side }, ...(shapes[kind] ?? shapes.three)())];
}

/**
 * A value on the board. The small stone at its upper left says whose it is.
 * @param {{klass: number, value: string, side?: string|null, depth?: string, rank?: number, sign?: string}} candidate
 */
export function candidateMark({ klass, value, side, depth, rank, sign }) {
  return [
    svg('circle', { class: `disc loss-${klass}`, r: 0.47 }),
    svg('text', { class: value.length > 2 ? 'value long' : 'value', y: depth ? -0.02 : 0.02, text: value }),
    depth ? svg('text', { class: 'depth', y: 0.3, text: depth }) : null,
    side ? svg('circle', { class: `owner ${side}`, cx: -0.36, cy: -0.36, r: 0.14 }) : null,
    rank || sign ? svg('circle', { class: 'badge', cx: 0.36, cy: -0.36, r: 0.17 }) : null,
    rank || sign ? svg('text', { class: 'rank', x: 0.36, y: -0.355, text: sign ?? rank }) : null,
  ].filter(Boolean);
}

function markShape({ shape, text, tone }) {
  const name = `tone-${tone ?? 'accent'}`;
  const twice = (tag, attributes) => [svg(tag, { class: 'halo', ...attributes }), svg(tag, { class: `ink ${name}`, ...attributes })];
  const shapes = {
    circle: () => twice('circle', { r: 0.4 }),
    square: () => twice('rect', { x: -0.34, y: -0.34, width: 0.68, height: 0.68 }),
    triangle: () => twice('path', { d: 'M0 -.42L.38 .26H-.38Z' }),
    dot: () => [svg('circle', { class: `dot ${name}`, r: 0.2 })],
    cross: () => [cross(0.25, 'halo'), cross(0.25, `ink ${name}`)],
    label: () => [svg('circle', { class: 'plate', r: 0.36 }), svg('text', { class: 'label', text })],
  };
  return (shapes[shape] ?? shapes.circle)();
}

/** The line through the winning row, and outlines of its stones. */
function drawRow(layer, row, places) {
  const points = row.map((at) => places.point(at));
  const line = points.length < 2 ? '' : `M${points[0].x} ${points[0].y}L${points[points.length - 1].x} ${points[points.length - 1].y}`;
  patch(layer, [...points.map((point) => ({ ...point, line: '' })), ...(line ? [{ x: 0, y: 0, line }] : [])], {
    key: (item, index) => (item.line ? 'line' : `stone ${index}`),
    make: (item) => (item.line ? svg('path', { class: 'line' }) : svg('circle', { class: 'outline', r: 0.47 })),
    update: (node, item) => set(node, item.line ? { d: item.line } : { cx: item.x, cy: item.y }),
  });
}

function drawArrows(layer, arrows, places, full) {
  patch(layer, arrows.map((arrow) => ({ ...arrow, full: full.has(arrow.to), a: places.point(arrow.from), b: places.point(arrow.to) })), {
    key: (arrow) => `${arrow.from} ${arrow.to}`,
    make: () => svg('path'),
    update: (node, { a, b, full: isFull, fade, tone }) => set(node, { class: `tone-${tone ?? 'accent'}`, d: arrowPath(a, b, isFull), opacity: 0.85 - 0.6 * (fade ?? 0) }),
  });
}

/** Outline of an arrow from beside a to b, or to the edge of what stands on b. */
function arrowPath(a, b, isFull) {
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const length = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [dx / length, dy / length];
  const at = (along, across) => `${(a.x + ux * along - uy * across).toFixed(3)} ${(a.y + uy * along + ux * across).toFixed(3)}`;
  const tip = length - (isFull ? 0.49 : 0.1);
  const [tail, neck] = [Math.min(0.49, length / 3), Math.max(tip - 0.35, length / 3)];
  return `M${at(tail, 0.07)}L${at(neck, 0.07)}L${at(neck, 0.22)}L${at(tip, 0)}L${at(neck, -0.22)}L${at(neck, -0.07)}L${at(tail, -0.07)}Z`;
}

/** A small picture of a board, for lists: stones only. */
export function thumbnail(size, stones) {
  const frame = el('div', { class: 'thumbnail', 'aria-hidden': 'true' });
  const places = geometry(size);
  const layer = svg('g');
  const box = frameOf({ size, coordinates: false, inside: false });
  const ground = svg('g');
  drawGround(ground, { size, flip: false, coordinates: false }, box, places);
  patchStones(layer, stones, places, 'stone');
  frame.append(svg('svg', { class: 'board', viewBox: box.join(' ') }, ground, layer));
  return frame;
}
