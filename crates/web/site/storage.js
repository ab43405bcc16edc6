/**
 * The saved games and the progress in the puzzles, in the browser's database. Each game has one writer: other tabs get
 * a copy of a game that is open.
 */

/** Number of games that are kept; the oldest are removed first. */
const KEPT = 50;

/** @returns {Promise<IDBDatabase>} */
function open() {
  return new Promise((resolve, reject) => {
    const asked = indexedDB.open('tengen', 1);
    asked.onupgradeneeded = () => {
      asked.result.createObjectStore('games', { keyPath: 'key' }).createIndex('saved', 'saved');
      asked.result.createObjectStore('values');
    };
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error ?? new Error('no database'));
  });
}

let database = /** @type {Promise<IDBDatabase>|null} */ (null);

/** The database, opened at the first call and again after a failure. */
function opened() {
  database ??= open().catch((error) => {
    database = null;
    throw error;
  });
  return database;
}

/** Waits for a request. */
const done = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

/** Why something was not stored, as the end of a sentence. */
const reason = (error) => (error?.name === 'QuotaExceededError' ? 'the storage of this browser is full' : 'this browser stores nothing here');

/** Holds a game for this tab, as long as it is open. False if another tab holds it. */
function hold(key) {
  if (!navigator.locks) return Promise.resolve(true);
  return new Promise((resolve) => {
    navigator.locks.request(`tengen-game-${key}`, { ifAvailable: true }, (lock) => {
      resolve(Boolean(lock));
      return lock ? new Promise(() => {}) : undefined;
    });
  });
}

export async function openGames() {
  const held = new Set();

  async function take(key) {
    if (!held.has(key) && await hold(key)) held.add(key);
    return held.has(key);
  }

  async function write(key, game) {
    await take(key);
    const store = (await opened()).transaction('games', 'readwrite', { durability: 'strict' }).objectStore('games');
    const newest = (await done(store.index('saved').openCursor(null, 'prev')))?.key ?? 0;
    // A clock that was set back does not make the game an old one.
    await done(store.put({ key, game, saved: Math.max(Date.now(), newest + 1) }));
    const keys = await done(store.index('saved').getAllKeys());
    for (const old of keys.slice(0, Math.max(0, keys.length - KEPT))) if (!held.has(old)) store.delete(old);
  }

  return {
    /**
     * Offers the games, the newest first, until one is taken. A game that another tab holds has no key.
     * @param {(game: {key: string|null, saved: number, game: string}) => boolean} offer
     */
    async newest(offer) {
      try {
        const store = (await opened()).transaction('games').objectStore('games');
        const games = await done(store.index('saved').getAll());
        for (const { key, saved, game } of games.reverse()) {
          if (offer({ key: await take(key) ? key : null, saved: Math.floor(saved / 1000), game })) return;
        }
      } catch {
        // The first game that is saved reports it.
      }
    },
    /**
     * @param {[string, string][]} games keys and contents
     * @returns {Promise<string[]>} for each game why it is not saved, or nothing
     */
    async write(games) {
      const errors = [];
      for (const [key, game] of games) errors.push(await write(key, game).then(() => '', reason));
      return errors;
    },
  };
}

/** The progress in the puzzles. */
export async function openProgress() {
  return {
    /** @returns {Promise<string|null>} */
    async read() {
      try {
        return (await done((await opened()).transaction('values').objectStore('values').get('puzzles'))) ?? null;
      } catch {
        return null;
      }
    },
    /** @returns {Promise<string|null>} why it is not stored */
    async write(text) {
      try {
        await done((await opened()).transaction('values', 'readwrite').objectStore('values').put(text, 'puzzles'));
        return null;
      } catch (error) {
        return reason(error);
      }
    },
  };
}
