// A worker thread that is asked one question at a time, each with a time limit. A thread that is late or broken is ended for good.
import { Worker } from 'node:worker_threads';

/** For the thread to start: far more than it takes. */
const START_MS = 30_000;

export interface ThreadOptions {
  /** The compiled file: Node cannot run the source that tests import. */
  file: URL;
  /** Of JavaScript, in MiB: a question that needs more ends the thread, and not the gateway. */
  maxMemoryMb: number;
}

/** A thread was ended: its reply took too long, or it broke (of memory, say). `step` is the question, or `start`. */
export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded';
  constructor(
    readonly step: string,
    readonly reason: 'late' | 'broken',
  ) {
    super(`the worker thread is ${reason} (${step})`);
  }
}

/** A file beside a source file, as it is compiled. @param folder of the source below src: `catalog` */
export function compiledFile(name: string, beside: string, folder: string): URL {
  const here = new URL(name, beside);
  return new URL(here.href.replace(`/src/${folder}/`, `/dist/${folder}/`));
}

/** The first reply says that questions can be taken; every other is to the question before. */
export class QuestionThread<Q extends { ask: string }, R> {
  readonly #worker: Worker;
  readonly #started: Promise<R>;

  constructor({ file, maxMemoryMb }: ThreadOptions) {
    const limits = { maxOldGenerationSizeMb: maxMemoryMb };
    // What a library writes there when it breaks may hold what it worked on.
    this.#worker = new Worker(file, { env: {}, resourceLimits: limits, stdout: true, stderr: true });
    this.#worker.stdout.resume();
    this.#worker.stderr.resume();
    // A worker that breaks between two questions is found out by the next one, and must not end the process.
    this.#worker.on('error', () => {});
    this.#started = this.#reply('start', START_MS);
    // Whoever asks first is told.
    this.#started.catch(() => {});
  }

  /** What the thread said when it was ready. @throws ThreadEnded. */
  get started(): Promise<R> {
    return this.#started;
  }

  /** The reply to a question; there must be one to the question before. @throws ThreadEnded. */
  async ask(question: Q, limitMs: number): Promise<R> {
    await this.#started;
    const reply = this.#reply(question.ask, limitMs);
    this.#worker.postMessage(question);
    return reply;
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #reply(step: string, limitMs: number): Promise<R> {
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
      const onMessage = (reply: R): void => {
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
