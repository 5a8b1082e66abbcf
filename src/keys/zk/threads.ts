// The proof workers of a process: started by the first question, as many as are allowed, each asked one question at a time.
import { Limit } from '../../base/concurrency/limit.js';
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
/** Questions of the gateway that wait, such as signatures; and proofs that wait to be checked, in all and of one partner. */
const MAX_WAITING = 256;
const MAX_WAITING_PROOFS = 64;
const MAX_WAITING_PROOFS_OF_PARTNER = 32;
const RETRY_AFTER_SECONDS = 2;

type Thread = QuestionThread<Question, Reply>;

/**
 * The reply to a question that a stranger wrote: `broken` when it computes too long, or breaks two workers; undefined where the library is not
 * installed.
 * @throws DomainError VERIFIER_BUSY when no worker starts, or the machine is too busy to compute the reply in LONGEST_MS
 */
export type AskJudge = (question: Question) => Promise<Reply | 'broken' | undefined>;

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

/**
 * Runs questions on worker threads, each thread one question at a time. The partners whose proofs wait and the gateway's own questions take
 * turns.
 */
export class ZkThreads {
  readonly #idle: Thread[] = [];
  readonly #all = new Set<Thread>();
  /** Proofs have their partner as key, and the gateway's own questions none. A slot has a worker, or may start one. */
  readonly #limit: Limit;
  readonly #options: Required<ZkThreadsOptions>;
  #isClosed = false;

  constructor(options: ZkThreadsOptions) {
    this.#options = { file: WORKER, limitMs: LIMIT_MS, longestMs: LONGEST_MS, ...options };
    this.#limit = new Limit({
      atOnce: options.max,
      maxWaiting: MAX_WAITING + MAX_WAITING_PROOFS,
      maxWaitingPerKey: MAX_WAITING_PROOFS_OF_PARTNER,
      refusal: (_reason, partnerId) => (partnerId === undefined ? busy() : verifierBusy()),
    });
  }

  /**
   * The reply to a question; undefined where the library is not installed.
   * @throws DomainError VERIFIER_BUSY when too many wait, when the question took too long, and when it broke two workers
   */
  async ask(question: () => Question): Promise<Reply | undefined> {
    if (this.#limit.waitingOf(undefined) >= MAX_WAITING) throw busy();
    return this.#limit.run(() => this.#ask(question));
  }

  /**
   * Runs work of a partner that has a proof checked, in its turn.
   * @throws DomainError VERIFIER_BUSY when too many proofs wait
   */
  async inTurn<T>(partnerId: string, work: (ask: AskJudge) => Promise<T>): Promise<T> {
    if (this.#limit.waiting - this.#limit.waitingOf(undefined) >= MAX_WAITING_PROOFS) throw verifierBusy();
    return this.#limit.run(() => work((question) => this.#judge(question)), { key: partnerId });
  }

  async #ask(question: () => Question): Promise<Reply | undefined> {
    try {
      return await this.#askOne(question());
    } catch (error) {
      // A worker may have been broken before; what breaks two of them is at fault itself.
      if (!(error instanceof ThreadEnded) || error.reason !== 'broken') throw asBusy(this.#reported(error));
      return this.#askOne(question()).catch((again: unknown) => Promise.reject(asBusy(this.#reported(again))));
    }
  }

  async #judge(question: Question): Promise<Reply | 'broken' | undefined> {
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
    this.#limit.close();
    await Promise.all([...this.#all].map((thread) => thread.end()));
  }

  /** @param until by the monotonic clock: when the reply is of no more use; otherwise LONGEST_MS after a worker is free. */
  async #askOne(question: Question, until?: number): Promise<Reply | undefined> {
    if (this.#isClosed) throw busy();
    const thread = this.#idle.pop() ?? this.#start();
    const { limitMs, longestMs, problems } = this.#options;
    try {
      const ready = await thread.started;
      problems.clear(PART);
      const isOff = ready.is === 'ready' && ready.isOff;
      const leftMs = until === undefined ? longestMs : until - performance.now();
      if (isOff || leftMs > 0) {
        const reply = isOff ? undefined : await thread.ask(question, limitMs, leftMs);
        this.#idle.push(thread);
        return reply;
      }
    } catch (error) {
      this.#all.delete(thread);
      throw error;
    }
    this.#idle.push(thread);
    throw busy();
  }

  #start(): Thread {
    const thread: Thread = new QuestionThread({ file: this.#options.file, maxMemoryMb: MAX_MEMORY_MB });
    this.#all.add(thread);
    return thread;
  }
}

/** Too many proofs wait; the same request may be sent again. */
export function verifierBusy(): DomainError {
  const message = `Too many proofs wait to be checked; try again in ${RETRY_AFTER_SECONDS} seconds.`;
  return new DomainError('VERIFIER_BUSY', message, { retryAfter: RETRY_AFTER_SECONDS });
}

const busy = (cause?: unknown): DomainError =>
  new DomainError(
    'VERIFIER_BUSY',
    `Proofs and signatures cannot be made now; try again in ${RETRY_AFTER_SECONDS} seconds.`,
    { retryAfter: RETRY_AFTER_SECONDS },
    { cause },
  );

const asBusy = (error: unknown): unknown => (error instanceof ThreadEnded ? busy(error) : error);
