// The gateway's side of a check worker: one question at a time, each with a time limit. A thread that is late or broken is ended for good.
import { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import { MAX_COMPILED, type Question, type Reply } from './check-protocol.js';

/** Memory of the worker, in MiB: a check that needs more ends it, and not the gateway. */
const MAX_MEMORY_MB = 192;
/** For the thread to start: far more than it takes. */
const START_MS = 30_000;

type Step = Question['ask'] | 'start';

/** A thread was ended: its reply took too long, or it broke (of memory, say). */
export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded';
  constructor(
    readonly step: Step,
    readonly reason: 'late' | 'broken',
  ) {
    super(`the check worker is ${reason} (${step})`);
  }
}

/** The worker is always the compiled file: Node cannot run the source that tests import. */
function workerFile(): URL {
  const here = new URL('./check-worker.js', import.meta.url);
  return new URL(here.href.replace('/src/catalog/', '/dist/catalog/'));
}

export class CheckThread {
  /** Documents that the worker has compiled. */
  readonly compiled = new LRUCache<string, true>({ max: MAX_COMPILED });
  readonly #worker = new Worker(workerFile(), { env: {}, resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB } });
  readonly #started: Promise<Reply>;

  constructor() {
    // A worker that breaks between two questions is found out by the next one, and must not end the process.
    this.#worker.on('error', () => {});
    this.#started = this.#reply('start', START_MS);
    // Whoever asks first is told.
    this.#started.catch(() => {});
  }

  /** The reply to a question; there must be one to the question before. @throws ThreadEnded. */
  async ask(question: Question, limitMs: number): Promise<Reply> {
    await this.#started;
    const reply = this.#reply(question.ask, limitMs);
    this.#worker.postMessage(question);
    return reply;
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #reply(step: Step, limitMs: number): Promise<Reply> {
    const worker = this.#worker;
    // Nothing but an open question keeps the process alive.
    worker.ref();
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        worker.off('message', onMessage).off('error', onBroken).off('exit', onBroken);
        worker.unref();
      };
      const fail = (reason: 'late' | 'broken'): void => {
        settle();
        void worker.terminate();
        reject(new ThreadEnded(step, reason));
      };
      const onBroken = (): void => fail('broken');
      const onMessage = (reply: Reply): void => {
        settle();
        resolve(reply);
      };
      const onTime = (): void => {
        // A reply that has come is read first: it may be this process that was busy.
        setImmediate(() => worker.listeners('message').includes(onMessage) && fail('late'));
      };
      const timer = setTimeout(onTime, limitMs);
      worker.on('message', onMessage).on('error', onBroken).on('exit', onBroken);
    });
  }
}
