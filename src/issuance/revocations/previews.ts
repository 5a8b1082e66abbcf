// Previews of revocations: what a filter matches at one moment, as ids in chunks, with a token that starts the job once.
import { randomBytes, randomUUID } from 'node:crypto';
import type { Connection } from 'mongoose';
import type { OperatorCaller, PartnerCaller } from '../../base/callers/caller.js';
import { badInput } from '../../base/errors.js';
import { native } from '../../base/mongodb/native.js';
import type { RateLimit, RateLimits } from '../../store/rate-limits.js';
import { digest } from '../../keys/sealed-box.js';
import type { IssuanceList } from '../list.service.js';
import type { IssuanceModels } from '../models.js';
import { checkFilter, type RevocationFilter, rowFilter } from './filter.js';
import type { RevocationChunkRow, RevocationJobRow, RevocationModels } from './models.js';
import { callerOf, ownerText, type RevocationCaller } from './owner.js';
import type { RevocationPreview } from './types.js';

export interface PreviewOptions {
  connection: Connection;
  models: IssuanceModels & RevocationModels;
  issuances: IssuanceList;
  limits: RateLimits;
  clock(): number;
}

/** Issuances of one job, and of one of its chunks, which is one transaction. */
export const MAX_MATCHES = 100_000;
export const CHUNK = 250;
const SAMPLE = 10;
const TOKEN_MS = 15 * 60_000;
const TOKEN_BYTES = 32;
const BY_CALLER: RateLimit = { name: 'previews of revocations by caller', max: 120, seconds: 3_600 };
const SNAPSHOT = { readConcern: { level: 'snapshot' } } as const;
const EPOCH = new Date(0);

/** Creates previews. */
export class RevocationPreviews {
  constructor(private readonly options: PreviewOptions) {}

  /**
   * Counts the issuances that the filter matches now and the caller may revoke, and stores their ids for 15 minutes.
   * @throws DomainError RATE_LIMITED, BAD_USER_INPUT (a filter that is too wide, or matches too much)
   */
  async preview(caller: PartnerCaller | OperatorCaller, filter: RevocationFilter): Promise<RevocationPreview> {
    const { limits, issuances, clock } = this.options;
    const owner = callerOf(caller);
    checkFilter(filter, owner);
    await limits.count([BY_CALLER, ownerText(owner)]);
    const previewedAt = new Date(clock());
    const ids = await this.#matches(filter, owner, previewedAt);
    if (ids.length > MAX_MATCHES)
      throw badInput(`The filter matches more than ${MAX_MATCHES} issuances; narrow it, by the window for example.`);
    const sample = await issuances.byIds(ids.slice(0, SAMPLE));
    if (ids.length === 0) return { token: null, expiresAt: null, previewedAt, count: 0, sample };
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const job = jobOf({ owner, filter, previewedAt, token, count: ids.length });
    await this.#store(job, ids);
    return { token, expiresAt: job.tokenUntil, previewedAt, count: job.count, sample };
  }

  /** Read in one snapshot: an issuance that commits later is not included, even if its time is earlier. */
  async #matches(filter: RevocationFilter, owner: RevocationCaller, now: Date): Promise<string[]> {
    const { connection, models } = this.options;
    return connection.transaction(async (session) => {
      const rows = await native(models.issuances)
        .find(rowFilter(filter, owner, now), { session, projection: { _id: 1 }, limit: MAX_MATCHES + 1 })
        .toArray();
      return rows.map(({ _id }) => String(_id));
    }, SNAPSHOT);
  }

  /** The job is written last, so that every preview is complete. Chunks without a job expire. */
  async #store(job: RevocationJobRow, ids: readonly string[]): Promise<void> {
    const { revocationJobs, revocationChunks } = this.options.models;
    const { _id: jobId, expireAt } = job;
    const chunks = Array.from({ length: job.chunks }, (_, at): RevocationChunkRow => {
      return { _id: chunkId(jobId, at), jobId, ids: ids.slice(at * CHUNK, (at + 1) * CHUNK), expireAt };
    });
    await native(revocationChunks).insertMany(chunks);
    await native(revocationJobs).insertOne(job);
  }
}

/** The id of a job's chunk, from 0. */
export const chunkId = (jobId: string, at: number): string => `${jobId} ${at}`;

function jobOf(of: {
  owner: RevocationCaller;
  filter: RevocationFilter;
  previewedAt: Date;
  token: string;
  count: number;
}): RevocationJobRow {
  const { owner: caller, filter, previewedAt, token, count } = of;
  const tokenUntil = new Date(previewedAt.getTime() + TOKEN_MS);
  return {
    _id: randomUUID(),
    tokenHash: digest(token),
    tokenUntil,
    caller,
    filter,
    state: 'previewed',
    previewedAt,
    count,
    chunks: Math.ceil(count / CHUNK),
    nextChunk: 0,
    done: 0,
    revoked: 0,
    initialMatches: null,
    startedAt: null,
    finishedAt: null,
    worker: '',
    leaseUntil: EPOCH,
    fence: 0,
    takenAt: EPOCH,
    toldAt: EPOCH,
    // Stored longer than the token is valid, to distinguish expired tokens from unknown ones.
    expireAt: new Date(tokenUntil.getTime() + TOKEN_MS),
  };
}
