/**
 * A worker of the engine, or of the puzzle trainer. Its first message has the compiled module; each later one is a job
 * or a question, which it finishes before it takes the next.
 */

import init, { Trainer, Worker as Engine } from './tengen_web.js';

let engine = /** @type {any} */ (null);
let trainer = /** @type {any} */ (null);

/** Called from the module: see worker.rs. */
Object.assign(globalThis, {
  tengenTell: (kind, job, text) => postMessage({ kind, job, text }),
});

async function begin({ module, seed, hash, progress }) {
  await init({ module_or_path: module });
  if (progress === undefined) {
    engine = new Engine(seed);
    engine.warm(hash);
  } else trainer = new Trainer(progress ?? undefined);
}

let ready = Promise.resolve();

addEventListener('message', ({ data }) => {
  ready = ready.then(async () => {
    if (data.module) await begin(data);
    else if (data.ask !== undefined) postMessage({ kind: 'answer', text: trainer.answer(data.ask), changed: trainer.progress() });
    else engine.run(data.text, data.hash);
  }).catch((error) => {
    console.error(error);
    postMessage({ kind: 'failed', job: data.job });
  });
});
