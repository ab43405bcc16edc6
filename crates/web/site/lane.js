/**
 * A worker of the engine and its queue of jobs.
 *
 * A job that is cancelled ends by a flag in the memory of its worker. Where memory is not shared nothing interrupts a
 * job inside WebAssembly, so it ends with its worker. A spare worker, which has loaded the network already, takes its
 * place.
 */

export class Lane {
  /** Jobs that wait: their numbers, texts, and settings of the engine. */
  #waiting = /** @type {{job: number, text: string, settings: object}[]} */ ([]);

  /** The running job, and the newest message that could be its last. */
  #running = /** @type {{job: number, latest: string|undefined}|null} */ (null);

  /** Searches that end with their next best move. */
  #hurried = new Set();

  #worker = /** @type {Worker|null} */ (null);

  #spare = /** @type {Worker|null} */ (null);

  /** For each worker that shares its memory, the flag that ends its job. */
  #flags = /** @type {WeakMap<Worker, Uint8Array>} */ (new WeakMap());

  /** The newest settings of the engine: size of the table in mebibytes, and number of threads. */
  #settings = {};

  /** Questions to the trainer that wait for an answer, the oldest first. */
  #asked = /** @type {((answer: any) => void)[]} */ ([]);

  /**
   * @param {object} first what a worker needs at its start
   * @param {any} board takes messages of jobs: `message`, `review`, `cut`, `failed`
   */
  constructor(first, board) {
    this.first = first;
    this.board = board;
  }

  /** Starts the worker, so that it is ready for its first job. */
  warm(settings) {
    this.#settings = settings;
    this.#worker ??= this.#start();
  }

  add(job) {
    this.#waiting.push(job);
    this.#next();
  }

  /**
   * Ends a job.
   * @param {number} job
   * @param {boolean} isWanted whether its last message is wanted
   * @param {boolean} hasBest whether that is the best move so far of a search
   */
  cancel(job, isWanted, hasBest) {
    const waits = this.#waiting.some((one) => one.job === job);
    if (!waits && this.#running?.job !== job) return;
    const flag = this.#flag();
    if (flag && !waits) {
      Atomics.store(flag, 0, 1);
      return;
    }
    const latest = waits ? undefined : this.#running?.latest;
    if (isWanted && hasBest && !latest) {
      this.#hurried.add(job);
      return;
    }
    this.#end(job, isWanted ? latest : undefined);
  }

  /** A question to the trainer. */
  ask(text) {
    return new Promise((resolve) => {
      this.#asked.push(resolve);
      this.#worker ??= this.#start();
      this.#worker.postMessage({ ask: text });
    });
  }

  /** The flag of the worker, if it shares its memory. */
  #flag() {
    return this.#worker ? this.#flags.get(this.#worker) : undefined;
  }

  #end(job, latest) {
    this.#hurried.delete(job);
    this.#waiting = this.#waiting.filter((one) => one.job !== job);
    if (this.#running?.job === job) {
      this.#worker?.terminate();
      this.#running = null;
      this.#worker = this.#spare ?? this.#start();
      this.#spare = this.#start();
    }
    this.board.cut(job, latest);
    this.#next();
  }

  #next() {
    if (this.#running || !this.#waiting.length) return;
    const { job, text, settings } = /** @type {any} */ (this.#waiting.shift());
    this.#settings = settings;
    this.#worker ??= this.#start();
    this.#running = { job, latest: undefined };
    const flag = this.#flag();
    if (flag) Atomics.store(flag, 0, 0);
    this.#worker.postMessage({ job, text, settings });
  }

  #start() {
    const worker = new Worker('engine-worker.js', { type: 'module' });
    worker.postMessage({ ...this.first, settings: this.#settings });
    worker.addEventListener('message', ({ data }) => this.#take(worker, data));
    worker.addEventListener('error', () => this.#failed(worker));
    return worker;
  }

  #take(worker, { kind, job, text, changed, flag, failure }) {
    if (kind === 'flag') this.#flags.set(worker, flag);
    // A worker that waits for a helper cannot tell that it has failed.
    else if (kind === 'helper') failure.onmessage = () => this.#failed(worker);
    else if (worker !== this.#worker) return;
    else if (kind === 'answer') this.#asked.shift()?.({ text, changed });
    else if (kind === 'failed') this.#failed(worker);
    else if (kind === 'review') this.board.review(job, text);
    else if (this.#running?.job === job) this.#news(kind, job, text);
  }

  #news(kind, job, text) {
    if (kind === 'last') {
      this.#hurried.delete(job);
      this.#running = null;
      this.board.message(text);
      this.#next();
      return;
    }
    if (this.#running) this.#running.latest = text;
    if (kind === 'event') this.board.message(text);
    else if (this.#hurried.has(job)) this.#end(job, text);
  }

  /** A worker has made a mistake: another one takes its place. */
  #failed(worker) {
    worker.terminate();
    if (worker === this.#spare) this.#spare = null;
    if (worker !== this.#worker) return;
    const job = this.#running?.job;
    [this.#worker, this.#running] = [null, null];
    for (const answer of this.#asked.splice(0)) answer({ text: '{"status":503,"body":{}}' });
    if (job !== undefined) this.board.failed(job);
    this.#next();
  }
}
