/**
 * The worker of the board: it owns the session and the saved games, and gives jobs to the workers of the engine. It
 * carries out the orders of `Board` in board.rs.
 */

import { Lane } from './lane.js';
import { openGames, openProgress } from './storage.js';
import { THREADS_BUILT } from './threads-built.js';

/** Sizes of the engine's table in mebibytes: the first one, and the largest. */
const TABLE = { first: 64, largest: 1024 };

/** The largest number of threads: each takes 16 MiB of the shared memory. */
const MOST_THREADS = 32;

/** How long nothing that must not wait is put off, in milliseconds. */
const LONGEST_WAIT = 2 ** 30;

/** The newest event of each of these names, for a page that listens later. */
const kept = new Map();
const KEPT = ['analysis', 'review'];

let listening = false;
let timer = 0;
let games = /** @type {any} */ (null);
let board = /** @type {any} */ (null);
/** What all workers need: which build it is, its compiled module, and the file of the network. */
let code = /** @type {any} */ (null);
let trainer = /** @type {any} */ (null);
const lanes = /** @type {Object<string, Lane>} */ ({});

const seed = () => crypto.getRandomValues(new BigUint64Array(1))[0];

const ready = (async () => {
  const shares = canShareMemory();
  const build = shares ? './threads/tengen_web' : './tengen_web';
  const [module, weights, imported] = await Promise.all([
    compiled(`${build}_bg.wasm`),
    network(),
    import(`${build}.js`),
  ]);
  code = { build, module, network: weights };
  const { default: init, Board } = /** @type {typeof import('./tengen_web.js')} */ (imported);
  await init({ module_or_path: module });
  const threads = shares ? Math.min(navigator.hardwareConcurrency, MOST_THREADS) : 1;
  const memory = /** @type {any} */ (navigator).deviceMemory ?? 2;
  board = new Board(seed(), threads, TABLE.first, Math.min(TABLE.largest, memory * 128));
  games = await openGames();
  await games.newest(({ key, saved, game }) => board.offer(key ?? undefined, saved, game));
  lane('player').warm({ hash: TABLE.first, threads });
})();

/** Whether workers can share memory of the size that scripts/web-module.sh gives to the build with threads. */
function canShareMemory() {
  if (!THREADS_BUILT || !crossOriginIsolated) return false;
  try {
    return Boolean(new WebAssembly.Memory({ initial: 1, maximum: 32768, shared: true }));
  } catch {
    return false;
  }
}

/** The module, compiled while it is loaded; a host may serve it with another type. */
async function compiled(file) {
  const source = () => fetch(file);
  try {
    return await WebAssembly.compileStreaming(source());
  } catch {
    return WebAssembly.compile(await (await source()).arrayBuffer());
  }
}

/** The file of the network. */
async function network() {
  const answer = await fetch('network.tnn');
  if (!answer.ok) throw new Error(`network.tnn: ${answer.status}`);
  return answer.arrayBuffer();
}

function lane(name) {
  lanes[name] ??= new Lane({ ...code, seed: seed() }, {
    message: (text) => act(() => board.message(text)),
    review: (job, text) => act(() => board.review(job, text)),
    cut: (job, latest) => act(() => board.cut(job, latest)),
    failed: (job) => act(() => board.failed(job)),
  });
  return lanes[name];
}

/** Does something with the board, then what the board orders. */
function act(action) {
  const result = action();
  for (const [what, ...order] of JSON.parse(board.orders())) ORDERS[what](...order);
  clearTimeout(timer);
  const due = board.due();
  if (due !== undefined) timer = setTimeout(() => act(() => board.tick(false)), Math.min(due, LONGEST_WAIT));
  return result;
}

const ORDERS = {
  event(event, data) {
    if (KEPT.includes(event)) kept.set(event, data);
    if (listening) postMessage({ event, data });
  },
  outdated: (name) => kept.delete(name),
  start: (name, job, text, hash, threads) => lane(name).add({ job, text, settings: { hash, threads } }),
  cancel(job, isWanted, hasBest) {
    for (const one of Object.values(lanes)) one.cancel(job, isWanted, hasBest);
  },
  save: (list) => games.write(list).then((errors) => act(() => board.saved(errors))),
};

const REQUESTS = {
  hello: () => JSON.parse(board.hello()),
  state: () => JSON.parse(board.state()),
  command: ({ body }) => reply(act(() => board.command(JSON.stringify(body)))),
  import: ({ name, bytes }) => reply(act(() => board.import(name, new Uint8Array(bytes)))),
  export({ format }) {
    const { name, kind, bytes, refusal } = board.export(format);
    return refusal ? reply(refusal) : { name, type: kind, bytes };
  },
  puzzles: ({ body }) => answerPuzzles(body),
  listen() {
    listening = true;
    const { tree, ...state } = JSON.parse(board.state());
    for (const [event, data] of [['tree', tree], ['state', state], ...kept]) postMessage({ event, data });
  },
  save: () => act(() => board.tick(true)),
};

/** The body of an answer, or its refusal thrown. */
function reply(text) {
  const { status, body } = JSON.parse(text);
  if (status !== 200) throw Object.assign(new Error('refused'), { status, body });
  return body;
}

/** Asks the trainer, which has a worker of its own, and keeps the progress. */
async function answerPuzzles(body) {
  const progress = await openProgress();
  trainer ??= new Lane({ ...code, progress: await progress.read() }, {});
  const { text, changed } = await trainer.ask(JSON.stringify(body));
  const answer = reply(text);
  const unsaved = changed ? await progress.write(changed) : null;
  return unsaved ? { ...answer, unsaved } : answer;
}

addEventListener('message', async ({ data: { id, kind, ...fields } }) => {
  let answer;
  try {
    await ready;
    answer = { status: 200, body: await REQUESTS[kind](fields) };
  } catch (error) {
    const { status = 500, body = {} } = /** @type {any} */ (error);
    if (status === 500) {
      console.error(error);
      postMessage({ event: 'broken' });
    }
    answer = { status, body };
  }
  if (id !== undefined) postMessage({ id, ...answer });
});
