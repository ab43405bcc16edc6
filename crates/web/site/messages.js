/**
 * Connects the page with the board in a worker of this browser. Each request is a message with a number, and so is its
 * answer; events come without a number.
 */

import { Refused } from './api.js';

/** A module with one instruction of SIMD. */
const SIMD = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
]);

/** @returns {boolean} whether this browser can run the board */
const isSupported = () => typeof WebAssembly === 'object' && WebAssembly.validate(SIMD) && typeof Worker === 'function';

/** @returns {import('./types.js').Connection} */
export function createConnection() {
  const open = new Map();
  let last = 0;
  let worker = /** @type {Worker|null} */ (null);
  let onEvent = (_name, _data) => {};
  let onLink = (_link) => {};
  let broken = false;

  function fail() {
    broken = true;
    for (const { reject } of open.values()) reject(new Refused(500, {}));
    open.clear();
    onLink('broken');
  }

  function take({ data: { id, status, body, event, data } }) {
    if (id === undefined) return event === 'broken' ? fail() : onEvent(event, data);
    const asked = open.get(id);
    open.delete(id);
    if (status === 200) asked?.resolve(body);
    else asked?.reject(new Refused(status, body ?? {}));
    return undefined;
  }

  function start() {
    worker = new Worker('board-worker.js', { type: 'module' });
    worker.addEventListener('message', take);
    worker.addEventListener('error', fail);
    // A page that is hidden may be gone soon.
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'hidden') worker?.postMessage({ kind: 'save' });
    });
    window.addEventListener('pagehide', () => worker?.postMessage({ kind: 'save' }));
  }

  function request(kind, fields = {}) {
    return new Promise((resolve, reject) => {
      if (broken) return reject(new Refused(500, {}));
      if (!worker) start();
      last += 1;
      open.set(last, { resolve, reject });
      return worker?.postMessage({ id: last, kind, ...fields });
    });
  }

  return {
    async hello() {
      if (!isSupported()) throw new Refused(501, {});
      keepFiles();
      const fresh = !worker;
      return { ...await request('hello'), fresh };
    },
    state: () => request('state'),
    command: (body) => request('command', { body }),
    explore: () => Promise.reject(new Refused(404, {})),
    async importFile(name, bytes) {
      return request('import', { name, bytes: await new Response(bytes).arrayBuffer() });
    },
    async exportFile(format) {
      const { name, type, bytes } = await request('export', { format });
      return { name, blob: new Blob([bytes], { type }) };
    },
    puzzles: (body) => request('puzzles', { body }),
    listen(takeEvent, takeLink) {
      [onEvent, onLink] = [takeEvent, takeLink];
      if (broken) takeLink('broken');
      else request('listen').then(() => onLink('live'), () => {});
      return () => {
        [onEvent, onLink] = [() => {}, () => {}];
      };
    },
  };
}

/** Has the browser keep the files of the site, so that it opens without a network. */
function keepFiles() {
  // Without it, such as in a private window, the site needs the network each time.
  navigator.serviceWorker?.register('service-worker.js').catch(() => {});
}
