// Sends mails: a few at a time, with a bounded queue and a time limit for each attempt. No request waits for them.
import { setTimeout as wait } from 'node:timers/promises';
import { handleWhen, type RetryPolicy } from 'cockatiel';
import { Limit } from '../base/concurrency/limit.js';
import { DELAYS, type Delays, retrying } from '../base/concurrency/retry.js';
import type { ProblemReport } from '../base/monitoring/problems.js';
import { reasonOf } from '../base/reason.js';

export interface MailQueueOptions<M> {
  /** Passes a mail to the mail server; closes its connection when the signal aborts. */
  send(mail: M, signal: AbortSignal): Promise<unknown>;
  problems: ProblemReport;
  /** Time limit of an attempt, milliseconds; default 10 s. */
  attemptMs?: number;
  /** Delays between the attempts for one mail; default `DELAYS.mail`. */
  delays?: Delays;
}

const ATTEMPT_MS = 10_000;
const AT_ONCE = 5;
const MAX_WAITING = 1_000;
/** So many mails in a row whose recipients the server refuses are a problem of the server: it may relay for nobody. */
const REFUSED_RECIPIENTS = 3;

/** A bounded queue of outgoing mails. */
export class MailQueue<M> {
  readonly #end = new AbortController();
  readonly #limit = new Limit({ atOnce: AT_ONCE });
  readonly #again: RetryPolicy;
  /** How many mails had their recipient refused since the last one that was taken. */
  #refused = 0;

  constructor(private readonly options: MailQueueOptions<M>) {
    const isWorthIt = handleWhen((error) => !isFinal(error) && !this.#end.signal.aborted);
    this.#again = retrying(options.delays ?? DELAYS.mail, isWorthIt).dangerouslyUnref();
  }

  /** Mails that are not sent yet. */
  get size(): number {
    return this.#limit.running + this.#limit.waiting;
  }

  /** Whether it takes no mail now. */
  get isFull(): boolean {
    return this.#limit.waiting >= MAX_WAITING || this.#end.signal.aborted;
  }

  /** Queues a mail; returns false if the queue is full. */
  put(mail: M): boolean {
    if (this.isFull) return false;
    // Failures are reported elsewhere; no request waits for the mail.
    this.#limit.run(() => this.#deliver(mail)).catch(() => {});
    return true;
  }

  /** Stops sending, and abandons mails in progress. */
  close(): void {
    this.#limit.close();
    this.#end.abort();
  }

  async #deliver(mail: M): Promise<void> {
    const { problems } = this.options;
    const { signal } = this.#end;
    let isRefused = false;
    await this.#again.execute(async () => {
      signal.throwIfAborted();
      try {
        await this.#attempt(mail);
        this.#refused = 0;
        problems.clear('mail-not-taken');
      } catch (cause) {
        if (isOfRecipient(cause)) {
          // One address may be mistyped.
          if (!isRefused) this.#refused += 1;
          isRefused = true;
        }
        const isOfServer = !isOfRecipient(cause) || this.#refused >= REFUSED_RECIPIENTS;
        if (!signal.aborted && isOfServer) problems.raise('mail-not-taken', { cause: withoutText(cause) });
        throw cause;
      }
    });
  }

  /** One attempt, with a time limit: a mail server may keep its connection busy indefinitely. */
  async #attempt(mail: M): Promise<void> {
    const { send, attemptMs = ATTEMPT_MS } = this.options;
    const end = new AbortController();
    const signal = AbortSignal.any([end.signal, this.#end.signal]);
    const tooLate = wait(attemptMs, undefined, { signal, ref: false }).then(() => {
      throw Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' });
    });
    try {
      await Promise.race([send(mail, signal), tooLate]);
    } finally {
      end.abort();
    }
  }
}

/** The error's code alone, because the mail server's text repeats the address, and causes are logged. */
function withoutText(cause: unknown): Error {
  const code = reasonOf(cause)?.code ?? 'unknown';
  return Object.assign(new Error(`the mail server did not take the mail: ${code}`), { code });
}

/** Whether the server took the sender and refused the recipient. */
const isOfRecipient = (cause: unknown): boolean =>
  typeof cause === 'object' && cause !== null && (cause as { command?: unknown }).command === 'RCPT TO';

/** Whether the server refused this mail permanently (RFC 5321 §4.2.1). */
function isFinal(cause: unknown): boolean {
  const { responseCode } = (typeof cause === 'object' && cause !== null ? cause : {}) as { responseCode?: unknown };
  return typeof responseCode === 'number' && responseCode >= 500;
}
