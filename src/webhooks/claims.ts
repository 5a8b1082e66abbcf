// Claims of queues: the gateway that has claimed an endpoint's queue, under the lease of its process, works on the endpoint alone. When the
// lease has ended, its queues are free. The former process may still run: its writes have an older fencing token and change nothing.
import DataLoader from 'dataloader';
import { native } from '../base/mongodb/native.js';
import type { ProcessLease } from '../store/process-lease.js';
import { IDLE_QUEUES, READ } from './batching.js';
import type { DatabaseClock } from './database-clock.js';
import { FOREVER, type WebhookModels, type WebhookQueueRow } from './models.js';

/** A claimed queue, with the endpoint's health at that time. */
export interface QueueClaim extends QueueHealth {
  webhookId: string;
  holder: string;
  token: number;
  /** The queue's `work` when it was last read. */
  work: number;
  /** The queue's `pingedAt` when it was last read. */
  pingedAt?: Date | undefined;
}

/** The recent results of an endpoint. */
export type QueueHealth = Pick<WebhookQueueRow, 'failures' | 'succeededAt' | 'failedAt' | 'failingSince'>;

/** A queue to release. */
interface Release {
  claim: QueueClaim;
  dueAt: Date | null;
  health: QueueHealth;
  isPaused: boolean;
}

/** A queue whose health is to be stored. */
interface Report {
  claim: QueueClaim;
  health: QueueHealth;
}

/** Claims and releases queues. Concurrent reads or writes for several endpoints are sent as one command. */
export class QueueClaims {
  readonly #reads = new DataLoader<QueueClaim, WebhookQueueRow | undefined>((claims) => this.#readAll(claims), READ);
  readonly #abandons = new DataLoader<QueueClaim, true>((claims) => this.#abandonAll(claims), IDLE_QUEUES);
  readonly #reports = new DataLoader<Report, true>((reports) => this.#reportAll(reports), IDLE_QUEUES);
  readonly #releases = new DataLoader<Release, boolean>((releases) => this.#releaseAll(releases), IDLE_QUEUES);

  constructor(
    private readonly models: WebhookModels,
    private readonly processLease: ProcessLease,
    private readonly databaseClock: DatabaseClock,
  ) {}

  /** Ids of free queues with due deliveries, longest due first; and when the next one is due, by the monotonic clock, if any. */
  async due(limit: number): Promise<{ ids: string[]; nextAt: number | undefined }> {
    const now = await this.databaseClock.now();
    const readAt = performance.now();
    const rows = await this.models.webhookQueues
      .find({ holder: '', dueAt: { $gt: new Date(0) } }, { dueAt: 1 })
      .sort({ dueAt: 1 })
      .limit(limit)
      .lean<{ _id: string; dueAt: Date }[]>();
    const later = rows.find(({ dueAt }) => dueAt.getTime() > now);
    const ids = rows.filter(({ dueAt }) => dueAt.getTime() <= now).map(({ _id }) => _id);
    return { ids, nextAt: later && readAt + later.dueAt.getTime() - now };
  }

  /**
   * Claims those of these queues that are still free. A pause ends here: what is added from now on increments `work` of the queue, even if it
   * is added with a time before the pause ends.
   */
  async claim(webhookIds: readonly string[]): Promise<QueueClaim[]> {
    const holder = await this.processLease.id();
    const { webhookQueues } = this.models;
    const free = { _id: { $in: [...webhookIds] }, holder: '', pausedUntil: { $ne: FOREVER } };
    const { modifiedCount } = await webhookQueues.updateMany(free, {
      $set: { holder, pausedUntil: null },
      $inc: { token: 1 },
    });
    if (modifiedCount === 0) return [];
    const rows = await webhookQueues.find({ _id: { $in: [...webhookIds] }, holder }).lean<WebhookQueueRow[]>();
    return rows.map(({ _id, token, work, pingedAt, failures, failedAt, failingSince = null }) => ({
      ...{ webhookId: _id, holder, token, work, pingedAt, failures, failingSince },
      ...(failedAt ? { failedAt } : {}),
    }));
  }

  /** The queue, or undefined if the claim was lost. The lease then lasts long enough for deliveries that begin within a second. */
  read(claim: QueueClaim): Promise<WebhookQueueRow | undefined> {
    return this.#reads.load(claim);
  }

  async #readAll(claims: readonly QueueClaim[]): Promise<(WebhookQueueRow | undefined)[]> {
    const holder = await this.processLease.id();
    const ids = claims.map(({ webhookId }) => webhookId);
    const rows = await this.models.webhookQueues.find({ _id: { $in: ids }, holder }).lean<WebhookQueueRow[]>();
    const rowOf = new Map(rows.map((row) => [row._id, row]));
    return claims.map(({ webhookId, token, ...claim }) => {
      const row = rowOf.get(webhookId);
      return claim.holder === holder && row?.token === token ? row : undefined;
    });
  }

  /** Stores the health, unless the claim was lost. */
  report(claim: QueueClaim, health: QueueHealth): Promise<true> {
    return this.#reports.load({ claim, health });
  }

  async #reportAll(reports: readonly Report[]): Promise<true[]> {
    const { webhookQueues } = this.models;
    const writes = reports.map(({ claim, health }) => ({
      updateOne: { filter: filterOf(claim), update: { $set: health } },
    }));
    await native(webhookQueues).bulkWrite(writes, { ordered: false });
    return reports.map(() => true);
  }

  /**
   * Releases the queue, which is due again at `dueAt`, unless deliveries were added since it was read. Returns false if
   * this process still has it.
   */
  release(claim: QueueClaim, dueAt: Date | null, health: QueueHealth): Promise<boolean> {
    return this.#releases.load({ claim, dueAt, health, isPaused: false });
  }

  /**
   * Releases the queue and pauses its endpoint. Deliveries that are added meanwhile also wait for the end of the pause.
   */
  async pause(claim: QueueClaim, until: Date, health: QueueHealth): Promise<void> {
    await this.#releases.load({ claim, dueAt: until, health, isPaused: true });
  }

  async #releaseAll(releases: readonly Release[]): Promise<boolean[]> {
    const { webhookQueues } = this.models;
    const writes = releases.map(({ claim, dueAt, health, isPaused }) => {
      const filter = isPaused ? filterOf(claim) : { ...filterOf(claim), work: claim.work };
      const pausedUntil = isPaused ? dueAt : null;
      return { updateOne: { filter, update: { $set: { ...health, holder: '', dueAt, pausedUntil } } } };
    });
    const { matchedCount } = await native(webhookQueues).bulkWrite(writes, { ordered: false });
    if (matchedCount === releases.length) return releases.map(() => true);
    const still = { $or: releases.map(({ claim }) => filterOf(claim)) };
    const rows = await this.models.webhookQueues.find(still, { _id: 1 }).lean();
    const ours = new Set(rows.map(({ _id }) => _id));
    return releases.map(({ claim }) => !ours.has(claim.webhookId));
  }

  /**
   * Releases the queue unconditionally and makes it due at once, because its period is over, the process stops, or an
   * error occurred.
   */
  abandon(claim: QueueClaim): Promise<true> {
    return this.#abandons.load(claim);
  }

  async #abandonAll(claims: readonly QueueClaim[]): Promise<true[]> {
    const update = { $set: { holder: '', dueAt: new Date(await this.databaseClock.now()) } };
    const writes = claims.map((claim) => ({ updateOne: { filter: filterOf(claim), update } }));
    await native(this.models.webhookQueues).bulkWrite(writes, { ordered: false });
    return claims.map(() => true);
  }

  /**
   * Releases the queues of processes whose lease has ended, and queues of this process without a runner: the command that claimed them
   * failed after it was written. Must not run while a claim is in progress. Returns whether other processes have queues.
   */
  async recover(running: ReadonlySet<string>): Promise<boolean> {
    const { webhookQueues } = this.models;
    const claimed = [{ $match: { holder: { $gt: '' } } }, { $group: { _id: '$holder' } }];
    const holders = (await webhookQueues.aggregate<{ _id: string }>(claimed)).map(({ _id }) => _id);
    const own = await this.processLease.id();
    for (const holder of holders) {
      if (holder !== own && (await this.processLease.holds(holder))) continue;
      const dueAt = new Date(await this.databaseClock.now());
      const idle = holder === own ? { holder, _id: { $nin: [...running] } } : { holder };
      await webhookQueues.updateMany(idle, { $set: { holder: '', dueAt }, $inc: { token: 1 } });
    }
    return holders.some((holder) => holder !== own);
  }
}

const filterOf = ({ webhookId, holder, token }: Pick<QueueClaim, 'webhookId' | 'holder' | 'token'>) => ({
  _id: webhookId,
  holder,
  token,
});
