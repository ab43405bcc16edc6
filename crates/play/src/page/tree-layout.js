/**
 * The variation tree as data, and its layout as a drawing: rows are plies from the start, columns are branches. A line
 * goes straight down in its column; its branches lie to the right of it. Pure functions, without recursion: a game may
 * have thousands of moves.
 */

/**
 * A node of the tree.
 * @typedef {object} TreeNode
 * @property {number} id
 * @property {number} parent -1 for the start
 * @property {string|number|{offer: string}|null} name label of the point, or the answer in an opening
 * @property {import('./types.js').Side|null} side
 * @property {number} number of the move, 0 before the first
 * @property {number} depth
 * @property {boolean} comment whether it has one
 * @property {number[]} children the main line first
 */

/** A row from the server: id, name, side, whether there is a comment, children. @typedef {[number, string|number|{offer: string}|null, string, number, number[]]} Row */

const SIDES = { b: /** @type {const} */ ('black'), w: /** @type {const} */ ('white') };

/**
 * The nodes that the start leads to.
 * @param {Map<number, Row>} rows
 * @returns {Map<number, TreeNode>}
 */
export function plant(rows) {
  const nodes = new Map();
  const add = (id, parent, number, depth) => {
    const [, name, letter, comment, children] = rows.get(id) ?? [id, null, '', 0, []];
    const side = SIDES[letter] ?? null;
    nodes.set(id, { id, parent, name, side, number: number + (side ? 1 : 0), depth, comment: Boolean(comment), children });
  };
  add(0, -1, 0, 0);
  // A map is visited in the order in which it grows.
  for (const { id, number, depth, children } of nodes.values()) for (const child of children) add(child, id, number, depth + 1);
  return nodes;
}

/**
 * The rows of the shown line and the moves beside it: all that is known of a tree that is too large to be sent.
 * @param {import('./types.js').State} state
 * @returns {Map<number, Row>}
 */
export function rowsOfLine(state) {
  const rows = new Map();
  const letter = (side) => (side === 'black' ? 'b' : side === 'white' ? 'w' : '');
  let parent = 0;
  rows.set(0, [0, null, '', 0, []]);
  for (const { node, at, choice, side, comment, siblings } of /** @type {any[]} */ (state.line)) {
    rows.get(parent)[4].push(node, ...siblings.map((branch) => branch.node));
    rows.set(node, [node, at ?? choice ?? null, choice ? '' : letter(side), comment ? 1 : 0, []]);
    for (const branch of siblings) rows.set(branch.node, [branch.node, branch.at ?? branch.choice ?? null, branch.choice ? '' : letter(side), 0, []]);
    parent = node;
  }
  rows.get(parent)[4].push(...state.children.map(({ node }) => node).filter((node) => !rows.has(node)));
  for (const { node, at } of state.children) if (!rows.has(node)) rows.set(node, [node, at, letter(state.board.to_move), 0, []]);
  return rows;
}

/**
 * @typedef {object} Layout
 * @property {Map<number, {row: number, column: number}>} places of the nodes that are drawn
 * @property {number[][]} rows ids in each row, from the left
 * @property {number[]} ends for each row, the first column to the right of everything
 * @property {number} columns
 */

/**
 * Gives each node its place. What follows a collapsed node has none.
 * @param {Map<number, TreeNode>} nodes
 * @param {Set<number>} collapsed
 * @returns {Layout}
 */
export function layOut(nodes, collapsed) {
  const places = new Map();
  /** @type {number[][]} */
  const rows = [];
  /** @type {number[]} */
  const ends = [];
  const children = (id) => (collapsed.has(id) ? [] : nodes.get(id)?.children ?? []);
  // Beginnings of lines. The deepest branch of a line is laid out first, next to the line, so that no edges cross.
  const begun = [{ id: 0, row: 0, column: 0 }];
  for (let next = begun.pop(); next; next = begun.pop()) {
    const { row } = next;
    let column = next.column;
    const line = [];
    for (let id = next.id; id !== undefined && nodes.has(id); [id] = children(id)) {
      column = Math.max(column, ends[row + line.length] ?? 0);
      line.push(id);
    }
    line.forEach((id, index) => {
      const at = row + index;
      places.set(id, { row: at, column });
      (rows[at] ??= []).push(id);
      ends[at] = column + 1;
      for (const branch of children(id).slice(1).reverse()) begun.push({ id: branch, row: at + 1, column: column + 1 });
    });
    // The edge from the parent's row.
    if (row > 0) ends[row - 1] = Math.max(ends[row - 1] ?? 0, column + 1);
  }
  return { places, rows, ends, columns: ends.reduce((most, end) => Math.max(most, end), 1) };
}

/**
 * The number of nodes after a node.
 * @param {Map<number, TreeNode>} nodes
 * @param {number} id
 */
export function countAfter(nodes, id) {
  const found = [...(nodes.get(id)?.children ?? [])];
  for (let index = 0; index < found.length; index += 1) found.push(...(nodes.get(found[index])?.children ?? []));
  return found.length;
}

/** The nodes from the start to a node. @param {Map<number, TreeNode>} nodes @param {number} id */
export function pathTo(nodes, id) {
  const path = [];
  for (let at = nodes.get(id); at; at = nodes.get(at.parent)) path.unshift(at.id);
  return path;
}
