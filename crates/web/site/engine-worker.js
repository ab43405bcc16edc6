/**
 * A worker of the engine, or of the puzzle trainer. Its first message has the compiled module; each later one is a job
 * or a question, which it finishes before it takes the next.
 */

/** What a helper needs, and the memory that it shares. */
let code = /** @type {any} */ (null);
let memory = /** @type {any} */ (null);
let engine = /** @type {any} */ (null);
let trainer = /** @type {any} */ (null);

/** Called from the module: see worker.rs. */
Object.assign(globalThis, {
  tengenTell: (kind, job, text) => postMessage({ kind, job, text }),
});

async function begin({ build, module, network, seed, settings, progress }) {
  code = { build, module };
  const imported = await import(`${build}.js`);
  const { default: init, provideNetwork, Trainer, Worker: Engine } = /** @type {typeof import('./tengen_web.js')} */ (imported);
  memory = (await init({ module_or_path: module })).memory;
  provideNetwork(new Uint8Array(network));
  if (progress === undefined) {
    engine = new Engine(seed);
    if (!(memory.buffer instanceof ArrayBuffer)) {
      postMessage({ kind: 'flag', flag: new Uint8Array(memory.buffer, engine.stop_address(), 1) });
    }
    engine.warm(settings.hash);
    await haveHelpers(settings.threads);
  } else trainer = new Trainer(progress ?? undefined);
}

/** Helpers; each promise is kept when the helper waits for threads of the engine, or has failed. */
const helpers = /** @type {Promise<unknown>[]} */ ([]);

/** Starts helpers, so that the engine can have this number of threads; a worker starts only while this one waits. */
async function haveHelpers(threads) {
  while (helpers.length + 1 < threads) helpers.push(helper());
  await Promise.all(helpers);
}

function helper() {
  const worker = new Worker('thread-worker.js', { type: 'module' });
  const { port1, port2 } = new MessageChannel();
  postMessage({ kind: 'helper', failure: port1 }, { transfer: [port1] });
  worker.postMessage({ ...code, memory, failure: port2 }, [port2]);
  return new Promise((resolve) => {
    worker.onmessage = resolve;
    // The engine has one thread less then.
    worker.onerror = resolve;
  });
}

async function run({ text, settings }) {
  await haveHelpers(settings.threads);
  engine.run(text, settings.hash, settings.threads);
}

let ready = Promise.resolve();

addEventListener('message', ({ data }) => {
  ready = ready.then(async () => {
    if (data.module) await begin(data);
    else if (data.ask !== undefined) postMessage({ kind: 'answer', text: trainer.answer(data.ask), changed: trainer.progress() });
    else await run(data);
  }).catch((error) => {
    console.error(error);
    postMessage({ kind: 'failed', job: data.job });
  });
});
