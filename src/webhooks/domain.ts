// The parts of the webhooks domain.
import type { Connection } from 'mongoose';
import type { Retention } from '../base/config/retention-config.js';
import type { Worker } from '../base/concurrency/worker.js';
import type { EventFeed } from '../events/event-feed.service.js';
import type { EventTopics } from '../events/topics.service.js';
import type { Core } from '../compose/domain.js';
import type { SealedField } from '../keys/sealed-field.js';
import type { PartnerDirectory } from '../partners/directory.service.js';
import type { RetentionRule } from '../store/retention.js';
import { type AttemptOutcome, DeliveryAttempts } from './attempts.js';
import { QueueClaims } from './claims.js';
import { DatabaseClock } from './database-clock.js';
import { WebhookDeliveries } from './deliveries.js';
import { deliverySlots } from './delivery-slots.js';
import { DeliveryDispatcher } from './dispatcher.js';
import { DueDeliveries } from './due.js';
import { FanOutBell, fanOut } from './fan-out.js';
import { deliveryEraser } from './forget.js';
import { type WebhookRow, webhookModels } from './models.js';
import { type WebhookServices, webhookOperations } from './operations.js';
import { operatorWebhookOperations } from './operator-operations.js';
import { PartnerWebhooks } from './partner-webhooks.js';
import { DeliveryResults } from './results.js';
import { WebhookTargets } from './targets.js';
import { measurePartners, WebhookTrouble } from './trouble.js';
import { Webhooks } from './webhooks.js';

interface EarlierServices {
  eventFeed: EventFeed;
  eventTopics: EventTopics;
  partners: PartnerDirectory;
}

interface Services extends WebhookServices {
  partnerWebhooks: PartnerWebhooks;
  /** Partners whose webhooks fail wholly, for health. */
  webhookTrouble: WebhookTrouble;
}

function webhookServices(core: Core, { eventFeed: feed, eventTopics: topics }: EarlierServices): Services {
  const { config, connection, box, outbound, recordWrites, clock } = core;
  const models = webhookModels(connection);
  core.erasers.add(deliveryEraser(connection));
  const outboundPolicy = { allowLoopback: config.networkEnv === 'sandbox' };
  const databaseClock = new DatabaseClock(connection);
  const webhooks = new Webhooks({ models, feed, topics, box, outboundPolicy, recordWrites, databaseClock, clock });
  const attempts = new DeliveryAttempts(outbound, box, clock);
  const webhookTrouble = new WebhookTrouble(models);
  measurePartners(core.metrics, webhookTrouble, clock);
  const withHealth = (row: WebhookRow) => webhooks.withHealth(row);
  return {
    webhooks,
    webhookTrouble,
    partnerWebhooks: new PartnerWebhooks({ models, withHealth, databaseClock, recordWrites, clock }),
    webhookDeliveries: new WebhookDeliveries({
      models,
      webhooks,
      attempts,
      databaseClock,
      recordWrites,
      retentionMs: config.retention.deliveryMs,
      clock,
    }),
  };
}

function attemptCounter({ metrics }: Core): (outcome: AttemptOutcome) => void {
  const attempts = metrics.counter('webhook_attempts_total', 'Ended attempts to call webhooks', ['result']);
  return ({ delivered, attempt: { status } }) => {
    const refused = status === undefined ? 'no answer' : 'refused';
    attempts.inc({ result: delivered ? 'delivered' : refused });
  };
}

/** The elected process that adds deliveries, and the deliverer that every process has. */
function webhookWorkers(core: Core, { eventFeed: feed, eventTopics: topics, partners }: EarlierServices): Worker[] {
  const { connection, config, box, outbound, clock, processLease, changes, problems, onError } = core;
  const models = webhookModels(connection);
  const databaseClock = new DatabaseClock(connection);
  const attempts = new DeliveryAttempts(outbound, box, clock, attemptCounter(core));
  const results = new DeliveryResults(models, databaseClock, clock);
  const dispatcher = new DeliveryDispatcher({
    claims: new QueueClaims(models, processLease, databaseClock),
    due: new DueDeliveries(models, results, databaseClock),
    targets: new WebhookTargets(models, partners, attempts, core.appendEvents),
    attempts,
    results,
    slots: deliverySlots(),
    clock,
    onError,
  });
  changes.listen([models.webhookQueues.collection.name], dispatcher.changes);
  const bell = new FanOutBell();
  const wake = (): void => bell.wake();
  changes.listen([models.webhooks.collection.name], { changed: wake, interrupted: wake });
  feed.onEvents(() => bell.ring());
  const { catalogEnabled } = config;
  const retentionMs = config.retention.deliveryMs;
  const options = { models, feed, topics, databaseClock, problems, catalogEnabled, retentionMs, clock, onError };
  const work = (term: Parameters<typeof fanOut>[0]) => fanOut(term, bell, options);
  return [core.elections.elect('webhooks', work), dispatcher];
}

const sealed = (connection: Connection): SealedField[] => {
  const { webhooks: model } = webhookModels(connection);
  const secret = { model, what: 'webhook-secret', name: 'secrets of webhooks' } as const;
  return [
    { ...secret, field: 'secretSealed' },
    { ...secret, field: 'previousSealed' },
  ];
};

export const webhooksDomain = {
  models: webhookModels,
  services: webhookServices,
  operations: [...webhookOperations, ...operatorWebhookOperations],
  workers: webhookWorkers,
  sealed,
  retained: (connection: Connection, { deliveryMs: ms }: Retention): RetentionRule[] => [
    { model: webhookModels(connection).webhookDeliveries, end: 'expireAt', ms, formerMs: 7 * 86_400_000 },
  ],
} as const;
