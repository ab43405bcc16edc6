/**
 * Keeps the files of the site, so that it opens without a network. All files of a version are kept together, and a new
 * version takes over when no page of the old one is open.
 */

// scripts/site.sh fills in both.
const VERSION = '@VERSION@';
const FILES = [/* @FILES@ */];

const NAME = `tengen-${VERSION}`;
const worker = /** @type {any} */ (self);

worker.addEventListener('install', (event) => {
  const files = FILES.map((name) => new Request(name, { cache: 'no-cache' }));
  event.waitUntil(caches.open(NAME).then((cache) => cache.addAll(files)));
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
