// The collections of webhooks: the endpoints, one queue for each, and the deliveries with all attempts.
import { type Connection, type Model, Schema } from 'mongoose';
import type { Retained } from '../store/retention.js';

/** `gone`: the receiver responded with 410; `failing`: every attempt of three days failed. */
export type DisabledReason = 'gone' | 'failing';
export type DeliveryState = 'pending' | 'delivered' | 'dead';

/** The end of a pause that an operator ends. */
export const FOREVER = new Date('9999-12-31T00:00:00Z');

export interface WebhookRow {
  /** UUID. */
  _id: string;
  partnerId: string;
  /** Its number among the partner's webhooks, unique, so that concurrent requests cannot exceed the maximum. */
  slot: number;
  url: string;
  types: string[];
  description?: string;
  /** Whether `types` has types that everyone may see. */
  isPublic: boolean;
  /** Events after this sequence number are delivered. */
  fromSeq: number;
  state: 'enabled' | 'disabled';
  /** Since when an operator has paused it; absent: it is not. Its queue is then paused for FOREVER. */
  pausedAt?: Date;
  /** Why it is disabled. */
  disabledReason?: DisabledReason;
  secretSealed: string;
  /** The secret before the last rotation, which also signs until `previousUntil`. */
  previousSealed?: string;
  previousUntil?: Date;
  createdAt: Date;
}

/** The queue of an endpoint, which a gateway claims, and the recent results of the endpoint. */
export interface WebhookQueueRow {
  /** The webhook's id. */
  _id: string;
  /** The id of the process lease that has claimed it; empty: free. */
  holder: string;
  /** Increases with every claim. */
  token: number;
  /** Increases whenever deliveries are added. */
  work: number;
  /** When the next delivery is due, by the database's clock; null: none is pending. */
  dueAt: Date | null;
  /** Failed attempts since the last success. */
  failures: number;
  succeededAt?: Date;
  failedAt?: Date;
  /** The first of these failures. */
  failingSince?: Date | null;
  /** Nothing is sent before this time, by the database's clock: several attempts in a row have failed. */
  pausedUntil?: Date | null;
  /** When the endpoint last accepted a test ping, by the database's clock; compared as a version alone. */
  pingedAt?: Date;
}

/** One attempt, and the response. */
export interface DeliveryAttempt {
  at: Date;
  durationMs: number;
  status?: number;
  /** The beginning of the response. */
  answer?: string;
  /** Why there was no response. */
  error?: string;
}

export interface WebhookDeliveryRow extends Retained {
  /** The header `webhook-id`, the same for all attempts. */
  _id: string;
  webhookId: string;
  partnerId: string;
  /** Absent for a test ping. */
  eventId?: string;
  /** The event's sequence number; 0 for a test ping. */
  seq: number;
  type: string;
  /** Deliveries of one subject are in order. */
  subject: string;
  /** The payload, as it is signed. */
  body: string;
  state: DeliveryState;
  /** The earliest time of the next attempt, by the database's clock. */
  nextAt: Date;
  /**
   * Whether it, or an earlier delivery of its subject, has failed. Later deliveries of the subject wait for that one.
   */
  held?: true;
  /** Attempts since it was added, or since a redelivery. */
  attempts: number;
  tries: DeliveryAttempt[];
  /** Why it is dead. */
  reason?: string;
  createdAt: Date;
  settledAt?: Date;
  expireAt: Date;
}

const webhook = new Schema<WebhookRow>(
  {
    _id: { type: String, required: true },
    partnerId: { type: String, required: true },
    slot: { type: Number, required: true },
    url: { type: String, required: true },
    types: { type: [String], required: true },
    description: String,
    isPublic: { type: Boolean, required: true },
    fromSeq: { type: Number, required: true },
    state: { type: String, required: true },
    pausedAt: Date,
    disabledReason: String,
    secretSealed: { type: String, required: true },
    previousSealed: String,
    previousUntil: Date,
    createdAt: { type: Date, required: true },
  },
  { collection: 'webhooks', versionKey: false },
);
webhook.index({ partnerId: 1, slot: 1 }, { unique: true });
webhook.index({ state: 1, fromSeq: 1 });
webhook.index({ createdAt: 1, _id: 1 });
webhook.index({ isPublic: 1 }, { partialFilterExpression: { isPublic: true } });

const queue = new Schema<WebhookQueueRow>(
  {
    _id: { type: String, required: true },
    holder: { type: String, default: '' },
    token: { type: Number, default: 0 },
    work: { type: Number, default: 0 },
    dueAt: { type: Date, default: null },
    failures: { type: Number, default: 0 },
    succeededAt: Date,
    failedAt: Date,
    failingSince: Date,
    pausedUntil: Date,
    pingedAt: Date,
  },
  { collection: 'webhookQueues', versionKey: false },
);
queue.index({ holder: 1, dueAt: 1 });
queue.index({ failures: 1 });

const attempt = new Schema<DeliveryAttempt>(
  { at: Date, durationMs: Number, status: Number, answer: String, error: String },
  { _id: false },
);
const delivery = new Schema<WebhookDeliveryRow>(
  {
    _id: { type: String, required: true },
    webhookId: { type: String, required: true },
    partnerId: { type: String, required: true },
    eventId: String,
    seq: { type: Number, required: true },
    type: { type: String, required: true },
    subject: { type: String, required: true },
    body: { type: String, required: true },
    state: { type: String, required: true },
    nextAt: { type: Date, required: true },
    held: Boolean,
    attempts: { type: Number, required: true },
    tries: [attempt],
    reason: String,
    createdAt: { type: Date, required: true },
    settledAt: Date,
    expireAt: { type: Date, required: true },
    retentionMs: Number,
  },
  { collection: 'webhookDeliveries', versionKey: false },
);
delivery.index({ webhookId: 1, nextAt: 1, seq: 1 }, { partialFilterExpression: { state: 'pending' } });
delivery.index({ webhookId: 1, subject: 1, seq: 1 }, { partialFilterExpression: { held: true } });
delivery.index({ webhookId: 1, createdAt: 1, _id: 1 });
delivery.index({ webhookId: 1, state: 1, createdAt: 1, _id: 1 });
delivery.index({ expireAt: 1 }, { expireAfterSeconds: 0 });

export interface WebhookModels {
  webhooks: Model<WebhookRow>;
  webhookQueues: Model<WebhookQueueRow>;
  webhookDeliveries: Model<WebhookDeliveryRow>;
}

/** Registers the models on a connection. */
export function webhookModels(connection: Connection): WebhookModels {
  return {
    webhooks: connection.model<WebhookRow>('Webhook', webhook),
    webhookQueues: connection.model<WebhookQueueRow>('WebhookQueue', queue),
    webhookDeliveries: connection.model<WebhookDeliveryRow>('WebhookDelivery', delivery),
  };
}
