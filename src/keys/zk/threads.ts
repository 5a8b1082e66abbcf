// The proof workers of a process: started by the first question, as many as are allowed, each asked one question at a time.
import { DomainError } from '../../base/errors.js';
import type { ProblemReport } from '../../base/monitoring/problems.js';
import { compiledFile, QuestionThread, ThreadEnded } from '../../base/concurrency/question-thread.js';
import type { Question, Reply } from './protocol.js';

/** JavaScript memory of a worker, in MiB; the library's own is beside it. */
const MAX_MEMORY_MB = 128;
/** Of computing, for one question; signing takes milliseconds. */
const LIMIT_MS = 10_000;
/** How long a question of a stranger may take, on a second worker too, and any other on one worker. */
export const LONGEST_MS = 25_000;
/** Questions that wait; the rest is told to come again. */
const MAX_WAITING = 256;
const RETRY_AFTER_SECONDS = 2;

type Thread = QuestionThread<Question, Reply>;

const WORKER = compiledFile('./worker.js', import.meta.url, 'keys');

/** This part in the report of problems. */
const PART = 'proofs';
const NO_WORKER = 'Proofs and signatures cannot be made: their worker does not start.';

export interface ZkThreadsOptions {
  /** Most workers at the same time. */
  max: number;
  problems: ProblemReport;
  /** The worker's compiled file. */
  file?: URL;
  /** For one question, milliseconds: of computing, and at all. */
  limitMs?: number;
  longestMs?: number;
}

/** Runs questions on worker threads, each thread one question at a time. */
export class ZkThreads {
  readonly #idle: Thread[] = [];
  readonly #all = new Set<Thread>();
  readonly #queue: { take(thread: Thread): void; refuse(error: unknown): void }[] = [];
  #isClosed = false;

  readonly #options: Required<ZkThreadsOptions>;

  constructor(options: ZkThreadsOptions) {
    this.#options = { file: WORKER, limitMs: LIMIT_MS, longestMs: LONGEST_MS, ...options };
  }

  /** Questions that are answered at the same time. */
  get max(): number {
    return this.#options.max;
  }

  /**
   * The reply to a question; undefined where the library is not installed.
   * @throws DomainError VERIFIER_BUSY when too many wait, when the question took too long, and when it broke two workers
   */
  async ask(question: () => Question): Promise<Reply | undefined> {
    try {
      return await this.#askOne(question());
    } catch (error) {
      // A worker may have been broken before; what breaks two of them is at fault itself.
      if (!(error instanceof ThreadEnded) || error.reason !== 'broken') throw asBusy(this.#reported(error));
      return this.#askOne(question()).catch((again: unknown) => Promise.reject(asBusy(this.#reported(again))));
    }
  }

  /**
   * The reply to a question that a stranger wrote: `broken` when it computes too long, or breaks two workers; undefined where the library is not
   * installed.
   * @throws DomainError VERIFIER_BUSY when too many wait, no worker starts, or the machine is too busy to compute the reply in LONGEST_MS
   */
  async judge(question: Question): Promise<Reply | 'broken' | undefined> {
    const isItsOwn = (error: unknown): error is ThreadEnded => error instanceof ThreadEnded && error.step !== 'start';
    const until = performance.now() + this.#options.longestMs;
    try {
      return await this.#askOne(question, until);
    } catch (error) {
      if (!(error instanceof ThreadEnded)) throw error;
      if (isItsOwn(error) && error.reason === 'late') return 'broken';
      if (error.reason === 'starved') throw asBusy(error);
    }
    return this.#askOne(question, until).catch((again: unknown) => {
      if (isItsOwn(again) && again.reason !== 'starved') return 'broken' as const;
      throw asBusy(this.#reported(again));
    });
  }

  /** A worker that does not start in a minute, and two that fail to, are a fault of the installation: the operator must know. */
  #reported(error: unknown): unknown {
    if (error instanceof ThreadEnded && error.step === 'start')
      this.#options.problems.raise(PART, NO_WORKER, error.cause);
    return error;
  }

  /** Ends the workers; what is under way fails. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { refuse } of this.#queue.splice(0)) refuse(busy());
    await Promise.all([...this.#all].map((thread) => thread.end()));
  }

  /** @param until by the monotonic clock: when the reply is of no more use; otherwise LONGEST_MS after a worker is free. */
  async #askOne(question: Question, until?: number): Promise<Reply | undefined> {
    const thread = await this.#free();
    const { limitMs, longestMs, problems } = this.#options;
    try {
      const ready = await thread.started;
      problems.clear(PART);
      const isOff = ready.is === 'ready' && ready.isOff;
      const leftMs = until === undefined ? longestMs : until - performance.now();
      if (isOff || leftMs > 0) {
        const reply = isOff ? undefined : await thread.ask(question, limitMs, leftMs);
        this.#release(thread);
        return reply;
      }
    } catch (error) {
      this.#all.delete(thread);
      // Those who wait need another worker.
      if (!this.#isClosed) this.#queue.shift()?.take(this.#start());
      throw error;
    }
    this.#release(thread);
    throw busy();
  }

  #free(): Thread | Promise<Thread> {
    if (this.#isClosed) throw busy();
    const idle = this.#idle.pop();
    if (idle) return idle;
    if (this.#all.size < this.#options.max) return this.#start();
    if (this.#queue.length >= MAX_WAITING) throw busy();
    return new Promise((take, refuse) => this.#queue.push({ take, refuse }));
  }

  #start(): Thread {
    const thread: Thread = new QuestionThread({ file: this.#options.file, maxMemoryMb: MAX_MEMORY_MB });
    this.#all.add(thread);
    return thread;
  }

  #release(thread: Thread): void {
    const next = this.#queue.shift();
    if (next) next.take(thread);
    else this.#idle.push(thread);
  }
}

const busy = (cause?: unknown): DomainError =>
  new DomainError(
    'VERIFIER_BUSY',
    `Proofs and signatures cannot be made now; try again in ${RETRY_AFTER_SECONDS} seconds.`,
    { retryAfter: RETRY_AFTER_SECONDS },
    { cause },
  );

const asBusy = (error: unknown): unknown => (error instanceof ThreadEnded ? busy(error) : error);
