// The worker of revocation jobs. Every process claims jobs (store/row-claims.ts) and works on each for a turn. A chunk
// and the job's progress are written in one transaction, which only the newest worker can commit: each chunk takes
// effect once, also if a process is killed.
import type { ClientSession, Connection } from 'mongoose';
import { MAJORITY } from '../../base/mongodb/majority.js';
import type { Worker } from '../../base/concurrency/worker.js';
import type { RecordWrites } from '../../store/audit-port.js';
import type { AppendEvents, NewEvent } from '../../store/event-port.js';
import { LeaseLost } from '../../store/lease.js';
import type { ChangeListener } from '../../store/change-feed.js';
import type { ProcessLease } from '../../store/process-lease.js';
import { FORMER_UNTIL, RowClaims } from '../../store/row-claims.js';
import { RowWorker } from '../../store/row-worker.js';
import { markRevoked, revocationEntry } from '../mark-revoked.js';
import type { IssuanceModels, IssuanceRow } from '../models.js';
import type { RevocationChunkRow, RevocationJobRow, RevocationModels } from './models.js';
import { auditCaller } from './owner.js';
import { CHUNK, chunkId } from './previews.js';

/** Chunks of one turn. After a turn, the job that has waited longest is next. */
const CHUNKS_PER_TURN = 8;
/** Shortest interval between progress events of a job, milliseconds. */
const TELL_MS = 1_000;

export interface RevocationWorkerOptions {
  connection: Connection;
  processLease: ProcessLease;
  models: IssuanceModels & RevocationModels;
  appendEvents: AppendEvents;
  recordWrites: RecordWrites;
  clock(): number;
  onError(error: unknown): void;
}

/** Works on revocation jobs, in turns. */
export class RevocationWorker implements Worker {
  readonly #claims: RowClaims<RevocationJobRow>;
  readonly #jobs: RowWorker<RevocationJobRow>;

  constructor(private readonly options: RevocationWorkerOptions) {
    const { models, processLease, onError } = options;
    this.#claims = new RowClaims(models.revocationJobs, processLease, { state: 'running' });
    const work = (job: RevocationJobRow, signal: AbortSignal): Promise<void> =>
      this.work(job, signal).catch((error: unknown) => {
        // Another worker has claimed the job.
        if (!(error instanceof LeaseLost)) throw error;
      });
    this.#jobs = new RowWorker({ claims: this.#claims, processLease, work, onError });
  }

  /** The listener for the collection of jobs. */
  get changes(): ChangeListener {
    return this.#jobs.changes;
  }

  start(): void {
    this.#jobs.start();
  }

  /** Finishes the chunk in progress, releases the job and resolves. */
  stop(): Promise<void> {
    return this.#jobs.stop();
  }

  /** Claims the job that has waited longest and works on some of its chunks. Returns whether there was one. */
  turn(): Promise<boolean> {
    return this.#jobs.turn();
  }

  /** Claims the job that has waited longest. */
  async take(): Promise<RevocationJobRow | null> {
    return (await this.#claims.next())?.row ?? null;
  }

  /** The next chunks of a claimed job. @throws LeaseLost when another worker has claimed it. */
  async work(job: RevocationJobRow, signal?: AbortSignal): Promise<void> {
    const end = Math.min(job.chunks, job.nextChunk + CHUNKS_PER_TURN);
    let { toldAt } = job;
    for (let at = job.nextChunk; at < end && !signal?.aborted; at += 1)
      toldAt = await this.#chunk({ ...job, toldAt }, at);
  }

  /** One chunk: a constant number of commands. Returns when progress was last reported. */
  #chunk(job: RevocationJobRow, at: number): Promise<Date> {
    const { connection, models, appendEvents, recordWrites, clock } = this.options;
    return connection.transaction(async (session) => {
      const now = new Date(clock());
      const rows = await this.#rowsOf(job, at, session);
      const unrevoked = rows.issuances.filter(({ revokedAt }) => revokedAt === null);
      const isLast = at + 1 === job.chunks;
      const isTold = isLast || now.getTime() - job.toldAt.getTime() >= TELL_MS;
      const toldAt = isTold ? now : job.toldAt;
      const end = isLast ? { state: 'finished', finishedAt: now } : {};
      const moved = await models.revocationJobs
        .findOneAndUpdate(
          { _id: job._id, fence: job.fence, state: 'running', nextChunk: at },
          [
            {
              $set: {
                ...{ nextChunk: at + 1, toldAt, ...end, leaseUntil: FORMER_UNTIL },
                ...{ done: { $add: ['$done', rows.count] }, revoked: { $add: ['$revoked', unrevoked.length] } },
              },
            },
          ],
          { session, returnDocument: 'after', updatePipeline: true },
        )
        .lean<RevocationJobRow>();
      if (moved === null) throw new LeaseLost(`the revocation ${job._id} has another worker`);
      const events = await markRevoked(models, unrevoked, { now, session, revocationJob: job._id });
      await appendEvents(isTold ? [...events, progressEvent(moved)] : events, session);
      const entries = unrevoked.map((issuance) => revocationEntry(issuance, now));
      await recordWrites(auditCaller(job.caller), entries, session);
      return toldAt;
    }, MAJORITY);
  }

  async #rowsOf(
    { _id }: RevocationJobRow,
    at: number,
    session: ClientSession,
  ): Promise<{ count: number; issuances: IssuanceRow[] }> {
    const { revocationChunks, issuances } = this.options.models;
    const chunk = await revocationChunks.findById(chunkId(_id, at), null, { session }).lean<RevocationChunkRow>();
    const ids = chunk?.ids ?? [];
    const options = { session, batchSize: CHUNK + 1 };
    const rows = await issuances.find({ _id: { $in: ids } }, null, options).lean<IssuanceRow[]>();
    return { count: ids.length, issuances: rows };
  }
}

function progressEvent({ _id: jobId, state, caller, count: total, done, revoked }: RevocationJobRow): NewEvent {
  const viewers = caller.kind === 'partner' ? { partnerId: caller.partnerId } : {};
  const type = state === 'finished' ? 'revocation_finished' : 'revocation_progress';
  return { type, viewers, payload: { jobId, state, total, done, revoked } };
}
