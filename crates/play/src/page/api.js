/**
 * The requests of the page and the events that it receives, whatever connects it with the board. It knows nothing of the
 * page.
 *
 * Commands are sent one after another, so that each one names the revision after the previous one.
 */

/** Commands that name the revision on which they were made. */
const ON_REVISION = new Set(['move', 'opening', 'undo', 'redo', 'go', 'substitute', 'swap_sides', 'resign', 'draw']);

/** A request that the board refused, with the body of its answer. */
export class Refused extends Error {
  /**
   * @param {number} status as in HTTP
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
 * @param {{connection: import('./types.js').Connection, revision: () => number}} needs `revision` is that of the state
 *   that is shown
 * @returns {import('./types.js').Api}
 */
export function createApi({ connection, revision }) {
  /** The revision that the answered commands have reached; the state that is shown may be older. */
  let reached = 0;
  let last = Promise.resolve();
  let waiting = /** @type {{rev: number, go: () => void}[]} */ ([]);

  /** Waits until the page shows what the answered commands did, or the connection is lost. */
  function shown() {
    const rev = reached;
    return rev <= revision() ? Promise.resolve() : new Promise((go) => waiting.push({ rev, go: () => go(undefined) }));
  }

  function release(all) {
    const going = waiting.filter(({ rev }) => all || rev <= revision());
    waiting = waiting.filter((one) => !going.includes(one));
    going.forEach(({ go }) => go());
  }

  async function send(name, fields) {
    const body = { do: name, ...fields };
    if (ON_REVISION.has(name) && body.rev === undefined) body.rev = Math.max(reached, revision());
    try {
      const answer = await connection.command(body);
      reached = answer.rev;
      return answer;
    } catch (error) {
      if (error instanceof Refused && error.rev !== undefined) reached = error.rev;
      throw error;
    }
  }

  return {
    hello: connection.hello,
    async settled() {
      await last;
      await shown();
    },
    command(name, fields = {}) {
      const now = async () => {
        if (typeof fields !== 'function') return send(name, fields);
        await shown();
        const found = fields();
        return found && send(name, found);
      };
      const answer = last.then(now);
      last = answer.then(() => {}, () => {});
      return answer;
    },
    explore: connection.explore,
    importFile: connection.importFile,
    exportFile: connection.exportFile,
    puzzles: connection.puzzles,
    listen(onEvent, onLink) {
      const ask = connection.state;
      const grow = treeMerger(ask, (tree) => onEvent('tree', tree));
      const whole = merger(ask, ({ tree, ...state }) => {
        if (tree) grow(tree);
        onEvent('state', state);
        release(false);
      });
      const takers = { state: whole, tree: grow };
      return connection.listen((name, data) => (takers[name] ? takers[name](data) : onEvent(name, data)), (link) => {
        onLink(link);
        // A program that was started again counts its revisions anew.
        if (link !== 'live') reached = 0;
        release(link !== 'live');
      });
    },
  };
}

/**
 * Builds whole states from what the board sends: for a large game only the changes since another revision. See
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
 * Builds the tree of the game from what the board sends: the whole, or the nodes that have changed since a version. See
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
