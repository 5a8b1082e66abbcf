// The outbox of chain jobs. A job is added in the transaction of its cause; the elected sender (sender.ts) signs and sends its transaction.
import { setTimeout as delay } from 'node:timers/promises';
import type { ClientSession } from 'mongoose';
import type { Caller } from '../base/callers/caller.js';
import { badInput, DomainError } from '../base/errors.js';
import { native } from '../base/mongodb/native.js';
import type { RecordWrites } from '../store/audit-port.js';
import type { JobArgs } from './calls.js';
import type { JobHandler, JobHandlers } from './job-handlers.js';
import type { JobSteps } from './job-steps.js';
import type { ChainModels, JobKind, JobRow, JobState } from './models.js';
import { GIVEN_UP, storyUpdate } from './story.js';
import { type ChainJob, chainJobView } from './types.js';

export type { JobFacts, JobHandler } from './job-handlers.js';
export type { JobKind, JobRow, JobState } from './models.js';

/** A new job. */
export interface NewJob<K extends JobKind = JobKind> {
  jobId: string;
  kind: K;
  args: JobArgs[K];
  /** The holder that may see it, besides the operator. */
  holderId?: string;
  partnerId?: string;
  /** The most gas that its transaction may use; absent: as much as it needs. */
  gasLimit?: number;
}

export interface OutboxParts {
  models: ChainModels;
  steps: JobSteps;
  /** Handlers of the ends of jobs, by kind; `handle` adds them. */
  handlers: JobHandlers;
  recordWrites: RecordWrites;
  clock(): number;
}

const POLL_MS = 100;
/** How long a caller waits for the hash of a transaction (contract §20). */
const HASH_WAIT_MS = 5_000;

/** The jobs for the chain. */
export class ChainOutbox {
  constructor(private readonly parts: OutboxParts) {}

  /** The steps of jobs, for the sender. */
  get steps(): JobSteps {
    return this.parts.steps;
  }

  /** Adds the handler of a kind of jobs. */
  handle(kind: JobKind, handler: JobHandler): void {
    this.parts.handlers[kind] = handler;
  }

  /** Adds a job, in the caller's transaction, unless it exists already. */
  async put<K extends JobKind>({ jobId, ...job }: NewJob<K>, session?: ClientSession): Promise<void> {
    const createdAt = new Date(this.parts.clock());
    const row = {
      ...job,
      state: 'queued',
      open: true,
      createdAt,
      tries: 0,
      attempts: [],
      story: [{ at: createdAt, what: 'queued' }],
    };
    await native(this.parts.models.jobs).updateOne(
      { _id: jobId },
      { $setOnInsert: row },
      {
        upsert: true,
        ...(session === undefined ? {} : { session }),
      },
    );
  }

  /** Jobs, the newest first, at most `limit`. */
  async list({ states, limit }: { states?: readonly JobState[]; limit: number }): Promise<ChainJob[]> {
    const filter = states === undefined ? {} : { state: { $in: [...states] } };
    const { jobs } = this.parts.models;
    const rows = await jobs.find(filter).sort({ createdAt: -1, _id: -1 }).limit(limit).lean<JobRow[]>();
    return rows.map(chainJobView);
  }

  /** A job, or null. */
  async find(jobId: string, session?: ClientSession): Promise<ChainJob | null> {
    const row = await this.parts.models.jobs.findById(jobId, null, { session }).lean<JobRow>();
    return row === null ? null : chainJobView(row);
  }

  /** Waits until a job is signed or has failed, at most 5 s, and returns it. @throws DomainError NOT_FOUND. */
  async signed(jobId: string): Promise<ChainJob> {
    const until = performance.now() + HASH_WAIT_MS;
    for (;;) {
      const job = await this.find(jobId);
      if (job === null) throw noJob();
      if (job.txHash !== null || job.state === 'failed' || performance.now() > until) return job;
      await delay(POLL_MS);
    }
  }

  /** Retries a failed job. @throws DomainError NOT_FOUND, CONFLICT (has not failed, or is no longer needed). */
  async retry(caller: Caller, jobId: string): Promise<ChainJob> {
    const row = await this.#row(jobId);
    const refusal = 'Only a job that has failed can be tried again.';
    const record = (session: ClientSession) =>
      this.#record(caller, { operation: 'chain-job.retry', before: row, after: { ...row, state: 'queued' } }, session);
    if (row.state !== 'failed' || !(await this.parts.steps.retried(row, record)))
      throw new DomainError('CONFLICT', refusal);
    return chainJobView(await this.#row(jobId));
  }

  /** Cancels a job. If it is not signed yet, it fails; otherwise an empty transfer with its nonce replaces it, unless it is mined first. @throws DomainError NOT_FOUND, CONFLICT. */
  async giveUp(caller: Caller, jobId: string): Promise<ChainJob> {
    const row = await this.#row(jobId);
    if (row.kind === 'anchor')
      throw new DomainError(
        'CONFLICT',
        'Anchor jobs cannot be given up: they are retried until they are on the chain.',
      );
    if (row.state === 'queued') {
      const after = { ...row, state: 'failed' as const };
      const record = (session: ClientSession) =>
        this.#record(caller, { operation: 'chain-job.give-up', before: row, after }, session);
      if (!(await this.parts.steps.failed(row, GIVEN_UP, record)))
        throw new DomainError('CONFLICT', 'The job is being sent; try again.');
      return chainJobView(await this.#row(jobId));
    }
    const change = { $set: { givenUp: true }, $push: storyUpdate(new Date(this.parts.clock()), 'to be given up') };
    const underWay = { _id: jobId, state: { $in: ['signed' as const, 'sent' as const] } };
    const { jobs } = this.parts.models;
    const options = { returnDocument: 'after' } as const;
    const changed = await jobs.db.transaction(async (session) => {
      const after = await jobs.findOneAndUpdate(underWay, change, { ...options, session }).lean<JobRow>();
      if (after) await this.#record(caller, { operation: 'chain-job.give-up', before: row, after }, session);
      return after;
    });
    if (changed === null) throw new DomainError('CONFLICT', 'Only a job that is not mined can be given up.');
    return chainJobView(changed);
  }

  #record(
    caller: Caller,
    { operation, before, after }: { operation: 'chain-job.retry' | 'chain-job.give-up'; before: JobRow; after: JobRow },
    session: ClientSession,
  ): Promise<void> {
    const outcome = operation === 'chain-job.retry' ? 'started' : 'ended';
    return this.parts.recordWrites(caller, [{ operation, subject: before._id, outcome, before, after }], session);
  }

  async #row(jobId: string): Promise<JobRow> {
    if (jobId.length > 200) throw badInput('"jobId" must have at most 200 characters.', 'jobId');
    const row = await this.parts.models.jobs.findById(jobId).lean<JobRow>();
    if (row === null) throw noJob();
    return row;
  }
}

const noJob = () => new DomainError('NOT_FOUND', 'No job has this jobId.', { field: 'jobId' });
