/**
 * The page's data: the newest event of each kind from the server, and the view settings. The store holds values and
 * notifies watchers; it neither draws nor sends requests.
 */

/**
 * Named values that can be watched.
 * @param {Object<string, any>} [values] what is there from the start
 * @returns {import('./types.js').Store}
 */
export function createStore(values = {}) {
  const held = { ...values };
  const watchers = new Map();
  return {
    get: (name) => held[name],
    set(name, value) {
      held[name] = value;
      for (const watcher of [...(watchers.get(name) ?? [])]) watcher(value);
    },
    watch(name, watcher) {
      if (!watchers.has(name)) watchers.set(name, new Set());
      watchers.get(name).add(watcher);
      if (held[name] !== undefined) watcher(held[name]);
      return () => watchers.get(name).delete(watcher);
    },
  };
}

/** View settings and their first values. */
export const PREFERENCES = {
  theme: 'system', // system, light, dark, contrast
  language: 'auto', // auto, en, zh
  numbers: 'last', // none, last, all, branch
  coordinates: true,
  edge: 'outside', // outside, inside: where the coordinates are
  boardStyle: 'shaded', // shaded, flat, print: stones and board
  flip: false,
  forbidden: true, // for Black to move
  forbiddenWhite: false, // and dimmed for White
  threats: false,
  candidates: true,
  heat: false,
  arrows: false,
  values: 'black', // the side whose view the table of lines uses: black, mover
  touch: 'auto', // auto, direct, confirm, slide
  lastStoneGoes: false,
  sound: false,
  storeFindings: false, // what analysis finds goes into the database
  keys: {}, // key by action, where the person changed it
  puzzles: {}, // rule and grade of the puzzles
  start: {}, // last choices in the start dialog
};

/**
 * View settings, stored in the browser. If the storage cannot be read or written, they last as long as the page.
 * @param {Storage} storage
 * @returns {import('./types.js').Store}
 */
export function createPreferences(storage) {
  const name = 'tengen.view';
  const kept = read(storage, name);
  const store = createStore({ ...PREFERENCES, ...kept });
  const changed = { ...kept };
  return {
    ...store,
    set(key, value) {
      changed[key] = value;
      try {
        storage.setItem(name, JSON.stringify(changed));
      } catch {
        // The storage is full or forbidden.
      }
      store.set(key, value);
    },
  };
}

function read(storage, name) {
  try {
    const kept = JSON.parse(storage.getItem(name) ?? '{}');
    const known = Object.entries(kept).filter(([key, value]) => typeof value === typeof PREFERENCES[key]);
    return Object.fromEntries(known);
  } catch {
    return {};
  }
}
