// The state changes of a job (contract §20). Each is a compare-and-set on the previous state, so that only one of two processes makes a
// change.
import type { ClientSession, Connection } from 'mongoose';
import { DELAYS, pauseAfter } from '../base/concurrency/retry.js';
import { MAJORITY } from '../base/mongodb/majority.js';
import { native } from '../base/mongodb/native.js';
import type { ContractAddresses } from '../evm/contracts.js';
import type { Hex, Receipt } from '../evm/rpc.js';
import type { Fees } from './fees.js';
import type { JobHandlers } from './job-handlers.js';
import type { Attempt, ChainModels, JobRow, JobState } from './models.js';
import { GIVEN_UP, storyUpdate } from './story.js';

export interface StepParts {
  connection: Connection;
  models: ChainModels;
  handlers: JobHandlers;
  /** How long an ended job is stored, milliseconds; undefined: without end. */
  retentionMs: number | undefined;
  clock(): number;
}

/** More writes in the transaction of a step. */
type AlsoWrite = (session: ClientSession) => Promise<void>;

/** How many hashes of earlier attempts are stored with a job. */
const EARLIER = 200;
/** The most attempts of a job for one nonce. The oldest, with the lowest fees, leave their hash alone. */
const MOST_ATTEMPTS = 50;

/** Changes the states of jobs. */
export class JobSteps {
  constructor(private readonly parts: StepParts) {}

  /** Stores the signed bytes and the nonce before anything is sent; `advanceNonce` advances the sender's nonce in the same transaction. */
  async signed(
    job: JobRow,
    at: { chainId: number; relayer: Hex; nonce: number; attempt: Attempt },
    advanceNonce: (session: ClientSession) => Promise<void>,
  ): Promise<boolean> {
    const { chainId, relayer, nonce, attempt } = at;
    const change = {
      $set: { state: 'signed', chainId, relayer, nonce },
      $push: { attempts: attempt, ...storyUpdate(attempt.at, `signed with nonce ${nonce}`) },
    };
    return this.parts.connection.transaction(async (session) => {
      const row = await this.#set(job._id, { state: 'queued' }, change, session);
      if (row) await advanceNonce(session);
      return row;
    }, MAJORITY);
  }

  /** Stores other bytes for the same nonce. `requireTerm` throws if another process is the sender now. */
  async signedAgain(
    job: JobRow,
    attempt: Attempt,
    requireTerm: (session: ClientSession) => Promise<void>,
  ): Promise<boolean> {
    const what = attempt.empty
      ? 'an empty transfer signed for its nonce'
      : `signed again for ${attempt.maxFeePerGas} wei`;
    const dropped = job.attempts.slice(0, -(MOST_ATTEMPTS - 1));
    const change = {
      $push: {
        attempts: { $each: [attempt], $slice: -MOST_ATTEMPTS },
        ...storyUpdate(attempt.at, what),
        ...(dropped.length > 0 ? earlierOf(dropped) : {}),
      },
    };
    return this.parts.connection.transaction(async (session) => {
      await requireTerm(session);
      return this.#set(job._id, { state: { $in: ['signed', 'sent'] } }, change, session);
    }, MAJORITY);
  }

  sent(job: JobRow): Promise<boolean> {
    return this.#set(
      job._id,
      { state: 'signed' },
      { $set: { state: 'sent' }, $push: storyUpdate(this.#now(), 'sent') },
    );
  }

  /** The job is in a block. @param chainId the block's chain, if the transaction is one from before the job was queued again. */
  mined(job: JobRow, receipt: Receipt, chainId?: number): Promise<boolean> {
    const { transactionHash, blockNumber, blockHash, gasUsed, status } = receipt;
    const facts = { transactionHash, blockNumber, blockHash, gasUsed, reverted: status === '0x0' };
    const what = `mined in block ${blockNumber}${facts.reverted ? ', reverted' : ''}`;
    const set = { ...facts, state: 'mined', ...(chainId === undefined ? {} : { chainId }) };
    const from = chainId === undefined ? ['signed', 'sent', 'mined'] : ['queued'];
    return this.#set(job._id, { state: { $in: from } }, { $set: set, $push: storyUpdate(this.#now(), what) });
  }

  /** A confirmed job is now in another block. */
  async moved(job: JobRow, { blockNumber, blockHash, transactionHash }: Receipt): Promise<void> {
    const facts = { blockNumber, blockHash, transactionHash };
    await this.#set(
      job._id,
      { state: 'confirmed' },
      { $set: facts, $push: storyUpdate(this.#now(), `moved to block ${blockNumber}`) },
    );
  }

  /** Its block is no longer on the chain: its transaction is sent again. For a failed job, an empty transfer is sent. */
  gone(job: JobRow): Promise<boolean> {
    const change = {
      $set: { state: 'sent', open: true, ...(job.state === 'failed' ? { givenUp: true } : {}) },
      $unset: { watched: 1, blockNumber: 1, blockHash: 1, transactionHash: 1, reverted: 1, expireAt: 1 },
      $push: storyUpdate(this.#now(), 'its block is gone'),
    };
    return this.#set(job._id, { state: job.state, transactionHash: job.transactionHash }, change);
  }

  /**
   * Its nonce was used by another transaction, or its chain or key is no longer used: the job is queued and will get
   * another nonce. `held` throws if this process is no longer the sender.
   */
  requeued(job: JobRow, why: string, held: AlsoWrite): Promise<boolean> {
    const fields = [
      'nonce',
      'relayer',
      'chainId',
      'watched',
      'blockNumber',
      'blockHash',
      'transactionHash',
      'reverted',
      'notBefore',
    ];
    const unset = Object.fromEntries(fields.map((field) => [field, 1 as const]));
    const at = this.#now();
    const change =
      job.state === 'failed'
        ? { $unset: unset, $push: storyUpdate(at, why) }
        : {
            $set: { state: 'queued', open: true, attempts: [] },
            $unset: { ...unset, expireAt: 1 },
            $push: { ...storyUpdate(at, why), ...earlierOf(job.attempts) },
          };
    // Requires that the job has not changed since it was read: another sender may have signed it again.
    const { state, chainId = null, relayer = null, nonce = null } = job;
    return this.parts.connection.transaction(async (session) => {
      await held(session);
      return this.#set(job._id, { state, chainId, relayer, nonce }, change, session);
    }, MAJORITY);
  }

  /** The job is deep enough: it is confirmed, or has failed because it reverted or an empty transfer replaced it. */
  async ended(job: JobRow, chain: { chainId: number; contracts: ContractAddresses }): Promise<void> {
    const isEmpty = job.attempts.some(({ hash, empty }) => empty && hash === job.transactionHash);
    if (job.reverted && job.kind === 'anchor') return this.retriedLater(job, 'reverted');
    if (isEmpty || job.reverted) {
      await this.failed(job, isEmpty ? GIVEN_UP : 'The transaction was reverted.');
      return;
    }
    const confirmedAt = job.confirmedAt ?? this.#now();
    const change = {
      $set: { state: 'confirmed', watched: true, confirmedAt },
      $unset: { open: 1, errorMessage: 1 },
      $push: storyUpdate(this.#now(), 'confirmed'),
    };
    const { transactionHash = '0x', blockNumber = 0, gasUsed = 0 } = job;
    await this.parts.connection.transaction(async (session) => {
      const isOurs = await this.#set(job._id, { state: 'mined', transactionHash }, change, session);
      // After a reorganisation, the handler is not called again.
      if (!isOurs || job.confirmedAt !== undefined) return;
      const facts = { ...chain, transactionHash, blockNumber, gasUsed, confirmedAt };
      await this.parts.handlers[job.kind]?.confirmed(job, facts, session);
    }, MAJORITY);
  }

  /** Ends the job without an effect. @param message our own sentence, for people. */
  async failed(job: JobRow, message: string, alsoWrite?: AlsoWrite): Promise<boolean> {
    const change = {
      $set: { state: 'failed', errorMessage: message, ...this.#expiry() },
      $unset: { open: 1, watched: 1 },
      $push: storyUpdate(this.#now(), message),
    };
    return this.parts.connection.transaction(async (session) => {
      const isOurs = await this.#set(job._id, { state: job.state }, change, session);
      if (isOurs && job.confirmedAt === undefined) await this.parts.handlers[job.kind]?.failed?.(job, message, session);
      if (isOurs) await alsoWrite?.(session);
      return isOurs;
    }, MAJORITY);
  }

  /** Queues the job again, with a new nonce. It waits 5 s, doubled each time, at most 10 minutes. */
  async retriedLater(job: JobRow, why: string): Promise<void> {
    const at = this.#now();
    const delay = pauseAfter(DELAYS.chainJob, job.tries + 1);
    const change = {
      $set: {
        state: 'queued',
        tries: job.tries + 1,
        errorMessage: why,
        notBefore: new Date(at.getTime() + delay),
        attempts: [],
      },
      $unset: { nonce: 1, relayer: 1, chainId: 1, blockNumber: 1, blockHash: 1, transactionHash: 1, reverted: 1 },
      $push: { ...storyUpdate(at, `${why}: tried again in ${delay / 1_000} s`), ...earlierOf(job.attempts) },
    };
    await this.#set(job._id, { state: job.state }, change);
  }

  /** Stops watching a job that is deep enough. */
  async unwatched(job: JobRow): Promise<void> {
    const expiry = this.#expiry();
    const set = expiry === undefined ? {} : { $set: expiry };
    await this.#set(job._id, { state: 'confirmed' }, { ...set, $unset: { watched: 1 } });
  }

  /** Queues a failed job again, if its domain still needs it. */
  async retried(job: JobRow, alsoWrite?: AlsoWrite): Promise<boolean> {
    const unset = {
      errorMessage: 1,
      givenUp: 1,
      reverted: 1,
      notBefore: 1,
      chainId: 1,
      relayer: 1,
      nonce: 1,
      transactionHash: 1,
      blockNumber: 1,
      blockHash: 1,
      expireAt: 1,
    };
    const change = {
      $set: { state: 'queued', open: true, tries: 0, attempts: [] },
      $unset: unset,
      $push: { ...storyUpdate(this.#now(), 'queued again by the operator'), ...earlierOf(job.attempts) },
    };
    return this.parts.connection.transaction(async (session) => {
      const isOurs = await this.#set(job._id, { state: 'failed' }, change, session);
      if (isOurs) await this.parts.handlers[job.kind]?.retried?.(job, session);
      if (isOurs) await alsoWrite?.(session);
      return isOurs;
    }, MAJORITY);
  }

  #expiry(): { expireAt: Date; retentionMs: number } | undefined {
    const { retentionMs, clock } = this.parts;
    return retentionMs === undefined ? undefined : { expireAt: new Date(clock() + retentionMs), retentionMs };
  }

  #now(): Date {
    return new Date(this.parts.clock());
  }

  async #set(_id: string, when: object, change: object, session?: ClientSession): Promise<boolean> {
    const { modifiedCount } = await native(this.parts.models.jobs).updateOne(
      { _id, ...when },
      change,
      session === undefined ? {} : { session },
    );
    return modifiedCount > 0;
  }
}

/** The update that stores the hashes of attempts that a job no longer has, because one of their transactions may still be mined. */
const earlierOf = (attempts: readonly Attempt[]) => ({
  earlier: { $each: attempts.map(({ hash }) => hash), $slice: -EARLIER },
});

/** The fees of a job's newest attempt. */
export function feesOf({ attempts }: JobRow): Fees {
  const { maxFeePerGas = '0', maxPriorityFeePerGas = '0' } = attempts.at(-1) ?? {};
  return { maxFeePerGas: BigInt(maxFeePerGas), maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas) };
}

/**
 * Filter of the jobs that may be tried at a time, milliseconds since the epoch: jobs that do not wait, jobs whose wait
 * is over, and jobs that would wait longer than the maximum, because the clock was set back.
 */
export const dueAt = (now: number) => ({
  notBefore: { $not: { $gt: new Date(now), $lte: new Date(now + DELAYS.chainJob.mostMs) } },
});

/** States in which a transaction may still be mined. */
export const UNDER_WAY: readonly JobState[] = ['signed', 'sent'];
