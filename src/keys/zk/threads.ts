// The proof workers of a process: started on demand up to a maximum number, each runs one question at a time.
import { Limit } from '../../base/concurrency/limit.js';
import { compiledFile, QuestionThread, ThreadEnded } from '../../base/concurrency/question-thread.js';
import { DomainError } from '../../base/errors.js';
import type { ProblemReport } from '../../base/monitoring/problems.js';
import type { Question, Reply } from './protocol.js';

/** JavaScript memory of a worker, in MiB, without the library's own. */
const MAX_MEMORY_MB = 128;
/** Processor time for one question; signing takes milliseconds. */
const LIMIT_MS = 10_000;
/** Total time of an untrusted question, on up to two workers; and the time of any other question on one worker. */
export const LONGEST_MS = 25_000;
/**
 * The most questions that wait: questions of the gateway itself, such as signatures; proofs to check, in total; and
 * those of one partner.
 */
const MAX_WAITING = 256;
const MAX_WAITING_PROOFS = 64;
const MAX_WAITING_PROOFS_OF_PARTNER = 32;
const RETRY_AFTER_SECONDS = 2;

type Thread = QuestionThread<Question, Reply>;

/**
 * Returns the reply to an untrusted question: `broken` if it computes too long or crashes two workers; undefined if the library is not installed.
 * @throws DomainError VERIFIER_BUSY if no worker starts, or the machine is too busy to finish in LONGEST_MS
 */
export type AskJudge = (question: Question) => Promise<Reply | 'broken' | undefined>;

const WORKER = compiledFile('./worker.js', import.meta.url, 'keys');

export interface ZkThreadsOptions {
  /** Most workers at the same time. */
  max: number;
  problems: ProblemReport;
  /** The worker's compiled file. */
  file?: URL;
  /** Limits for one question, milliseconds: processor time, and elapsed time. */
  limitMs?: number;
  longestMs?: number;
}

/**
 * Runs questions on worker threads, one at a time on each. Partners with waiting proofs, and the gateway's own questions, are served in turn.
 */
export class ZkThreads {
  readonly #idle: Thread[] = [];
  readonly #all = new Set<Thread>();
  /** Proofs have their partner as key; the gateway's own questions have no key. A slot has a worker, or starts one. */
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
   * Returns the reply to a question; undefined if the library is not installed. @throws DomainError VERIFIER_BUSY if
   * too many wait, if it takes too long, or if it crashes two workers
   */
  async ask(question: () => Question): Promise<Reply | undefined> {
    if (this.#limit.waitingOf(undefined) >= MAX_WAITING) throw busy();
    return this.#limit.run(() => this.#ask(question));
  }

  /**
   * Runs the check of a partner's proof when a worker is free, in fair order among partners.
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
      // The worker may have been damaged by an earlier question; a question that crashes two workers is itself the
      // cause.
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

  /** Reports a worker that does not start in a minute, or two failed starts, to the operator: the installation is faulty. */
  #reported(error: unknown): unknown {
    if (error instanceof ThreadEnded && error.step === 'start')
      this.#options.problems.raise('proofs-no-worker', { cause: error.cause });
    return error;
  }

  /** Ends the workers; running questions fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#limit.close();
    await Promise.all([...this.#all].map((thread) => thread.end()));
  }

  /** @param until deadline by the monotonic clock; by default LONGEST_MS after a worker is free. */
  async #askOne(question: Question, until?: number): Promise<Reply | undefined> {
    if (this.#isClosed) throw busy();
    const thread = this.#idle.pop() ?? this.#start();
    const { limitMs, longestMs, problems } = this.#options;
    try {
      const ready = await thread.started;
      problems.clear('proofs-no-worker');
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
