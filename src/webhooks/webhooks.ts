// A partner's endpoints: registered with a secret that is shown once, rotated, deleted.
import { randomUUID } from 'node:crypto';
import type { PartnerCaller } from '../base/callers/caller.js';
import { badInput, DomainError } from '../base/errors.js';
import { isDuplicateKey } from '../base/mongodb/duplicate-key.js';
import type { EventFeed } from '../events/event-feed.service.js';
import type { EventTopics } from '../events/topics.service.js';
import { checkOutboundUrl, type OutboundPolicy, OutboundRefused } from '../http/outbound/outbound-address.js';
import type { SealedBox } from '../keys/sealed-box.js';
import type { NewAuditEntry, RecordWrites } from '../store/audit-port.js';
import { isPublicType } from '../store/event-types.js';
import { deleteByIndex, updateByIndex } from '../store/pieces.js';
import { wakeQueues } from './add-deliveries.js';
import type { DatabaseClock } from './database-clock.js';
import { type DeliveryState, FOREVER, type WebhookModels, type WebhookQueueRow, type WebhookRow } from './models.js';
import type { RegisterWebhook } from './request.js';
import { newSecret, PREVIOUS_SECRET_MS } from './signing.js';
import { type Webhook, type WebhookCounts, type WebhookWithSecret, webhookView } from './types.js';

/** The most endpoints of one partner. */
const MAX_WEBHOOKS = 20;
const COUNT_BOUND = 1_000;

export interface WebhooksOptions {
  models: WebhookModels;
  feed: EventFeed;
  topics: EventTopics;
  box: SealedBox;
  outboundPolicy: OutboundPolicy;
  recordWrites: RecordWrites;
  databaseClock: DatabaseClock;
  clock(): number;
}

/** Endpoints of partners. */
export class Webhooks {
  constructor(private readonly options: WebhooksOptions) {}

  /**
   * Registers an endpoint for events from now on.
   * @throws DomainError BAD_USER_INPUT (`url`, `types`), CATALOG_DISABLED, CONFLICT (too many, or one that sends a type to this address exists).
   */
  async register(
    caller: PartnerCaller,
    { url, types, description, allowDuplicate }: RegisterWebhook,
  ): Promise<WebhookWithSecret> {
    const { feed, topics, box, clock } = this.options;
    this.#checkUrl(url);
    await topics.viewable(caller, types);
    const webhookId = randomUUID();
    const { secret, secretSealed } = newSecret(box, webhookId);
    const names = [...new Set(types)];
    const fresh = {
      _id: webhookId,
      partnerId: caller.partnerId,
      url,
      types: names,
      ...(description === undefined ? {} : { description }),
      isPublic: names.some(isPublicType),
      fromSeq: await feed.newestSeq(),
      state: 'enabled' as const,
      secretSealed,
      createdAt: new Date(clock()),
    };
    const row = await this.#insert(caller, fresh, allowDuplicate === true);
    return { ...this.#view(row, {}, { pending: 0, dead: 0 }), secret };
  }

  /** The partner's webhooks, oldest first; at most 20 exist. */
  async list({ partnerId }: PartnerCaller): Promise<Webhook[]> {
    const { webhooks } = this.options.models;
    const rows = await webhooks.find({ partnerId }).sort({ createdAt: 1, _id: 1 }).lean<WebhookRow[]>();
    return Promise.all(rows.map((row) => this.withHealth(row)));
  }

  /** @throws DomainError NOT_FOUND. */
  async get(caller: PartnerCaller, webhookId: string): Promise<Webhook> {
    return this.withHealth(await this.row(caller, webhookId));
  }

  /** The row of a partner's own webhook. @throws DomainError NOT_FOUND. */
  async row({ partnerId }: PartnerCaller, webhookId: string): Promise<WebhookRow> {
    const row = await this.options.models.webhooks.findOne({ _id: webhookId, partnerId }).lean<WebhookRow>();
    if (row === null) throw noWebhook();
    return row;
  }

  /** Ids of the partner's webhooks. */
  async idsOf({ partnerId }: PartnerCaller): Promise<string[]> {
    const rows = await this.options.models.webhooks.find({ partnerId }, { _id: 1 }).lean<{ _id: string }[]>();
    return rows.map(({ _id }) => _id);
  }

  /** Deletes a webhook with its deliveries. @throws DomainError NOT_FOUND. */
  async delete(caller: PartnerCaller, webhookId: string): Promise<void> {
    const { webhooks, webhookQueues, webhookDeliveries } = this.options.models;
    await webhooks.db.transaction(async (session) => {
      const own = { _id: webhookId, partnerId: caller.partnerId };
      const before = await webhooks.findOneAndDelete(own, { session }).lean<WebhookRow>();
      if (before === null) throw noWebhook();
      await this.options.recordWrites(caller, [entryOf('webhook.delete', { before })], session);
    });
    await webhookQueues.deleteOne({ _id: webhookId });
    await deleteByIndex(webhookDeliveries, { webhookId });
  }

  /** Creates a new secret; the previous one also signs for 24 h. @throws DomainError NOT_FOUND. */
  async rotate(caller: PartnerCaller, webhookId: string): Promise<WebhookWithSecret> {
    const { models, box, recordWrites, clock } = this.options;
    const { secretSealed: previousSealed } = await this.row(caller, webhookId);
    const { secret, secretSealed } = newSecret(box, webhookId);
    const previousUntil = new Date(clock() + PREVIOUS_SECRET_MS);
    const change = { $set: { secretSealed, previousSealed, previousUntil } };
    const row = await models.webhooks.db.transaction(async (session) => {
      const options = { returnDocument: 'after', session } as const;
      const after = await models.webhooks
        .findOneAndUpdate({ _id: webhookId, secretSealed: previousSealed }, change, options)
        .lean<WebhookRow>();
      if (after) await recordWrites(caller, [entryOf('webhook.rotate', { after })], session);
      return after;
    });
    if (row === null) throw new DomainError('CONFLICT', 'The webhook was changed at the same moment; try again.');
    return { ...(await this.withHealth(row)), secret };
  }

  /**
   * After an accepted test ping: forgets the failures of an endpoint and ends its pause; what waits for another attempt is due now. If it is
   * disabled, enables it for events from now on. A pause by an operator stays. The claim on its queue ends, because the gateway that has it may be about to pause it.
   */
  async recover(webhookId: string): Promise<void> {
    const { models, feed, databaseClock, clock } = this.options;
    const dueAt = new Date(await databaseClock.now());
    const waiting = { webhookId, state: 'pending', nextAt: { $gt: dueAt } };
    // They stay `held`: later deliveries of their subjects may have an earlier `nextAt`, and are read first.
    await updateByIndex(models.webhookDeliveries, waiting, { $set: { nextAt: dueAt } });
    await models.webhookQueues.updateOne({ _id: webhookId }, { $set: { pingedAt: dueAt } });
    const health = { failures: 0, failingSince: null, succeededAt: new Date(clock()) };
    await models.webhookQueues.updateOne(
      { _id: webhookId, failures: { $gt: 0 }, pausedUntil: { $ne: FOREVER } },
      { $set: { ...health, pausedUntil: null, holder: '', dueAt }, $inc: { token: 1, work: 1 } },
    );
    await models.webhookQueues.updateOne({ _id: webhookId, pausedUntil: FOREVER }, { $set: health });
    const change = {
      $set: { state: 'enabled' as const, fromSeq: await feed.newestSeq() },
      $unset: { disabledReason: 1 },
    };
    await models.webhooks.updateOne({ _id: webhookId, state: 'disabled' }, change);
    await wakeQueues(models, [webhookId], dueAt.getTime());
  }

  #checkUrl(url: string): void {
    try {
      checkOutboundUrl(url, this.options.outboundPolicy);
    } catch (error) {
      if (error instanceof OutboundRefused) throw badInput(`"url" ${error.message}`, 'url');
      throw error;
    }
  }

  /**
   * Inserts a webhook in the first free slot. If a concurrent request inserts one there first, reads the webhooks and tries again.
   * The queue is created first, because an endpoint without one would never be called.
   */
  async #insert(caller: PartnerCaller, row: Omit<WebhookRow, 'slot'>, mayRepeat: boolean): Promise<WebhookRow> {
    const { webhooks, webhookQueues } = this.options.models;
    await webhookQueues.create({ _id: row._id });
    for (;;) {
      const others = await webhooks.find({ partnerId: row.partnerId }).lean<WebhookRow[]>();
      const slots = new Set(others.map(({ slot }) => slot));
      const slot = Array.from({ length: MAX_WEBHOOKS }, (_, index) => index).find((index) => !slots.has(index));
      const refusal = (mayRepeat ? undefined : repetition(row, others)) ?? (slot === undefined ? TOO_MANY : undefined);
      if (slot === undefined || refusal !== undefined) {
        await webhookQueues.deleteOne({ _id: row._id });
        throw new DomainError('CONFLICT', refusal ?? TOO_MANY);
      }
      try {
        const after = { ...row, slot };
        await webhooks.db.transaction(async (session) => {
          await webhooks.create([after], { session });
          await this.options.recordWrites(caller, [entryOf('webhook.register', { after })], session);
        });
        return after;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
    }
  }

  /** A webhook with its health: three commands. */
  async withHealth(row: WebhookRow): Promise<Webhook> {
    const { webhookQueues, webhookDeliveries } = this.options.models;
    const count = (state: DeliveryState) =>
      webhookDeliveries.countDocuments({ webhookId: row._id, state }, { limit: COUNT_BOUND });
    const [queue, pending, dead] = await Promise.all([
      webhookQueues.findById(row._id).lean<WebhookQueueRow>(),
      count('pending'),
      count('dead'),
    ]);
    return this.#view(row, queue ?? {}, { pending, dead });
  }

  #view(row: WebhookRow, queue: Partial<WebhookQueueRow>, counts: WebhookCounts): Webhook {
    return webhookView(row, queue, counts, new Date(this.options.clock()));
  }
}

const TOO_MANY = `A partner has at most ${MAX_WEBHOOKS} webhooks; delete one first.`;

/** Why a webhook is refused: another one sends the same events to its address. */
function repetition(
  { url, types }: Pick<WebhookRow, 'url' | 'types'>,
  others: readonly WebhookRow[],
): string | undefined {
  for (const other of others) {
    const type = addressOf(other.url) === addressOf(url) ? types.find((one) => other.types.includes(one)) : undefined;
    if (type !== undefined)
      return `The webhook ${other._id} sends "${type}" to this address already; send "allowDuplicate": true to register another.`;
  }
  return undefined;
}

/** An address in the normal form in which it is called. */
const addressOf = (url: string): string => new URL(url).href;

const noWebhook = () => new DomainError('NOT_FOUND', 'No webhook has this id.', { field: 'webhookId' });

const OUTCOMES = { register: 'created', rotate: 'updated', delete: 'deleted' } as const;

/** Shows only the origin of the address: the rest may be a secret. */
function entryOf(
  operation: `webhook.${keyof typeof OUTCOMES}`,
  { before, after }: { before?: WebhookRow; after?: WebhookRow },
): NewAuditEntry {
  const visible = (row: WebhookRow | undefined) => row && { ...row, origin: new URL(row.url).origin };
  const outcome = OUTCOMES[operation.slice('webhook.'.length) as keyof typeof OUTCOMES];
  return { operation, subject: (after ?? before)?._id ?? '', outcome, before: visible(before), after: visible(after) };
}
