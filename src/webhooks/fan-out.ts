// Makes deliveries from the event log. One elected process reads the log in order and adds a delivery of each event for
// each endpoint that may see it and wants its type. The id of a delivery is computed from event and endpoint, so a
// repeated batch adds nothing twice.
import { partnerWithoutToken } from '../base/callers/caller.js';
import { Bell } from '../base/concurrency/bell.js';
import { DomainError } from '../base/errors.js';
import type { ProblemReport } from '../base/monitoring/problems.js';
import type { EventFeed } from '../events/event-feed.service.js';
import type { EventTopics } from '../events/topics.service.js';
import type { StampedEvent } from '../store/event-port.js';
import { isPublicType } from '../store/event-types.js';
import { followLog } from '../store/follow-log.js';
import type { Checkpoint, Term } from '../store/lease.js';
import { addDeliveries } from './add-deliveries.js';
import type { DatabaseClock } from './database-clock.js';
import type { WebhookDeliveryRow, WebhookModels, WebhookRow } from './models.js';
import { deliveryIdOf, payloadOf, subjectOf } from './payload.js';

interface FanOutState {
  /** Every event up to this sequence number has its deliveries. */
  seq: number;
  /** The latest due time so far: due times never decrease, even if another database server with another clock takes over. */
  at: number;
}

/** The most events of one batch. */
const BATCH = 500;
/** The most deliveries of one command, so that the first ones are sent while others are added. */
const ROWS = 100;
/** Batches begin at most this often, so that a busy log needs few of them. Milliseconds. */
const INTERVAL_MS = 100;
const MAX_MATCHERS = 10_000;

export interface FanOutOptions {
  models: WebhookModels;
  feed: EventFeed;
  topics: EventTopics;
  databaseClock: DatabaseClock;
  problems: ProblemReport;
  catalogEnabled: boolean;
  /** How long a delivery is stored, milliseconds. */
  retentionMs: number;
  clock(): number;
  onError(error: unknown): void;
}

/** Wakes the fan-out. While there is no endpoint, events do not wake it. */
export class FanOutBell {
  readonly #bell = new Bell();
  /** Whether there was no endpoint at the last look. */
  dormant = false;

  /** Called for events. */
  ring(): void {
    if (!this.dormant) this.#bell.ring();
  }

  /** Called when endpoints are added, changed or removed. */
  wake(): void {
    this.dormant = false;
    this.#bell.ring();
  }

  rung(signal: AbortSignal): Promise<boolean> {
    return this.#bell.rung(signal);
  }
}

/** The state that the batches of one term share. */
interface FanOutRun extends FanOutOptions {
  bell: FanOutBell;
  checkpoint: Checkpoint<FanOutState>;
  /** Filters of endpoints, by row: the types of a row never change. */
  matchers: Map<string, (event: StampedEvent) => boolean>;
}

/** Adds deliveries until the term ends. */
export async function fanOut(term: Term, bell: FanOutBell, options: FanOutOptions): Promise<void> {
  await options.feed.ready;
  const matchers: FanOutRun['matchers'] = new Map();
  await followLog<FanOutState>(term, {
    position: 'webhooks',
    bell,
    intervalMs: INTERVAL_MS,
    batch: (checkpoint) => fanOutBatch({ ...options, bell, checkpoint, matchers }),
    onError: options.onError,
  });
}

/** Processes one batch. Returns whether there may be more. Without an endpoint, the log is not read. */
async function fanOutBatch(run: FanOutRun): Promise<boolean> {
  const { models, feed, bell, checkpoint, databaseClock } = run;
  // Set before reading, so that an endpoint that is added meanwhile is not missed.
  bell.dormant = true;
  const first = await models.webhooks.findOne({ state: 'enabled' }, { fromSeq: 1 }).sort({ fromSeq: 1 }).lean();
  const upTo = feed.deliveredSeq;
  if (first === null) return false;
  bell.dormant = false;
  const saved = (await checkpoint.state()) ?? { seq: 0, at: 0 };
  const from = Math.max(saved.seq, first.fromSeq);
  if (from >= upTo) return false;
  const events = await eventsBetween(run, from, upTo);
  const seq = events.length === BATCH ? (events.at(-1)?.seq ?? upTo) : upTo;
  const at = Math.max(saved.at, Math.floor(await databaseClock.now()));
  await addAll(run, events, at);
  await checkpoint.advance({ seq, at });
  return seq < upTo;
}

/** Events of the log. Expired ones are reported and left out. */
async function eventsBetween({ feed, problems }: FanOutRun, from: number, upTo: number): Promise<StampedEvent[]> {
  try {
    const events = await feed.replay({ filter: {} }, from, upTo, BATCH);
    problems.clear('webhooks-lost');
    return events;
  } catch (error) {
    if (!(error instanceof DomainError && error.code === 'EVENT_HISTORY_LOST')) throw error;
    problems.raise('webhooks-lost');
    return feed.replay({ filter: {} }, Math.max(from, await feed.seqBeforeOldest()), upTo, BATCH);
  }
}

/** Reads the endpoints after the events, so that endpoints registered before an event are included. */
async function addAll(run: FanOutRun, events: readonly StampedEvent[], at: number): Promise<void> {
  const { models } = run;
  const webhooks = await webhooksFor(models, events);
  if (webhooks.length === 0) return;
  await loadMatchers(run, webhooks);
  let rows: WebhookDeliveryRow[] = [];
  for (const event of events) {
    rows.push(...deliveriesOf(run, event, webhooks, at));
    for (; rows.length >= ROWS; rows = rows.slice(ROWS)) await addDeliveries(models, rows.slice(0, ROWS), at);
  }
  await addDeliveries(models, rows, at);
}

async function webhooksFor({ webhooks }: WebhookModels, events: readonly StampedEvent[]): Promise<WebhookRow[]> {
  const partnerIds = [...new Set(events.flatMap(({ viewers }) => viewers.partnerId ?? []))];
  const choices: object[] = partnerIds.length > 0 ? [{ partnerId: { $in: partnerIds } }] : [];
  if (events.some(({ viewers }) => viewers.public)) choices.push({ isPublic: true });
  return choices.length === 0 ? [] : webhooks.find({ state: 'enabled', $or: choices }).lean<WebhookRow[]>();
}

/** Each uses the filter that GET /v1/events has for the same caller and types. */
async function loadMatchers({ matchers, topics, catalogEnabled }: FanOutRun, webhooks: readonly WebhookRow[]) {
  if (matchers.size > MAX_MATCHERS) matchers.clear();
  for (const { _id, partnerId, types } of webhooks) {
    if (matchers.has(_id)) continue;
    const isOpen = (type: string) => catalogEnabled || !isPublicType(type);
    const names = types.filter(isOpen);
    const { matches } = names.length > 0 ? await topics.viewable(partnerWithoutToken(partnerId), names) : NOTHING;
    matchers.set(_id, matches);
  }
}

const NOTHING = { matches: () => false };

function deliveriesOf(
  { feed, matchers, retentionMs, clock }: FanOutRun,
  event: StampedEvent,
  webhooks: readonly WebhookRow[],
  at: number,
): WebhookDeliveryRow[] {
  const wanting = webhooks.filter(({ _id, fromSeq }) => event.seq > fromSeq && matchers.get(_id)?.(event));
  if (wanting.length === 0) return [];
  const item = feed.itemOf(event);
  const [eventId, body, subject] = [item.id, payloadOf(item), subjectOf(event)];
  const now = clock();
  return wanting.map(({ _id: webhookId, partnerId }) => ({
    _id: deliveryIdOf(webhookId, eventId),
    webhookId,
    partnerId,
    eventId,
    seq: event.seq,
    type: event.type,
    subject,
    body,
    state: 'pending',
    nextAt: new Date(at),
    attempts: 0,
    tries: [],
    createdAt: new Date(now),
    expireAt: new Date(at + retentionMs),
    retentionMs,
  }));
}
