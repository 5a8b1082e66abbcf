// A worker thread that handles one question at a time, each with a time limit. A thread that exceeds the limit or fails is terminated.
import { Worker } from 'node:worker_threads';

/** Time for a thread to start, far more than it needs. */
const START_MS = 60_000;
/** How long a question may take while the machine is busy with other work. */
const LONGEST_MS = 30_000;
/** How often processor time is measured within a question's limit, and the shortest time between two measurements. */
const MEASUREMENTS = 10;
const MIN_INTERVAL_MS = 20;

/** Open questions in this process, to all threads. */
let openQuestions = 0;

export interface ThreadOptions {
  /** The compiled file: Node cannot run the source that tests import. */
  file: URL;
  /** Its JavaScript heap, MiB. A question that needs more ends the thread, not the gateway. */
  maxMemoryMb: number;
}

/**
 * A thread was ended: it computed for too long or did not start in time (`late`), the machine was too busy to run it (`starved`), or it failed,
 * for lack of memory for example (`broken`). `step` is the question, or `start`; only a failed start has a cause.
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

/**
 * A worker thread that handles questions one after the other. Its first message reports that it is ready; every other is
 * the reply to the last question.
 */
export class QuestionThread<Q extends { ask: string }, R> {
  readonly #worker: Worker;
  readonly #started: Promise<R>;

  constructor({ file, maxMemoryMb }: ThreadOptions) {
    const limits = { maxOldGenerationSizeMb: maxMemoryMb };
    // The output of a failing library may contain the data that it processed.
    this.#worker = new Worker(file, { env: {}, resourceLimits: limits, stdout: true, stderr: true });
    this.#worker.stdout.resume();
    this.#worker.stderr.resume();
    // A worker that fails between two questions must not end the process; the next question notices it.
    this.#worker.on('error', () => {});
    this.#started = this.#reply('start', { isLate: () => true, intervalMs: START_MS, longestMs: START_MS });
    // The first question throws this error.
    this.#started.catch(() => {});
  }

  /** The thread's first message. @throws ThreadEnded. */
  get started(): Promise<R> {
    return this.#started;
  }

  /**
   * Sends a question and returns the reply. Call it only after the reply to the previous question.
   * @param limitMs its processor time, as `ComputingShare` estimates it; the thread is ended when it uses more
   * @param longestMs its elapsed time, which ends it even while the machine is busy with other work
   * @throws ThreadEnded
   */
  async ask(question: Q, limitMs: number, longestMs = LONGEST_MS): Promise<R> {
    await this.#started;
    openQuestions += 1;
    try {
      const share = new ComputingShare();
      const intervalMs = Math.max(limitMs / MEASUREMENTS, MIN_INTERVAL_MS);
      const reply = this.#reply(question.ask, { isLate: () => share.sinceBegin() >= limitMs, intervalMs, longestMs });
      this.#worker.postMessage(question);
      return await reply;
    } finally {
      openQuestions -= 1;
    }
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #reply(step: string, { isLate, intervalMs, longestMs }: Patience): Promise<R> {
    const worker = this.#worker;
    // Only an open question keeps the process alive.
    worker.ref();
    const since = performance.now();
    return new Promise((resolve, reject) => {
      const cleanUp = (): void => {
        clearTimeout(timer);
        worker.off('message', onMessage).off('error', onBroken).off('exit', onBroken);
        worker.unref();
      };
      const fail = (reason: ThreadEnded['reason'], cause?: unknown): void => {
        cleanUp();
        void worker.terminate();
        // Later errors may contain the data that the thread processed.
        reject(new ThreadEnded(step, reason, step === 'start' ? cause : undefined));
      };
      const onBroken = (cause?: unknown): void => fail('broken', cause);
      const onMessage = (reply: R): void => {
        cleanUp();
        resolve(reply);
      };
      const onTime = (): void => {
        const left = longestMs - (performance.now() - since);
        const reason = isLate() ? 'late' : 'starved';
        if (reason === 'starved' && left >= 1) timer = setTimeout(onTime, Math.min(intervalMs, left));
        // If a reply has already arrived, it is read first: this process may have been too busy to read it.
        else setImmediate(() => worker.listeners('message').includes(onMessage) && fail(reason));
      };
      let timer = setTimeout(onTime, Math.min(intervalMs, longestMs));
      worker.on('message', onMessage).on('error', onBroken).on('exit', onBroken);
    });
  }
}

/** The limits at which the wait ends: the estimated processor time, or the total time. */
interface Patience {
  isLate(): boolean;
  intervalMs: number;
  longestMs: number;
}

/**
 * Estimates a question's processor time: that of the process, divided by the number of threads that compute. Node 20 has no
 * measurement for one thread.
 */
class ComputingShare {
  #before = process.cpuUsage();
  #sharers = sharers();
  #ms = 0;

  /** The estimate in milliseconds. Each call counts the computing threads, so it must be called often. */
  sinceBegin(): number {
    const { user, system } = process.cpuUsage(this.#before);
    this.#ms += (user + system) / 1_000 / Math.max(this.#sharers, sharers());
    this.#before = process.cpuUsage();
    this.#sharers = sharers();
    return this.#ms;
  }
}

/** The open questions, and the main thread. */
const sharers = (): number => openQuestions + 1;
