/**
 * Keys and their actions. An action has a name; the module that implements it registers it with `action(name, run)`.
 * Buttons and keys call it by that name. No key works while an input has the focus, and no key without a modifier does
 * what cannot be undone.
 */

import { openDialog } from './dialog.js';
import { el } from './dom.js';

/**
 * All actions with their keys: `KeyboardEvent.key`, preceded by `Ctrl+`, `Alt+` and `Shift+` in this order. The first
 * key is shown. `group` is for the overlay; `held` marks an action that lasts while the key is down.
 * @type {Object<string, {keys: string[], group: string, held?: boolean}>}
 */
export const ACTIONS = {
  back: { keys: ['ArrowLeft', 'Alt+ArrowLeft'], group: 'moves' },
  forward: { keys: ['ArrowRight', 'Alt+ArrowRight'], group: 'moves' },
  sibling_before: { keys: ['ArrowUp', 'Alt+ArrowUp'], group: 'moves' },
  sibling_after: { keys: ['ArrowDown', 'Alt+ArrowDown'], group: 'moves' },
  first: { keys: ['Home', 'Alt+Home'], group: 'moves' },
  last: { keys: ['End', 'Alt+End'], group: 'moves' },
  back_ten: { keys: ['PageUp', 'Shift+ArrowLeft'], group: 'moves' },
  forward_ten: { keys: ['PageDown', 'Shift+ArrowRight'], group: 'moves' },
  promote: { keys: ['p'], group: 'moves' },
  fold: { keys: ['-'], group: 'moves' },
  delete: { keys: ['Delete'], group: 'moves' },
  undo: { keys: ['Ctrl+z'], group: 'game' },
  redo: { keys: ['Ctrl+y', 'Ctrl+Shift+z'], group: 'game' },
  go: { keys: ['Enter'], group: 'game' },
  hint: { keys: ['h'], group: 'game' },
  play_best: { keys: [','], group: 'game' },
  analyse: { keys: [' '], group: 'analysis' },
  preview_line: { keys: ['1', '2', '3', '4', '5', '6', '7', '8', '9'], group: 'analysis' },
  threat: { keys: ['x'], group: 'analysis' },
  balance_one: { keys: ['b'], group: 'analysis' },
  balance_two: { keys: ['Shift+b'], group: 'analysis' },
  next_mistake: { keys: ['n'], group: 'analysis' },
  previous_mistake: { keys: ['Shift+n'], group: 'analysis' },
  threats: { keys: ['t'], group: 'view' },
  flip: { keys: ['f'], group: 'view' },
  numbers: { keys: ['m'], group: 'view' },
  coordinates: { keys: ['c'], group: 'view' },
  raw: { keys: ['z'], group: 'view', held: true },
  legend: { keys: ['g'], group: 'view' },
  read_move: { keys: ['r'], group: 'aloud' },
  read_value: { keys: ['e'], group: 'aloud' },
  read_clocks: { keys: ['w'], group: 'aloud' },
  read_lines: { keys: ['l'], group: 'aloud' },
  keys: { keys: ['?'], group: 'program' },
  escape: { keys: ['Escape'], group: 'program' },
};

/** Groups of actions, in the order of the overlay. */
const GROUPS = ['moves', 'game', 'analysis', 'view', 'aloud', 'program'];

/** Elements with keys of their own. */
const OWN_KEYS = 'input, select, textarea, [contenteditable], dialog, [role="tab"], [data-keys]';

/**
 * The name of a pressed key, as in {@link ACTIONS}.
 * @param {KeyboardEvent} event
 */
export function keyName({ key, ctrlKey, metaKey, altKey, shiftKey }) {
  const name = key.length === 1 ? key.toLowerCase() : key;
  const shift = shiftKey && (key.length > 1 || name !== key.toUpperCase());
  return `${ctrlKey || metaKey ? 'Ctrl+' : ''}${altKey ? 'Alt+' : ''}${shift ? 'Shift+' : ''}${name}`;
}

/**
 * A key in its usual written form.
 * @param {string} name
 */
export function keyText(name) {
  const signs = { ArrowLeft: '←', ArrowRight: '→', ArrowUp: '↑', ArrowDown: '↓', ' ': 'Space', Enter: '↵', Escape: 'Esc', PageUp: 'PgUp', PageDown: 'PgDn' };
  const parts = name === '+' ? ['+'] : name.split('+');
  const last = parts.pop() ?? '';
  return [...parts, signs[last] ?? (last.length === 1 ? last.toUpperCase() : last)].join('+');
}

/**
 * Connects keys with actions.
 * @param {import('./types.js').Store} view
 */
export function createKeys(view) {
  const runs = new Map();
  const releases = new Map();
  const keysOf = (action) => {
    const changed = view.get('keys')[action];
    return changed ? [changed, ...ACTIONS[action].keys.slice(1)] : ACTIONS[action].keys;
  };
  /** A key that the person has set takes precedence over the default keys of other actions. */
  const actionOf = (name) => Object.keys(ACTIONS).find((action) => view.get('keys')[action] === name)
    ?? Object.keys(ACTIONS).find((action) => keysOf(action).includes(name));

  const run = (action, event) => runs.get(action)?.(event);
  const press = (event) => {
    const target = /** @type {Element} */ (event.target);
    if (event.defaultPrevented || event.repeat || event.isComposing || target.closest?.(OWN_KEYS)) return;
    if ((event.key === 'Enter' || event.key === ' ') && target.closest?.('button, a, summary')) return;
    pressed(event);
  };
  /** Runs the action of a key, wherever the focus is. */
  const pressed = (event) => {
    const action = actionOf(keyName(event));
    if (!action || !runs.has(action) || document.querySelector('dialog[open], :popover-open')) return;
    event.preventDefault();
    run(action, event);
  };
  const release = (event) => {
    for (const [action, end] of releases) if (!event.key || keysOf(action).includes(keyName(event))) end();
  };
  const alt = (on) => () => document.documentElement.toggleAttribute('data-alt', on);

  document.addEventListener('keydown', press);
  document.addEventListener('keydown', (event) => event.key === 'Alt' && alt(true)());
  document.addEventListener('keyup', (event) => {
    release(event);
    if (event.key === 'Alt') alt(false)();
  });
  window.addEventListener('blur', (event) => {
    release(event);
    alt(false)();
  });

  return {
    /** Registers an action; `end` is called when a held key is released. */
    action(name, act, end) {
      if (!(name in ACTIONS)) throw new Error(`no action ${name}`);
      runs.set(name, act);
      if (end) releases.set(name, end);
    },
    /** Whether there is a key for an action. */
    has: (name) => name in ACTIONS,
    run,
    pressed,
    keysOf,
  };
}

/**
 * The overlay of all keys.
 * @param {import('./types.js').Context} context
 * @param {ReturnType<typeof createKeys>} keys
 */
export function showKeys({ t }, keys) {
  const line = (action) => [el('dt', {}, ...keyCaps(action === 'preview_line' ? ['1–9'] : keys.keysOf(action))), el('dd', { text: t(`key.${action}`) })];
  const group = (name) => el('section', {}, el('h3', { text: t(`keys.${name}`) }),
    el('dl', {}, ...Object.keys(ACTIONS).filter((action) => ACTIONS[action].group === name).flatMap(line)));
  const board = el('section', {}, el('h3', { text: t('keys.board') }), ...['arrows', 'place', 'jump', 'row', 'mouse', 'drawing', 'tree', 'touch']
    .map((name) => el('p', { class: 'small', text: t(`keys.board_${name}`) })));
  openDialog({ title: t('keys.title'), name: 'keys', close: t('close'), body: [el('div', { class: 'key-groups' }, ...GROUPS.map(group), board)] });
}

const keyCaps = (names) => names.map((name) => el('kbd', { text: keyText(name) }));
