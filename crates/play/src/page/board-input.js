/**
 * Pointers and keys on the board, translated into requests: place here, one ply back, jump there. The caller decides
 * what to do with them.
 *
 * While the board has the focus the arrow keys move the cursor, so Alt and the arrows navigate the game there. After
 * the letter of a column the module waits a moment for a row. If none follows, the letter is an ordinary key.
 */

/** How long a letter waits for its row, and a row for another digit, in milliseconds. */
const TYPING = 700;

/** Sum of wheel movement that makes a step, in pixels, because track-pads send many small movements. */
const NOTCH = 60;

/**
 * @typedef {object} Wishes
 * @property {(at: string, event: Event) => void} place
 * @property {(at: string) => void} jump to the move that put this stone
 * @property {() => void} back
 * @property {(steps: number, at: string|null) => void} step by the wheel
 * @property {(at: string|null) => void} hover
 * @property {(at: string|null) => void} target a point to be confirmed
 * @property {(drawing: {from: string, to: string, shape: 'arrow'|'circle'|'label', second: boolean}) => void} draw
 * @property {() => 'direct'|'confirm'|'slide'} touch how fingers place stones
 * @property {(event: KeyboardEvent) => void} key a key that the board does not use
 */

/**
 * @param {ReturnType<typeof import('./board.js').createBoard>} board
 * @param {Wishes} wishes
 * @returns {{forget: () => void}} drops a point that waits for its confirmation
 */
export function listenToBoard(board, wishes) {
  const forget = listenToPointers(board, wishes);
  listenToWheel(board, wishes);
  listenToKeys(board, wishes);
  return { forget };
}

function listenToPointers(board, wishes) {
  const { root } = board;
  const under = (event) => event.target.closest?.('[data-at]')?.dataset.at ?? null;
  let pressed = null; // the point of the right button, or of the sliding finger
  let target = null;
  let slid = false;

  const aim = (at) => {
    target = at;
    wishes.target(at);
  };
  const aboveFinger = (event) => {
    const cell = root.getBoundingClientRect().width / (root.viewBox.baseVal.width || 1);
    return board.at(event.clientX, event.clientY - 2 * cell);
  };

  root.addEventListener('mousedown', (event) => event.preventDefault()); // the mouse does not take the focus
  root.addEventListener('contextmenu', (event) => event.preventDefault());
  root.addEventListener('pointerover', (event) => wishes.hover(event.pointerType === 'touch' ? null : under(event)));
  root.addEventListener('pointerleave', () => wishes.hover(null));
  root.addEventListener('pointerdown', (event) => {
    slid = false;
    if (event.button === 2) pressed = under(event);
    if (event.pointerType === 'touch' && wishes.touch() === 'slide') {
      root.setPointerCapture(event.pointerId);
      slid = true;
      aim(aboveFinger(event));
    }
  });
  root.addEventListener('pointermove', (event) => {
    if (slid) aim(aboveFinger(event));
  });
  root.addEventListener('pointercancel', () => {
    slid = false;
    aim(null);
  });
  root.addEventListener('pointerup', (event) => {
    if (slid && target) wishes.place(target, event);
    if (slid) aim(null);
    if (event.button !== 2 || !pressed) return;
    const to = board.at(event.clientX, event.clientY);
    if (to && to !== pressed) wishes.draw({ from: pressed, to, shape: 'arrow', second: event.shiftKey });
    else if (to && event.ctrlKey) wishes.draw({ from: to, to, shape: 'circle', second: event.shiftKey });
    else if (to) wishes.back();
    pressed = null;
  });
  root.addEventListener('click', (event) => {
    const at = under(event);
    if (!at || slid) return;
    if (event.shiftKey) wishes.jump(at);
    else if (event.ctrlKey) wishes.draw({ from: at, to: at, shape: 'label', second: false });
    else if (wishes.touch() !== 'confirm' || target === at || !event.detail) {
      aim(null);
      wishes.place(at, event);
    } else aim(at);
  });
  return () => target && aim(null);
}

function listenToWheel(board, wishes) {
  let residue = 0;
  let since = 0;
  board.root.addEventListener('wheel', (event) => {
    if (event.ctrlKey) return; // zoom
    event.preventDefault();
    if (event.timeStamp - since > 250) residue = 0;
    since = event.timeStamp;
    residue += event.deltaMode ? event.deltaY * 40 : event.deltaY;
    const steps = Math.trunc(residue / NOTCH);
    residue = steps ? 0 : residue;
    if (steps) wishes.step(Math.sign(steps), board.at(event.clientX, event.clientY));
  }, { passive: false });
}

function listenToKeys(board, wishes) {
  const typed = { text: '', timer: 0 };

  const go = (at) => {
    if (!board.cell(at)) return;
    board.setCursor(at);
    board.cell(at).focus();
  };
  const forget = () => {
    clearTimeout(typed.timer);
    typed.text = '';
  };
  const wait = (text, then) => {
    clearTimeout(typed.timer);
    typed.text = text;
    typed.timer = window.setTimeout(() => {
      typed.text = '';
      then();
    }, TYPING);
  };

  /** Whether the key is part of the name of a point. */
  const type = (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey) return false;
    if (/^[a-y]$/.test(event.key) && board.cell(`${event.key}1`)) {
      if (!event.repeat) wait(event.key, () => wishes.key(event));
      return true;
    }
    if (!/^\d$/.test(event.key) || !typed.text) return false;
    wait(typed.text + event.key, () => {});
    go(typed.text);
    return true;
  };

  // The listener is on the board's parent: Chromium makes an SVG element with focus listeners a stop of the Tab key.
  const around = /** @type {Element} */ (board.root.parentElement);
  around.addEventListener('focusin', (event) => {
    const { at } = /** @type {SVGElement} */ (event.target).dataset;
    if (at) board.setCursor(at);
  });
  around.addEventListener('focusout', (event) => !board.root.contains(/** @type {FocusEvent} */ (event).relatedTarget) && forget());
  board.root.addEventListener('keydown', (event) => {
    const at = event.target.dataset?.at;
    if (!at) return;
    if (type(event)) {
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    const next = neighbour(board, at, event);
    if (next) go(next);
    else if ((event.key === 'Enter' || event.key === ' ') && !event.repeat && !event.altKey && !event.ctrlKey) wishes.place(at, event);
    else if (event.key === 'Escape') event.target.blur();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
}

/** The point that a key moves the cursor to, or null. */
function neighbour(board, at, { key, altKey, ctrlKey, shiftKey }) {
  if (altKey || shiftKey || (ctrlKey && key !== 'Home' && key !== 'End')) return null;
  const cell = board.cell(at);
  const row = cell.parentNode;
  const rows = [...row.parentNode.children];
  const [y, x] = [rows.indexOf(row), [...row.children].indexOf(cell)];
  const [bottom, right] = [rows.length - 1, row.children.length - 1];
  const places = {
    ArrowLeft: [y, Math.max(0, x - 1)], ArrowRight: [y, Math.min(right, x + 1)],
    ArrowUp: [Math.max(0, y - 1), x], ArrowDown: [Math.min(bottom, y + 1), x],
    Home: ctrlKey ? [0, 0] : [y, 0], End: ctrlKey ? [bottom, right] : [y, right],
  };
  const place = places[key];
  return place ? rows[place[0]].children[place[1]].dataset.at : null;
}
