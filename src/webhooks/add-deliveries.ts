// Adds deliveries and wakes the queues of their endpoints.
import type { ClientSession } from 'mongoose';
import { isDuplicateKey } from '../base/mongodb/duplicate-key.js';
import { native } from '../base/mongodb/native.js';
import type { WebhookDeliveryRow, WebhookModels } from './models.js';

/**
 * Adds deliveries unless they exist, then increments `work` of their queues, so that a gateway that is about to release a
 * queue sees the new work.
 * @param at when they are due, by the database's clock
 */
export async function addDeliveries(
  models: WebhookModels,
  rows: readonly WebhookDeliveryRow[],
  at: number,
): Promise<void> {
  if (rows.length === 0) return;
  await native(models.webhookDeliveries).insertMany(rows, { ordered: false }).catch(ignoreDuplicates);
  await wakeQueues(models, [...new Set(rows.map(({ webhookId }) => webhookId))], at);
}

/** Makes the queues of these endpoints due; the change stream wakes the gateways that deliver. Paused ones are due when their pause ends. */
export async function wakeQueues(
  { webhookQueues }: WebhookModels,
  webhookIds: readonly string[],
  at: number,
  session?: ClientSession,
): Promise<void> {
  const change = { $inc: { work: 1 }, $set: { dueAt: new Date(at) } };
  const awake = { _id: { $in: [...webhookIds] }, pausedUntil: { $not: { $gt: new Date(at) } } };
  await webhookQueues.updateMany(awake, change, { session });
}

/** @throws every error except duplicate ids. */
function ignoreDuplicates(error: unknown): void {
  const { writeErrors = [] } = error as { writeErrors?: readonly { code: number }[] };
  const all = [writeErrors].flat();
  if (!isDuplicateKey(error) || !all.every(({ code }) => code === 11_000)) throw error;
}
