// The worker of batches. Every process claims jobs (store/row-claims.ts) and works on each for a turn. A row's result
// is written in the transaction of its issuance, so no row is issued twice, even if a process is killed or two workers
// have the same job.
import type { ClientSession } from 'mongoose';
import { GiveWay } from '../../base/concurrency/give-way.js';
import { type PartnerCaller, partnerWithoutToken } from '../../base/callers/caller.js';
import { inParallel } from '../../base/concurrency/parallel.js';
import type { Worker } from '../../base/concurrency/worker.js';
import { badInput, DomainError, ERRORS, toDomainError } from '../../base/errors.js';
import { parseInput } from '../../base/input.js';
import type { PartnerDirectory } from '../../partners/directory.service.js';
import type { ChangeListener } from '../../store/change-feed.js';
import type { ProcessLease } from '../../store/process-lease.js';
import { RowClaims } from '../../store/row-claims.js';
import { RowWorker } from '../../store/row-worker.js';
import { type IssueRequest, issueOnBehalfInput } from '../inputs.js';
import type { IssuanceService } from '../issuance.service.js';
import type { IssuedCredential } from '../types.js';
import type { BatchItemRow, BatchModels, IssuanceJobRow } from './models.js';
import type { BatchRows } from './rows.js';

/** Rows of one job that a worker issues at once. */
const CONCURRENCY = 8;
/** Rows of one turn. After a turn, the job that has waited longest is next. */
const ROWS_PER_TURN = 32;

export interface BatchWorkerOptions {
  models: BatchModels;
  processLease: ProcessLease;
  batchRows: BatchRows;
  issuance: IssuanceService;
  partners: PartnerDirectory;
  /** Whether callers have asked for something just now. */
  isBusy(): boolean;
  onError(error: unknown): void;
}

/** Another process has already written the row's result. A transaction that detects this must not commit. */
class RowSettled extends Error {
  override readonly name = 'RowSettled';
}

/** Works on the rows of batches, in turns. */
export class BatchWorker implements Worker {
  readonly #jobs: RowWorker<IssuanceJobRow>;
  readonly #giveWay: GiveWay;

  constructor(private readonly options: BatchWorkerOptions) {
    const { models, processLease, isBusy, onError } = options;
    this.#giveWay = new GiveWay(isBusy);
    const claims = new RowClaims(models.jobs, processLease, { state: { $in: ['running', 'cancelling'] } });
    this.#jobs = new RowWorker({ claims, processLease, work: (job, signal) => this.work(job, signal), onError });
  }

  /** The listener for the collection of jobs. */
  get changes(): ChangeListener {
    return this.#jobs.changes;
  }

  start(): void {
    this.#jobs.start();
  }

  /** Finishes the rows in progress, releases the job and resolves. */
  stop(): Promise<void> {
    return this.#jobs.stop();
  }

  /** Claims the job that has waited longest and works on it for a turn. Returns whether there was one. */
  turn(): Promise<boolean> {
    return this.#jobs.turn();
  }

  /** One turn on a job: some of its rows, or its end if none is left. Other processes may work on it as well. */
  async work(job: IssuanceJobRow, signal?: AbortSignal): Promise<void> {
    const { batchRows } = this.options;
    const rows = job.state === 'cancelling' ? [] : await batchRows.nextWaiting(job._id, ROWS_PER_TURN);
    if (rows.length === 0) return batchRows.endIfDone(job);
    await inParallel(rows, CONCURRENCY, (row) =>
      this.#giveWay.run(async () => {
        if (!signal?.aborted) await this.#settleRow(job, row);
      }, signal),
    );
    await batchRows.tell(job);
  }

  /**
   * Issues or checks a row. If the row has an error, it fails; if a part of the gateway, such as the store, is
   * unavailable or busy, the row stays waiting.
   */
  async #settleRow(job: IssuanceJobRow, row: BatchItemRow): Promise<void> {
    const { batchRows, issuance } = this.options;
    try {
      const request = this.#requestOf(job, row);
      const caller = await this.#callerOf(job);
      if (job.dryRun) {
        await batchRows.markChecked(row._id, await issuance.check(caller, request));
      } else {
        const record = (answer: IssuedCredential, session: ClientSession) => this.#record(row, answer, session);
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
    const request = parseInput(issueOnBehalfInput, { issuerDid, credentialId, onDuplicate, ...content.request });
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
    { coreClaimHash, userUuid }: IssuedCredential,
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
