// The worker of revocation jobs: every process takes turns at jobs, by a lease in the database timed with the database's clock. A chunk is
// one transaction with the job's progress, which only the newest worker can move: it is done once, and again after a kill.
import { randomUUID } from 'node:crypto';
import type { ClientSession, Connection } from 'mongoose';
import { Bell } from '../../base/concurrency/bell.js';
import { MAJORITY } from '../../base/mongodb/majority.js';
import type { RecordWrites } from '../../store/audit-port.js';
import type { AppendEvents, NewEvent } from '../../store/event-port.js';
import { LeaseLost } from '../../store/lease.js';
import { isOver } from '../../store/lease-end.js';
import { markRevoked, revocationEntry } from '../mark-revoked.js';
import type { IssuanceModels, IssuanceRow } from '../models.js';
import type { RevocationChunkRow, RevocationJobRow, RevocationModels } from './models.js';
import { auditCaller } from './owner.js';
import { CHUNK, chunkId } from './previews.js';

/** Chunks of one turn. After it, the job that waited longest is next. */
const CHUNKS_PER_TURN = 8;
/** How long a silent worker keeps a job. One that outlives it is refused by the fence. */
const LEASE_MS = 15_000;
/** How often a worker that nobody wakes looks for jobs: those of a killed worker. */
const IDLE_MS = 2_000;
/** Shortest interval between progress events of a job, milliseconds. */
const TELL_MS = 1_000;
const FREE = isOver('$leaseUntil', LEASE_MS);

export interface RevocationWorkerOptions {
  connection: Connection;
  models: IssuanceModels & RevocationModels;
  appendEvents: AppendEvents;
  recordWrites: RecordWrites;
  clock(): number;
  onError(error: unknown): void;
}

/** Works on revocation jobs, in turns. */
export class RevocationWorker {
  readonly #me = randomUUID();
  readonly #stop = new AbortController();
  readonly #bell = new Bell();
  #running: Promise<void> = Promise.resolve();

  constructor(private readonly options: RevocationWorkerOptions) {}

  /** Begins to look for jobs; returns at once. */
  start(): void {
    this.#running = this.#loop();
  }

  /** Looks for jobs at once: call it when one was added. */
  wake(): void {
    this.#bell.ring();
  }

  /** Finishes the chunk in progress, releases the job and resolves. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #loop(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const hasWorked = await this.turn().catch((error: unknown) => {
        if (!signal.aborted) this.options.onError(error);
        return false;
      });
      if (!hasWorked) await this.#bell.rungWithin(IDLE_MS, signal);
    }
  }

  /** Takes the job that waited longest and works on some of its chunks; returns whether there was one. */
  async turn(): Promise<boolean> {
    const job = await this.take();
    if (!job) return false;
    try {
      await this.work(job);
    } catch (error) {
      // Another worker has the job.
      if (!(error instanceof LeaseLost)) throw error;
    } finally {
      await this.#giveBack(job);
    }
    return true;
  }

  /** The next chunks of a job that was taken. @throws LeaseLost when another worker has taken it. */
  async work(job: RevocationJobRow): Promise<void> {
    const end = Math.min(job.chunks, job.nextChunk + CHUNKS_PER_TURN);
    let { toldAt } = job;
    for (let at = job.nextChunk; at < end && !this.#stop.signal.aborted; at += 1)
      toldAt = await this.#chunk({ ...job, toldAt }, at);
  }

  /** Takes the job that waited longest: its fence grows, so a worker before this one can no longer move it. */
  async take(): Promise<RevocationJobRow | null> {
    const change = {
      worker: this.#me,
      fence: { $add: ['$fence', 1] },
      leaseUntil: { $add: ['$$NOW', LEASE_MS] },
      takenAt: '$$NOW',
    };
    return this.options.models.revocationJobs
      .findOneAndUpdate({ state: 'running', $expr: FREE }, [{ $set: change }], {
        sort: { takenAt: 1 },
        returnDocument: 'after',
        updatePipeline: true,
      })
      .lean<RevocationJobRow>();
  }

  async #giveBack({ _id, fence }: RevocationJobRow): Promise<void> {
    await this.options.models.revocationJobs.updateOne({ _id, fence }, { $set: { leaseUntil: new Date(0) } });
  }

  /** One chunk: a constant number of commands. Returns when progress was last told. */
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
                ...{ nextChunk: at + 1, toldAt, ...end, leaseUntil: { $add: ['$$NOW', LEASE_MS] } },
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
