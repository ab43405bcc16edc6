/**
 * Communicates with the server: the token, commands, files, and the event stream. It knows nothing of the page.
 *
 * Commands are sent one after another, so that each one names the revision after the previous one.
 */

/** Commands that name the revision on which they were made. */
const ON_REVISION = new Set(['move', 'opening', 'undo', 'redo', 'go', 'substitute', 'swap_sides', 'resign', 'draw']);

/** How long the server may be unreachable before the page gives up, in milliseconds. */
const PATIENCE = 10_000;

/** How long the stream may be silent, in milliseconds: the server sends a line every 15 s. */
const SILENCE = 40_000;

/** A request that the server refused, with the body of its answer. */
export class Refused extends Error {
  /**
   * @param {number} status HTTP status
   * @param {{error?: string, message?: string, rev?: number, foul?: string}} body
   */
  constructor(status, body) {
    super(body.message ?? `status ${status}`);
    this.status = status;
    this.error = body.error ?? 'failed';
    this.foul = body.foul;
    this.rev = body.rev;
  }
}

/**
 * @param {{storage: () => Storage, revision: () => number}} needs `storage` keeps the token for other tabs of this
 *   browser; `revision` is that of the state that is shown
 * @returns {import('./types.js').Api}
 */
export function createApi({ storage, revision }) {
  let token = '';
  let reached = 0;
  let last = Promise.resolve();

  async function request(method, path, body, type) {
    const headers = { 'X-Tengen-Token': token };
    if (type) headers['Content-Type'] = type;
    const answer = await fetch(path, { method, headers, body, cache: 'no-store' });
    if (!answer.ok) throw new Refused(answer.status, await answer.json().catch(() => ({})));
    return answer;
  }

  async function post(path, value) {
    const answer = await request('POST', path, JSON.stringify(value), 'application/json');
    return answer.json();
  }

  async function send(name, fields) {
    const body = { do: name, ...fields };
    if (ON_REVISION.has(name) && body.rev === undefined) body.rev = Math.max(reached, revision());
    try {
      const answer = await post('/api/command', body);
      reached = answer.rev;
      return answer;
    } catch (error) {
      if (error instanceof Refused && error.rev !== undefined) reached = error.rev;
      throw error;
    }
  }

  return {
    async hello() {
      const code = takeCode();
      if (code) {
        try {
          const answer = await post('/api/hello', { code });
          token = answer.token;
          keep(storage, token);
          return { about: answer.about, state: answer.state, fresh: true };
        } catch (error) {
          if (!(error instanceof Refused) || error.status !== 401) throw error;
          // The launch code has been used, perhaps by this browser.
        }
      }
      token = kept(storage) || token;
      const about = await (await request('GET', '/api/about')).json();
      const state = await (await request('GET', '/api/state')).json();
      return { about, state, fresh: false };
    },
    command(name, fields = {}) {
      const answer = last.then(() => send(name, fields));
      last = answer.then(() => {}, () => {});
      return answer;
    },
    async explore(sources) {
      return (await request('GET', `/api/explore?sources=${encodeURIComponent(sources)}`)).json();
    },
    async importFile(name, bytes) {
      const path = `/api/import?name=${encodeURIComponent(name)}`;
      return (await request('POST', path, bytes, 'application/octet-stream')).json();
    },
    async exportFile(format) {
      const answer = await request('GET', `/api/export?format=${encodeURIComponent(format)}`);
      const named = /filename="?([^";]+)/.exec(answer.headers.get('Content-Disposition') ?? '');
      return { name: named ? named[1] : `game.${format}`, blob: await answer.blob() };
    },
    puzzles: (body) => post('/api/puzzles', body),
    listen(onEvent, onLink) {
      const ask = async () => (await request('GET', '/api/state')).json();
      const grow = treeMerger(ask, (tree) => onEvent('tree', tree));
      const whole = merger(ask, ({ tree, ...state }) => {
        reached = 0;
        if (tree) grow(tree);
        onEvent('state', state);
      });
      const takers = { state: whole, tree: grow };
      return listen(() => token, (name, data) => (takers[name] ? takers[name](data) : onEvent(name, data)), onLink);
    },
  };
}

const TOKEN = 'tengen.token';

/** The stored token. In a browser that stores nothing the page still works, in one tab. */
function kept(storage) {
  try {
    return storage().getItem(TOKEN) ?? '';
  } catch {
    return '';
  }
}

function keep(storage, token) {
  try {
    storage().setItem(TOKEN, token);
  } catch {
    // The storage is full or forbidden.
  }
}

/**
 * Builds whole states from what the server sends: for a large game only the changes since another revision. See
 * changes.rs.
 * @param {() => Promise<any>} ask requests the whole state
 * @param {(state: any) => void} take
 * @returns {(data: any) => void}
 */
export function merger(ask, take) {
  let known = /** @type {any} */ (null);
  let newest = 0;
  let asking = false;
  const set = (state) => {
    known = state;
    take(state);
  };
  return async (data) => {
    newest = data.rev;
    if (data.since === undefined) return set(data);
    const { since, keep: [first, last], ...state } = data;
    if (known?.rev === since) {
      const old = known.line;
      return set({ ...state, line: [...old.slice(0, first), ...state.line, ...old.slice(old.length - last)] });
    }
    if (asking) return undefined;
    asking = true;
    try {
      // Newer events may have arrived meanwhile.
      do set(await ask()); while (known.rev < newest);
    } catch {
      // The connection is lost; the stream reports that.
    } finally {
      asking = false;
    }
    return undefined;
  };
}

/**
 * Builds the tree of the game from what the server sends: the whole, or the nodes that have changed since a version. See
 * branches.rs.
 * @param {() => Promise<any>} ask requests the whole state, with the tree
 * @param {(tree: {game: number, version: number, rows: Map<number, import('./tree-layout.js').Row>}) => void} take
 * @returns {(data: any) => Promise<void>}
 */
export function treeMerger(ask, take) {
  let known = { game: -1, version: -1, rows: new Map() };
  let asking = false;
  const set = ({ game, version, since, nodes }) => {
    known = { game, version, rows: new Map([...(since === null ? [] : known.rows), ...nodes.map((row) => [row[0], row])]) };
    take(known);
  };
  return async (data) => {
    if (data.since === null || data.since === known.version) return set(data);
    if (asking || data.version <= known.version) return undefined;
    asking = true;
    try {
      set((await ask()).tree);
    } catch {
      // The connection is lost; the stream reports that.
    } finally {
      asking = false;
    }
    return undefined;
  };
}

/** The launch code from the address. Removes it from the address at once. */
function takeCode() {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (code) history.replaceState(null, '', location.pathname);
  return code;
}

/**
 * Reads the event stream, and reopens it when it breaks.
 * @returns {() => void} ends it
 */
function listen(token, onEvent, onLink) {
  const stop = new AbortController();
  let gone = 0;
  let over = false;

  const take = (name, data) => {
    if (name === 'bye' || name === 'replaced') {
      over = true;
      onLink(name === 'bye' ? 'ended' : 'replaced');
    } else onEvent(name, data);
  };

  const run = async () => {
    while (!over && !stop.signal.aborted) {
      try {
        await readStream(token(), stop.signal, take, () => {
          gone = 0;
          onLink('live');
        });
      } catch (error) {
        if (error instanceof Refused && error.status === 401) {
          onLink('locked');
          return;
        }
      }
      if (over || stop.signal.aborted) return;
      gone ||= Date.now();
      if (Date.now() - gone > PATIENCE) {
        onLink('ended');
        return;
      }
      onLink('lost');
      await new Promise((resolve) => setTimeout(resolve, 700));
    }
  };
  run();
  return () => stop.abort();
}

async function readStream(token, signal, onEvent, onOpen) {
  const watchdog = new AbortController();
  let timer = 0;
  const alive = () => {
    clearTimeout(timer);
    timer = window.setTimeout(() => watchdog.abort(), SILENCE);
  };
  alive();
  try {
    const answer = await fetch('/api/events', {
      headers: { 'X-Tengen-Token': token },
      cache: 'no-store',
      signal: AbortSignal.any([signal, watchdog.signal]),
    });
    if (!answer.ok || !answer.body) throw new Refused(answer.status, {});
    onOpen();
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    const parse = eventParser(onEvent);
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      alive();
      parse(value);
    }
  } finally {
    clearTimeout(timer);
  }
}

/**
 * A reader of `text/event-stream`: takes pieces of text as they come.
 * @param {(name: string, data: any) => void} onEvent
 * @returns {(text: string) => void}
 */
export function eventParser(onEvent) {
  let rest = '';
  return (text) => {
    const blocks = (rest + text.replaceAll('\r', '')).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const lines = block.split('\n');
      const field = (name) => lines.filter((line) => line.startsWith(`${name}:`))
        .map((line) => line.slice(name.length + 1).replace(/^ /, ''));
      const data = field('data').join('\n');
      if (data || field('event').length) onEvent(field('event')[0] ?? 'message', data ? JSON.parse(data) : null);
    }
  };
}
