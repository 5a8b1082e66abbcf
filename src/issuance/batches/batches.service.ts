// Batches of issuances for partners: creates, shows, retries and cancels them. worker.ts issues their rows.

import { randomUUID } from 'node:crypto';
import type { OperatorCaller, PartnerCaller } from '../../base/callers/caller.js';
import { badInput, DomainError } from '../../base/errors.js';
import { isJsonObject } from '../../base/json/json-object.js';
import { native } from '../../base/mongodb/native.js';
import { newestFirst } from '../../graphql/shapes/newest-first.js';
import type { PageOf } from '../../graphql/shapes/relay.js';
import type { PageInput } from '../../http/routes/operation.js';
import type { RecordWrites } from '../../store/audit-port.js';
import type { Remember } from '../../store/idempotency.js';
import { admittedCredential, type RequestServices } from '../request.js';
import type { BatchItemRow, BatchModels, IssuanceJobRow } from './models.js';
import type { BatchRows } from './rows.js';
import {
  type Batch,
  type BatchProgress,
  type BatchRequest,
  type BatchRow,
  type BatchSummary,
  batchOf,
  batchSummaryOf,
} from './types.js';

export interface BatchOptions extends RequestServices {
  models: BatchModels;
  batchRows: BatchRows;
  recordWrites: RecordWrites;
  /** How long a job is stored, with its results and the content of failed rows, milliseconds. */
  retentionMs: number;
  clock(): number;
}

type Owner = PartnerCaller | OperatorCaller;

/** Rows of a job. */
export const MAX_ROWS = 10_000;
const MAX_KEY = 255;
const EPOCH = new Date(0);

/** Creates, shows and cancels batches. */
export class Batches {
  constructor(private readonly options: BatchOptions) {}

  /**
   * Creates a job and returns its id; its rows are then issued in the background. An error in a row fails only that row.
   * @throws DomainError FORBIDDEN, NOT_FOUND, CONFLICT as issue-on-behalf does; BAD_USER_INPUT for the rows as a whole.
   */
  async create(
    partner: PartnerCaller,
    request: BatchRequest,
    remember: Remember<string> = async () => {},
  ): Promise<string> {
    checkRows(request.rows);
    const now = new Date(this.options.clock());
    await admittedCredential(this.options, partner, request, now);
    const { retentionMs } = this.options;
    const job = jobOf(partner, request, now, retentionMs);
    const { models, batchRows, recordWrites } = this.options;
    const rows = request.rows.map(({ rowKey, ...content }, index): BatchItemRow => {
      const _id = `${job._id} ${rowKey}`;
      const sealed = batchRows.seal(_id, { request: content });
      return { _id, jobId: job._id, rowKey, index, state: 'waiting', sealed, expireAt: job.expireAt, retentionMs };
    });
    // The job is written last, so that workers never see an incomplete one. Rows without a job expire.
    await native(models.rows).insertMany(rows);
    await models.jobs.db.transaction(async (session) => {
      await remember(job._id, session);
      await native(models.jobs).insertOne(job, { session });
      const entry = { operation: 'batch.create', subject: job._id, outcome: 'created', after: job } as const;
      await recordWrites(partner, [entry], session);
    });
    return job._id;
  }

  /** A batch of the partner; for operators any. @throws DomainError NOT_FOUND. */
  async find(caller: Owner, jobId: string): Promise<Batch> {
    return batchOf(await this.#row(caller, jobId));
  }

  async #row(caller: Owner, jobId: string): Promise<IssuanceJobRow> {
    const own = caller.kind === 'operator' ? {} : { partnerId: caller.partnerId };
    const job = await this.options.models.jobs.findOne({ _id: jobId, ...own }).lean<IssuanceJobRow>();
    if (job) return job;
    throw new DomainError('NOT_FOUND', 'No batch has this jobId.', { field: 'jobId' });
  }

  /**
   * A page of the partner's batches, newest first; for an operator, of all batches. @throws DomainError BAD_USER_INPUT
   * (`after`).
   */
  async page(caller: Owner, page: PageInput): Promise<PageOf<BatchSummary>> {
    const filter = caller.kind === 'operator' ? {} : { partnerId: caller.partnerId };
    const { limit, after } = page;
    const show = (rows: IssuanceJobRow[]) => rows.map(batchSummaryOf);
    return newestFirst({ model: this.options.models.jobs, filter, projection: SUMMARY, limit, after, show });
  }

  /** Live counts of a batch's rows. */
  progress({ jobId: _id, total }: Batch): Promise<BatchProgress> {
    return this.options.batchRows.progress({ _id, total });
  }

  /** A page of a batch's results, in the order of its rows. @throws DomainError BAD_USER_INPUT (`after`). */
  async results({ jobId, total }: Batch, { limit, after }: PageInput): Promise<PageOf<BatchRow>> {
    const start = after === undefined ? 0 : indexOf(after) + 1;
    const page = await this.options.models.rows
      .find({ jobId, index: { $gte: start } })
      .sort({ index: 1 })
      .limit(limit)
      .lean<BatchItemRow[]>();
    const edges = page.map((row) => ({ node: this.#resultOf(row), cursor: cursorOf(row.index) }));
    return {
      nodes: edges.map(({ node }) => node),
      edges,
      pageInfo: {
        hasNextPage: (page.at(-1)?.index ?? total) < total - 1,
        hasPreviousPage: start > 0,
        startCursor: edges.at(0)?.cursor ?? null,
        endCursor: edges.at(-1)?.cursor ?? null,
      },
      total: async () => ({ count: total, exact: true }),
    };
  }

  /** Retries the failed rows of a job. @throws DomainError as `find`; CONFLICT for a cancelled job. */
  async retry(caller: Owner, jobId: string): Promise<Batch> {
    const before = await this.#row(caller, jobId);
    const { jobs, rows } = this.options.models;
    return jobs.db.transaction(async (session) => {
      // Written even if the job is already running: if it ends at this moment, the two transactions conflict, and one
      // is repeated.
      const job = await jobs
        .findOneAndUpdate(
          { _id: jobId, state: { $in: ['running', 'finished'] } },
          { $set: { state: 'running', finishedAt: null, takenAt: EPOCH } },
          { session, returnDocument: 'after' },
        )
        .lean<IssuanceJobRow>();
      if (!job) throw new DomainError('CONFLICT', 'This batch was cancelled; its rows were erased.');
      await rows.updateMany(
        { jobId, state: 'failed' },
        { $set: { state: 'waiting' }, $unset: { errorCode: 1 } },
        { session },
      );
      const entry = { operation: 'batch.retry', subject: jobId, outcome: 'started', before, after: job } as const;
      await this.options.recordWrites(caller, [entry], session);
      return batchOf(job);
    });
  }

  /** Cancels and erases the rows that are not issued yet. Rows in progress may still be issued. @throws DomainError as `find`. */
  async cancel(caller: Owner, jobId: string): Promise<Batch> {
    const before = await this.#row(caller, jobId);
    const { batchRows } = this.options;
    // If all rows are issued, there is nothing to cancel.
    if (before.state === 'finished' && (await batchRows.progress(before)).failed === 0) return batchOf(before);
    // The cancellation is stored first, so that a worker can complete it if this process cannot.
    await this.#beginCancelling(caller, before);
    const job = await this.#row(caller, jobId);
    if (job.state === 'cancelling') await batchRows.endIfDone(job);
    return this.find(caller, jobId);
  }

  async #beginCancelling(caller: Owner, before: IssuanceJobRow): Promise<void> {
    const { models, recordWrites } = this.options;
    const { _id } = before;
    const after = { state: 'cancelling' } as const;
    await models.jobs.db.transaction(async (session) => {
      const open = { _id, state: { $in: ['running', 'finished'] as const } };
      const { modifiedCount } = await models.jobs.updateOne(open, { $set: after }, { session });
      if (modifiedCount === 0) return;
      const entry = { operation: 'batch.cancel', subject: _id, outcome: 'ended', before, after } as const;
      await recordWrites(caller, [entry], session);
    });
  }

  #resultOf(row: BatchItemRow): BatchRow {
    const { rowKey, coreClaimHash = null, userUuid = null, errorCode } = row;
    const message = errorCode === undefined ? null : (this.options.batchRows.open(row)?.message ?? null);
    const state = row.state === 'held' ? 'checked' : row.state;
    const held = state === 'checked' ? row.state === 'held' : null;
    return { rowKey, state, coreClaimHash, userUuid, error: errorCode ? { code: errorCode, message } : null, held };
  }
}

const SUMMARY: Readonly<Record<Exclude<keyof BatchSummary, 'jobId'>, 1>> = {
  ...{ partnerId: 1, issuerDid: 1, credentialId: 1, dryRun: 1 },
  ...{ state: 1, total: 1, createdAt: 1, finishedAt: 1 },
};

/**
 * Checks rows as far as possible without their credential. @throws DomainError BAD_USER_INPUT naming the first invalid
 * row.
 */
function checkRows(rows: BatchRequest['rows']): void {
  if (rows.length === 0 || rows.length > MAX_ROWS)
    throw badInput(`"rows" must hold 1 to ${MAX_ROWS} rows; there are ${rows.length}.`, 'rows');
  const seen = new Set<string>();
  for (const [index, { rowKey, credentialSubject }] of rows.entries()) {
    const field = `rows[${index}].rowKey`;
    if (rowKey === '' || rowKey.length > MAX_KEY)
      throw badInput(`"${field}" must have 1 to ${MAX_KEY} characters.`, field);
    if (seen.has(rowKey)) throw badInput(`"${field}" is the key of an earlier row.`, field);
    seen.add(rowKey);
    const subject = `rows[${index}].credentialSubject`;
    if (!isJsonObject(credentialSubject)) throw badInput(`"${subject}" must be an object.`, subject);
  }
}

function jobOf(
  { partnerId, kid }: PartnerCaller,
  request: BatchRequest,
  now: Date,
  retentionMs: number,
): IssuanceJobRow {
  const { issuerDid, credentialId, onDuplicate, dryRun, rows } = request;
  return {
    _id: randomUUID(),
    partnerId,
    kid,
    issuerDid,
    credentialId,
    onDuplicate,
    dryRun,
    state: 'running',
    total: rows.length,
    createdAt: now,
    finishedAt: null,
    worker: '',
    leaseUntil: EPOCH,
    fence: 0,
    takenAt: EPOCH,
    expireAt: new Date(now.getTime() + retentionMs),
    retentionMs,
  };
}

const cursorOf = (index: number): string => Buffer.from(`row ${index}`).toString('base64url');

function indexOf(cursor: string): number {
  const [, index] = /^row (\d{1,5})$/.exec(Buffer.from(cursor.slice(0, 50), 'base64url').toString()) ?? [];
  if (index !== undefined) return Number(index);
  throw badInput('"after" is not a cursor of this list; use an "endCursor" of this list.', 'after');
}
