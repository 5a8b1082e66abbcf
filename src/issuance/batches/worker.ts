// The worker of batches: every process takes turns at jobs, by a lease in the database timed with the database's clock. A row's result is
// written in the transaction of its issuance, so that neither a killed process nor two workers on one job issue a row twice.
import { randomUUID } from 'node:crypto';
import type { ClientSession } from 'mongoose';
import { Bell } from '../../base/concurrency/bell.js';
import { type PartnerCaller, partnerWithoutToken } from '../../base/callers/caller.js';
import { badInput, DomainError, ERRORS, toDomainError } from '../../base/errors.js';
import { parseInput } from '../../base/input.js';
import { inParallel } from '../../base/concurrency/parallel.js';
import type { PartnerDirectory } from '../../partners/directory.service.js';
import { isOver } from '../../store/lease-end.js';
import type { IssuanceService } from '../issuance.js';
import type { IssuanceAnswer } from '../issue-transaction.js';
import { type IssueRequest, issueBody } from '../request.js';
import type { BatchModels, IssuanceJobRow, BatchItemRow } from './models.js';
import type { BatchRows } from './rows.js';

/** Rows of one job that a worker issues at once. */
const CONCURRENCY = 8;
/** Rows of one turn. After it, the job that waited longest is next. */
const ROWS_PER_TURN = 32;
/** How long a silent worker keeps a job. A worker that outlives it wastes work, but issues nothing twice. */
const LEASE_MS = 15_000;
/** How often a worker that nobody wakes looks for jobs: those of a killed worker. */
const IDLE_MS = 2_000;
const FREE = isOver('$leaseUntil', LEASE_MS);

export interface BatchWorkerOptions {
  models: BatchModels;
  batchRows: BatchRows;
  issuance: IssuanceService;
  partners: PartnerDirectory;
  onError(error: unknown): void;
}

/** Another process has settled the row; a transaction that notices this must not commit. */
class RowSettled extends Error {
  override readonly name = 'RowSettled';
}

/** Works on the rows of batches, in turns. */
export class BatchWorker {
  readonly #me = randomUUID();
  readonly #stop = new AbortController();
  readonly #bell = new Bell();
  #running: Promise<void> = Promise.resolve();

  constructor(private readonly options: BatchWorkerOptions) {}

  /** Begins to look for jobs; returns at once. */
  start(): void {
    this.#running = this.#loop();
  }

  /** Looks for jobs at once: call it when one was added. */
  wake(): void {
    this.#bell.ring();
  }

  /** Finishes the rows in progress, releases the job and resolves. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #loop(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const worked = await this.turn().catch((error: unknown) => {
        if (!signal.aborted) this.options.onError(error);
        return false;
      });
      if (!worked) await this.#bell.rungWithin(IDLE_MS, signal);
    }
  }

  /** Takes the job that waited longest and works on it for a turn; returns whether there was one. */
  async turn(): Promise<boolean> {
    const job = await this.#take();
    if (!job) return false;
    try {
      await this.work(job);
    } finally {
      await this.#giveBack(job);
    }
    return true;
  }

  /** One turn at a job: some of its rows, or its end when none is left. Other processes may work on it too. */
  async work(job: IssuanceJobRow): Promise<void> {
    const { batchRows } = this.options;
    const rows = job.state === 'cancelling' ? [] : await batchRows.nextWaiting(job._id, ROWS_PER_TURN);
    if (rows.length === 0) return batchRows.settle(job);
    await inParallel(rows, CONCURRENCY, async (row) => {
      if (!this.#stop.signal.aborted) await this.#settleRow(job, row);
    });
    await batchRows.tell(job);
  }

  async #take(): Promise<IssuanceJobRow | null> {
    const change = { worker: this.#me, leaseUntil: { $add: ['$$NOW', LEASE_MS] }, takenAt: '$$NOW' };
    return this.options.models.jobs
      .findOneAndUpdate({ state: { $in: ['running', 'cancelling'] }, $expr: FREE }, [{ $set: change }], {
        sort: { takenAt: 1 },
        returnDocument: 'after',
        updatePipeline: true,
      })
      .lean<IssuanceJobRow>();
  }

  async #giveBack({ _id }: IssuanceJobRow): Promise<void> {
    await this.options.models.jobs.updateOne({ _id, worker: this.#me }, { $set: { leaseUntil: new Date(0) } });
  }

  /** Issues or checks a row. An error in the row fails it; when a part is away or busy, such as the store, it stays waiting. */
  async #settleRow(job: IssuanceJobRow, row: BatchItemRow): Promise<void> {
    const { batchRows, issuance } = this.options;
    try {
      const request = this.#requestOf(job, row);
      const caller = await this.#callerOf(job);
      if (job.dryRun) {
        await issuance.check(caller, request);
        await batchRows.markChecked(row._id);
      } else {
        const record = (answer: IssuanceAnswer, session: ClientSession) => this.#record(row, answer, session);
        await issuance.issueOnBehalf(caller, request, { row: { jobId: job._id, rowKey: row.rowKey }, record });
      }
    } catch (thrown) {
      if (thrown instanceof RowSettled) return;
      const error = toDomainError(thrown);
      if (ERRORS[error.code].category === 'unavailable') throw thrown;
      if (error.status >= 500) this.options.onError(thrown);
      await batchRows.fail(row, error.code, error.message);
    }
  }

  #requestOf({ issuerDid, credentialId, onDuplicate }: IssuanceJobRow, row: BatchItemRow): IssueRequest {
    const content = this.options.batchRows.open(row);
    if (!content) throw new RowSettled('the row was erased');
    const request = parseInput(issueBody, { issuerDid, credentialId, onDuplicate, ...content.request });
    if (request.email === undefined && request.userId === undefined)
      throw badInput('The recipient is missing: give email or userId.', 'email');
    return request;
  }

  /** The current partner. @throws DomainError FORBIDDEN when it was retired or may no longer issue. */
  async #callerOf({ partnerId, kid }: IssuanceJobRow): Promise<PartnerCaller> {
    const partner = await this.options.partners.find(partnerId);
    if (!partner?.scopes.includes('issue'))
      throw new DomainError('FORBIDDEN', 'The partner of this batch may no longer issue.');
    // A job may issue as long as its partner may, not only as long as its token is valid.
    return { ...partnerWithoutToken(partnerId, partner.scopes), kid };
  }

  /** The row's result, in the transaction of the issuance. */
  async #record(
    { _id }: BatchItemRow,
    { coreClaimHash, userUuid }: IssuanceAnswer,
    session: ClientSession,
  ): Promise<void> {
    const result = { state: 'issued', coreClaimHash, userUuid };
    const { modifiedCount } = await this.options.models.rows.updateOne(
      { _id, state: 'waiting' },
      { $set: result, $unset: { sealed: 1, errorCode: 1 } },
      { session },
    );
    if (modifiedCount === 0) throw new RowSettled('the row is no longer waiting');
  }
}
