/**
 * Keys and what they do. An action has a name, and whoever can do it says how with `action(name, run)`; buttons and keys
 * both call it by that name. No key works while an input has the focus, and none without a modifier does what cannot be
 * undone.
 */

/**
 * All actions with their keys: `KeyboardEvent.key`, with `Ctrl+`, `Alt+` and `Shift+` in this order before it. The first is
 * shown. `group` is for the overlay; `held` acts while the key is down.
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
  read_move: { keys: ['r'], group: 'aloud' },
  read_value: { keys: ['e'], group: 'aloud' },
  read_clocks: { keys: ['w'], group: 'aloud' },
  read_lines: { keys: ['l'], group: 'aloud' },
  keys: { keys: ['?'], group: 'program' },
  escape: { keys: ['Escape'], group: 'program' },
};
