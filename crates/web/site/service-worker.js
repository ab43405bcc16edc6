/**
 * Keeps the files of the site, so that it opens without a network. All files of a version are kept together, and a new
 * version takes over when no page of the old one is open.
 */

// scripts/site.sh fills in both.
const VERSION = '@VERSION@';
const FILES = [/* @FILES@ */];

const NAME = `tengen-${VERSION}`;
const worker = /** @type {any} */ (self);

/** Isolates the page, so that its workers may share memory, also if the host does not send these. */
const ISOLATION = [['Cross-Origin-Opener-Policy', 'same-origin'], ['Cross-Origin-Embedder-Policy', 'require-corp']];

/** Keeps a file. */
async function keep(cache, name) {
  const answer = await fetch(name, { cache: 'no-cache' });
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  const headers = new Headers(answer.headers);
  for (const [header, value] of ISOLATION) headers.set(header, value);
  await cache.put(name, new Response(answer.body, { headers }));
}

worker.addEventListener('install', (event) => {
  event.waitUntil(caches.open(NAME).then((cache) => Promise.all(FILES.map((name) => keep(cache, name)))));
});

worker.addEventListener('activate', (event) => {
  const clean = async () => {
    const old = (await caches.keys()).filter((name) => name.startsWith('tengen-') && name !== NAME);
    await Promise.all(old.map((name) => caches.delete(name)));
    await worker.clients.claim();
  };
  event.waitUntil(clean());
});

worker.addEventListener('fetch', (event) => {
  if (event.request.method !== 'GET') return;
  const kept = caches.open(NAME).then((cache) => cache.match(event.request, { ignoreSearch: true }));
  event.respondWith(kept.then((answer) => answer ?? fetch(event.request)));
});
