// Revocation jobs: each is started once, by the token of a preview, and can be read by its owner. worker.ts does the
// work.
import type { Connection } from 'mongoose';
import type { OperatorCaller, PartnerCaller } from '../../base/callers/caller.js';
import { DomainError } from '../../base/errors.js';
import { MAJORITY } from '../../base/mongodb/majority.js';
import { digest } from '../../keys/sealed-box.js';
import type { RecordWrites } from '../../store/audit-port.js';
import type { Remember } from '../../store/idempotency.js';
import type { IssuanceModels } from '../models.js';
import { rowFilter } from './filter.js';
import type { RevocationJobRow, RevocationModels } from './models.js';
import { callerOf, ownerText } from './owner.js';
import { MAX_MATCHES } from './previews.js';
import { type RevocationJob, revocationJobOf } from './types.js';

export interface RevocationJobOptions {
  connection: Connection;
  models: IssuanceModels & RevocationModels;
  recordWrites: RecordWrites;
  clock(): number;
}

/** How long a job is stored after its start. */
const RETENTION_MS = 30 * 24 * 3_600_000;

/** Starts and shows jobs. */
export class RevocationJobs {
  constructor(private readonly options: RevocationJobOptions) {}

  /**
   * Starts the job of a preview; returns its id.
   * @throws DomainError NOT_FOUND for an unknown token and for one of another caller; GONE after 15 minutes; CONFLICT
   * for one that was used.
   */
  async start(
    caller: PartnerCaller | OperatorCaller,
    token: string,
    remember: Remember<string> = async () => {},
  ): Promise<string> {
    const { connection, models, recordWrites } = this.options;
    const owner = callerOf(caller);
    const job = await models.revocationJobs.findOne({ tokenHash: digest(token) }).lean<RevocationJobRow>();
    if (job === null || ownerText(job.caller) !== ownerText(owner)) throw noPreview();
    const now = new Date(this.options.clock());
    checkUnused(job, now);
    const started = { ...job, state: 'running', ...(await this.#startOf(job, now)), caller: owner } as const;
    // Extended before the start, because the chunks of a running job must not expire. If the start fails, they expire
    // later.
    const { expireAt } = started;
    await models.revocationChunks.updateMany({ jobId: job._id }, { $set: { expireAt } });
    await connection.transaction(async (session) => {
      const { state, initialMatches, startedAt, takenAt } = started;
      const change = { $set: { state, initialMatches, startedAt, takenAt, expireAt, caller: owner } };
      const unused = { _id: job._id, state: 'previewed' as const };
      const { modifiedCount } = await models.revocationJobs.updateOne(unused, change, { session });
      if (modifiedCount === 0) throw tokenUsed(job);
      const entry = { operation: 'revocation.start', subject: job._id, outcome: 'started', after: started } as const;
      await recordWrites(caller, [entry], session);
      await remember(job._id, session);
    }, MAJORITY);
    return job._id;
  }

  /** A job of the partner; for operators any. @throws DomainError NOT_FOUND. */
  async find(caller: PartnerCaller | OperatorCaller, jobId: string): Promise<RevocationJob> {
    const own = caller.kind === 'operator' ? {} : { 'caller.partnerId': caller.partnerId };
    const job = await this.options.models.revocationJobs
      .findOne({ _id: jobId, state: { $ne: 'previewed' }, ...own })
      .lean<RevocationJobRow>();
    if (job) return revocationJobOf(job);
    throw new DomainError('NOT_FOUND', 'No revocation has this jobId.', { field: 'jobId' });
  }

  async #startOf({ filter, caller, previewedAt }: RevocationJobRow, startedAt: Date) {
    // Compared at the time of the preview, so that only later issuances and revocations make a difference.
    const now = rowFilter(filter, caller, previewedAt);
    const initialMatches = await this.options.models.issuances.countDocuments(now, { limit: MAX_MATCHES + 1 });
    return { initialMatches, startedAt, takenAt: startedAt, expireAt: new Date(startedAt.getTime() + RETENTION_MS) };
  }
}

/** @throws DomainError CONFLICT, GONE. */
function checkUnused(job: RevocationJobRow, now: Date): void {
  if (job.state !== 'previewed') throw tokenUsed(job);
  if (job.tokenUntil <= now) throw new DomainError('GONE', 'The preview has expired; make another one.');
}

function tokenUsed({ _id }: RevocationJobRow): DomainError {
  return new DomainError('CONFLICT', `This token was used: it started the revocation ${_id}.`, { field: 'token' });
}

/** The error for an unknown preview, also for one of another caller. */
function noPreview(): DomainError {
  return new DomainError('NOT_FOUND', 'No preview has this token.', { field: 'token' });
}
