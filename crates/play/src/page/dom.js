/**
 * Creates and finds elements. Text enters the document only as text nodes and attributes, so text from a file or an
 * engine never becomes markup.
 */

const SVG = 'http://www.w3.org/2000/svg';

/**
 * An HTML element.
 * @param {string} tag
 * @param {Object<string, any>} [props] attributes; `class`, `text`, `on` (listeners by event) and `prop` (properties) are special;
 *   false, null and undefined leave an attribute out
 * @param {...(Node|string|null|undefined|false)} children
 * @returns {any}
 */
export function el(tag, props = {}, ...children) {
  return fill(document.createElement(tag), props, children);
}

/**
 * An SVG element; see {@link el}.
 * @param {string} tag
 * @param {Object<string, any>} [props]
 * @param {...(Node|string|null|undefined|false)} children
 * @returns {any}
 */
export function svg(tag, props = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

/**
 * @param {any} node
 * @param {Object<string, any>} props
 * @param {(Node|string|null|undefined|false)[]} children
 */
function fill(node, { text, on = {}, prop = {}, ...attributes }, children) {
  set(node, attributes);
  if (text !== undefined && text !== null) node.textContent = text;
  for (const [event, listener] of Object.entries(on)) node.addEventListener(event, listener);
  Object.assign(node, prop);
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/**
 * Sets attributes; false, null and undefined remove them.
 * @param {Element} node
 * @param {Object<string, any>} attributes
 */
export function set(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) node.removeAttribute(name);
    else node.setAttribute(name, value === true ? '' : String(value));
  }
}

/**
 * The element with this id, which the page must have.
 * @param {string} id
 * @returns {any}
 */
export function byId(id) {
  const node = document.getElementById(id);
  if (!node) throw new Error(`no element ${id}`);
  return node;
}

/**
 * Makes the children of a node match a list, and reuses the node of each key. The board and long lists are changed only
 * by this function, so nothing is rebuilt and nothing leaks.
 * @template T
 * @param {Element} parent
 * @param {T[]} items
 * @param {{key: (item: T, index: number) => string, make: (item: T) => Element, update?: (node: any, item: T) => void}} how
 *   `update` runs only if the item changed, as JSON
 */
export function patch(parent, items, { key, make, update = () => {} }) {
  const old = known.get(parent) ?? new Map();
  const now = new Map();
  let place = parent.firstChild;
  items.forEach((item, index) => {
    const name = key(item, index);
    const print = JSON.stringify(item);
    let entry = old.get(name);
    if (!entry) entry = { node: make(item), print: '' };
    if (entry.print !== print) update(entry.node, item);
    entry.print = print;
    if (entry.node === place) place = entry.node.nextSibling;
    else parent.insertBefore(entry.node, place);
    old.delete(name);
    now.set(name, entry);
  });
  for (const { node } of old.values()) node.remove();
  known.set(parent, now);
}

/** What {@link patch} put into each parent. */
const known = new WeakMap();
