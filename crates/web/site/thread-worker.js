/** A helper of a worker of the engine: it runs threads of the engine in the memory of that worker. See threads.rs. */

/** Stack of a thread of the engine, in bytes (STACK_BYTES). */
const STACK = 16 << 20;

addEventListener('message', async ({ data: { build, module, memory, failure } }) => {
  let joined = false;
  try {
    const imported = await import(`${build}.js`);
    const { default: init, joinThreads, runThreads } = /** @type {typeof import('./tengen_web.js')} */ (imported);
    await init({ module_or_path: module, memory, thread_stack_size: STACK });
    joinThreads();
    joined = true;
    postMessage('joined');
    runThreads();
  } catch (error) {
    console.error(error);
    if (joined) failure.postMessage('failed');
    else postMessage('failed');
  }
});
