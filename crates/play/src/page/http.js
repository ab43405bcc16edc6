/**
 * Connects the page with the server of `tengen play`: the token, requests, and the event stream.
 */

import { Refused } from './api.js';

/** How long the server may be unreachable before the page gives up, in milliseconds. */
const PATIENCE = 10_000;

/** How long the stream may be silent, in milliseconds: the server sends a line every 15 s. */
const SILENCE = 40_000;

/**
 * @param {() => Storage} [storage] keeps the token for other tabs of this browser
 * @returns {import('./types.js').Connection}
 */
export function createConnection(storage = () => localStorage) {
  let token = '';

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

  const state = async () => (await request('GET', '/api/state')).json();

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
      return { about, state: await state(), fresh: false };
    },
    state,
    command: (body) => post('/api/command', body),
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
    listen: (onEvent, onLink) => listen(() => token, onEvent, onLink),
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
