// Which gateway works on which endpoint: a queue row is claimed for the lease of a process. The queues of a process that died are free when
// its lease has ended; what it still tries to give back is not matched, because its token is older.
import type { ProcessLease } from '../store/process-lease.js';
import type { DatabaseClock } from './database-clock.js';
import type { WebhookModels, WebhookQueueRow } from './models.js';

/** A claimed queue. */
export interface Claim {
  webhookId: string;
  holder: string;
  token: number;
  /** `work` when the queue was read last. */
  work: number;
  failures: number;
}

/** How the endpoint is. */
export type QueueHealth = Pick<WebhookQueueRow, 'failures' | 'succeededAt' | 'failedAt'>;

/** Claims and gives back. */
export class QueueClaims {
  constructor(
    private readonly models: WebhookModels,
    private readonly processLease: ProcessLease,
    private readonly databaseClock: DatabaseClock,
  ) {}

  /** Ids of free queues with due deliveries, the longest due first; and when the next one is due, in milliseconds, if any. */
  async due(limit: number): Promise<{ ids: string[]; waitMs: number | undefined }> {
    const now = await this.databaseClock.now();
    const rows = await this.models.webhookQueues
      .find({ holder: '', dueAt: { $gt: new Date(0) } }, { dueAt: 1 })
      .sort({ dueAt: 1 })
      .limit(limit)
      .lean<{ _id: string; dueAt: Date }[]>();
    const later = rows.find(({ dueAt }) => dueAt.getTime() > now);
    const ids = rows.filter(({ dueAt }) => dueAt.getTime() <= now).map(({ _id }) => _id);
    return { ids, waitMs: later && later.dueAt.getTime() - now };
  }

  /** Claims those of these queues that are still free. */
  async claim(webhookIds: readonly string[]): Promise<Claim[]> {
    const holder = await this.processLease.id();
    const { webhookQueues } = this.models;
    const free = { _id: { $in: [...webhookIds] }, holder: '' };
    const { modifiedCount } = await webhookQueues.updateMany(free, { $set: { holder }, $inc: { token: 1 } });
    if (modifiedCount === 0) return [];
    const rows = await webhookQueues.find({ _id: { $in: [...webhookIds] }, holder }).lean<WebhookQueueRow[]>();
    return rows.map(({ _id, token, work, failures }) => ({ webhookId: _id, holder, token, work, failures }));
  }

  /** Stores the health; returns the queue, while the claim holds. The lease then lasts long enough for what begins within a second. */
  async read({ webhookId, holder, token }: Claim, health: QueueHealth): Promise<WebhookQueueRow | undefined> {
    if ((await this.processLease.id()) !== holder) return undefined;
    const mine = { _id: webhookId, holder, token };
    const { webhookQueues } = this.models;
    const row = await webhookQueues
      .findOneAndUpdate(mine, { $set: health }, { returnDocument: 'after' })
      .lean<WebhookQueueRow>();
    return row ?? undefined;
  }

  /** Gives the queue back, due at this moment, unless deliveries were added since it was read. Returns whether it is given back, or lost. */
  async release({ webhookId, holder, token, work }: Claim, dueAt: Date | null, health: QueueHealth): Promise<boolean> {
    const { webhookQueues } = this.models;
    const mine = { _id: webhookId, holder, token };
    const { matchedCount } = await webhookQueues.updateOne(
      { ...mine, work },
      { $set: { ...health, holder: '', dueAt } },
    );
    return matchedCount > 0 || (await webhookQueues.exists(mine)) === null;
  }

  /** Gives it back at once: the process stops, or cannot go on. */
  async abandon({ webhookId, holder, token }: Claim): Promise<void> {
    const change = { $set: { holder: '', dueAt: new Date(await this.databaseClock.now()) } };
    await this.models.webhookQueues.updateOne({ _id: webhookId, holder, token }, change);
  }

  /** Frees the queues of processes whose lease has ended; returns whether other processes have some. */
  async recover(): Promise<boolean> {
    const { webhookQueues } = this.models;
    const claimed = [{ $match: { holder: { $gt: '' } } }, { $group: { _id: '$holder' } }];
    const holders = await webhookQueues.aggregate<{ _id: string }>(claimed);
    const own = await this.processLease.id();
    const others = holders.map(({ _id }) => _id).filter((holder) => holder !== own);
    for (const holder of others) {
      if (await this.processLease.holds(holder)) continue;
      const dueAt = new Date(await this.databaseClock.now());
      await webhookQueues.updateMany({ holder }, { $set: { holder: '', dueAt }, $inc: { token: 1 } });
    }
    return others.length > 0;
  }
}
