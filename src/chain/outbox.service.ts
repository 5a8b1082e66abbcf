// The outbox: jobs for the chain, put there in the transaction of their fact; one elected sender (sender.ts) makes transactions of them.
import type { ClientSession } from 'mongoose';
import { badInput, DomainError } from '../base/errors.js';
import type { JobArgs } from './calls.js';
import type { ChainModels, JobKind, JobRow, JobState } from './models.js';

export type { JobKind, JobRow, JobState } from './models.js';

/** A job to be put into the outbox. */
export interface NewJob<K extends JobKind = JobKind> {
  jobId: string;
  kind: K;
  args: JobArgs[K];
}

/** A job as the operator sees it. */
export interface JobView {
  jobId: string;
  kind: JobKind;
  state: JobState;
  createdAt: Date;
  chainId: number | null;
  nonce: number | null;
  /** The one that was mined, else the newest that was signed. */
  txHash: string | null;
  blockNumber: number | null;
  gasUsed: number | null;
  errorMessage: string | null;
  story: { at: Date; what: string }[];
}

/** How many steps of its story a job keeps. */
export const STORY_ENTRIES = 60;

/** The update that adds a step to a story. */
export const told = (at: Date, what: string) => ({ story: { $each: [{ at, what }], $slice: -STORY_ENTRIES } });

export class ChainOutbox {
  constructor(
    private readonly models: ChainModels,
    private readonly clock: () => number,
  ) {}

  /** Puts a job into the outbox, in the caller's transaction; one that is there already is left as it is. */
  async put<K extends JobKind>({ jobId, kind, args }: NewJob<K>, session?: ClientSession): Promise<void> {
    const createdAt = new Date(this.clock());
    const row = {
      kind,
      args,
      state: 'queued',
      open: true,
      createdAt,
      tries: 0,
      attempts: [],
      story: [{ at: createdAt, what: 'queued' }],
    };
    await this.models.jobs.collection.updateOne({ _id: jobId } as never, { $setOnInsert: row } as never, {
      upsert: true,
      ...(session === undefined ? {} : { session }),
    });
  }

  /** Jobs, the newest first, at most `limit`. */
  async list({ states, limit }: { states?: readonly JobState[]; limit: number }): Promise<JobView[]> {
    const filter = states === undefined ? {} : { state: { $in: [...states] } };
    const rows = await this.models.jobs.find(filter).sort({ createdAt: -1, _id: -1 }).limit(limit).lean<JobRow[]>();
    return rows.map(viewOf);
  }

  /** A job, or null. */
  async find(jobId: string): Promise<JobView | null> {
    const row = await this.models.jobs.findById(jobId).lean<JobRow>();
    return row === null ? null : viewOf(row);
  }

  /** Sends a job that has failed once more. @throws DomainError NOT_FOUND, CONFLICT (has not failed). */
  async retry(jobId: string): Promise<JobView> {
    const at = new Date(this.clock());
    const again = {
      $set: { state: 'queued', open: true, tries: 0 },
      $unset: {
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
      },
      $push: told(at, 'queued again by the operator'),
    };
    return this.#change(jobId, { state: 'failed' }, again, 'Only a job that has failed can be tried again.');
  }

  /** Gives a job up: not signed yet, it fails; else an empty transfer takes its nonce, unless the job itself is mined first. @throws DomainError NOT_FOUND, CONFLICT. */
  async giveUp(jobId: string): Promise<JobView> {
    const at = new Date(this.clock());
    const row = await this.models.jobs.findById(jobId).lean<JobRow>();
    if (row?.kind === 'anchor')
      throw new DomainError('CONFLICT', 'Anchors are not given up: they are tried until they are there.');
    if (row?.state === 'queued') {
      const failed = {
        $set: { state: 'failed', errorMessage: GIVEN_UP },
        $unset: { open: 1 },
        $push: told(at, GIVEN_UP),
      };
      return this.#change(jobId, { state: 'queued' }, failed, 'The job is being sent; try again.');
    }
    const change = { $set: { givenUp: true }, $push: told(at, 'to be given up') };
    return this.#change(
      jobId,
      { state: { $in: ['signed', 'sent'] } },
      change,
      'Only a job that is not mined can be given up.',
    );
  }

  async #change(jobId: string, when: object, change: object, refusal: string): Promise<JobView> {
    if (jobId.length > 200) throw badInput('"jobId" is too long.', 'jobId');
    const row = await this.models.jobs
      .findOneAndUpdate({ _id: jobId, ...when }, change, { returnDocument: 'after' })
      .lean<JobRow>();
    if (row !== null) return viewOf(row);
    if (await this.models.jobs.exists({ _id: jobId })) throw new DomainError('CONFLICT', refusal);
    throw new DomainError('NOT_FOUND', 'There is no job with this jobId.', { field: 'jobId' });
  }
}

/** Why a job that the operator gave up has failed. */
export const GIVEN_UP = 'given up by the operator';

function viewOf(row: JobRow): JobView {
  return {
    jobId: row._id,
    kind: row.kind,
    state: row.state,
    createdAt: row.createdAt,
    chainId: row.chainId ?? null,
    nonce: row.nonce ?? null,
    txHash: row.transactionHash ?? row.attempts.at(-1)?.hash ?? null,
    blockNumber: row.blockNumber ?? null,
    gasUsed: row.gasUsed ?? null,
    errorMessage: row.errorMessage ?? null,
    story: row.story,
  };
}
