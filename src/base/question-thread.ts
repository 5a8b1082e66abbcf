// A worker thread that is asked one question at a time, each with a time limit. A thread that is late or fails is terminated.
import { Worker } from 'node:worker_threads';

/** Time for a thread to start, far more than it needs. */
const START_MS = 30_000;
/** How many times its limit a question may last while the machine is too busy to compute it. */
const MAX_STRETCH = 30;
/** Least time between two looks at what was computed. */
const LOOK_MS = 20;

export interface ThreadOptions {
  /** The compiled file: Node cannot run the source that tests import. */
  file: URL;
  /** Its JavaScript heap, MiB. A question that needs more ends the thread, not the gateway. */
  maxMemoryMb: number;
}

/**
 * A thread was ended: it computed too long (`late`), the machine did not let it compute (`starved`), or it broke (of memory, say). `step` is
 * the question, or `start`; only a start has a cause.
 */
export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded';
  constructor(
    readonly step: string,
    readonly reason: 'late' | 'starved' | 'broken',
    cause?: unknown,
  ) {
    super(`the worker thread is ${reason} (${step})`, { cause });
  }
}

/** The compiled form of a file beside a source file. @param folder of the source below src, such as `catalog`. */
export function compiledFile(name: string, beside: string, folder: string): URL {
  const here = new URL(name, beside);
  return new URL(here.href.replace(`/src/${folder}/`, `/dist/${folder}/`));
}

/** A worker thread that answers questions in turn. Its first message says that it is ready; every other is the reply to the last question. */
export class QuestionThread<Q extends { ask: string }, R> {
  readonly #worker: Worker;
  readonly #started: Promise<R>;

  constructor({ file, maxMemoryMb }: ThreadOptions) {
    const limits = { maxOldGenerationSizeMb: maxMemoryMb };
    // What a library writes when it fails may contain the data that it worked on.
    this.#worker = new Worker(file, { env: {}, resourceLimits: limits, stdout: true, stderr: true });
    this.#worker.stdout.resume();
    this.#worker.stderr.resume();
    // A worker that fails between two questions must not end the process; the next question notices it.
    this.#worker.on('error', () => {});
    this.#started = this.#reply('start', START_MS);
    // The first question throws this error.
    this.#started.catch(() => {});
  }

  /** The thread's first message. @throws ThreadEnded. */
  get started(): Promise<R> {
    return this.#started;
  }

  /**
   * Asks a question and returns the reply. The last question must have its reply.
   * @param limitMs computing time; where other processes take the machine, a reply may take several times as long
   * @throws ThreadEnded
   */
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
    // Only an open question keeps the process alive.
    worker.ref();
    const before = process.cpuUsage();
    const since = performance.now();
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        worker.off('message', onMessage).off('error', onBroken).off('exit', onBroken);
        worker.unref();
      };
      const fail = (reason: ThreadEnded['reason'], cause?: unknown): void => {
        settle();
        void worker.terminate();
        // Later errors may hold what the thread worked on.
        reject(new ThreadEnded(step, reason, step === 'start' ? cause : undefined));
      };
      const onBroken = (cause?: unknown): void => fail('broken', cause);
      const onMessage = (reply: R): void => {
        settle();
        resolve(reply);
      };
      const onTime = (): void => {
        const left = limitMs - computedMs(before);
        const wait = Math.min(Math.max(left, LOOK_MS), MAX_STRETCH * limitMs - (performance.now() - since));
        if (left >= 1 && wait >= 1) timer = setTimeout(onTime, wait);
        // A reply that has arrived is read first: this process may have been the busy one.
        else
          setImmediate(() => worker.listeners('message').includes(onMessage) && fail(left >= 1 ? 'starved' : 'late'));
      };
      let timer = setTimeout(onTime, limitMs);
      worker.on('message', onMessage).on('error', onBroken).on('exit', onBroken);
    });
  }
}

/** What this process has computed since, all threads together: one of them no more than that. Milliseconds. */
function computedMs(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
