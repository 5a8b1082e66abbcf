// What the tests of webhooks share.
import { expect } from 'vitest';
import { issueMember } from '../events/support.js';
import { eventually } from '../support/eventually.js';
import type { TestGateway } from '../support/gateway.js';
import type { Membership } from '../support/membership.js';
import type { Receiver } from './receiver.js';

export type Rest = Membership['partner'];

/** Registers a path of the receiver as the partner's endpoint; answers the webhook. */
export async function register(
  rest: Rest,
  receiver: Receiver,
  { path = '/', types = ['submitted', 'stored'] }: { path?: string; types?: string[] } = {},
) {
  const { status, body } = await rest('POST', '/v1/webhooks', { url: receiver.url(path), types });
  if (status !== 201) throw new Error(`the webhook was refused: ${JSON.stringify(body)}`);
  receiver.secrets.set(path, body.secret);
  return body;
}

/** Issues to so many holders; answers the hashes. */
export async function issueMany(membership: Membership, count: number, prefix: string): Promise<string[]> {
  const issue = (index: number) =>
    issueMember(membership, { rest: membership.partner }, `${prefix}-${index}@example.org`);
  return Promise.all(Array.from({ length: count }, (_, index) => issue(index)));
}

/** Everything that waits to be tried again is due now. */
export async function hurry({ app }: TestGateway): Promise<void> {
  const { webhookDeliveries, webhookQueues } = app.connection.collections;
  await webhookDeliveries?.updateMany({ state: 'pending' }, { $set: { nextAt: new Date(1) } });
  await webhookQueues?.updateMany({}, { $set: { dueAt: new Date(1), pausedUntil: null }, $inc: { work: 1 } });
}

/** The ledger of a webhook, newest first. */
export async function ledger(rest: Rest, webhookId: string, query = '') {
  return (await rest('GET', `/v1/webhooks/${webhookId}/deliveries?limit=100${query}`)).body.items;
}

/** Waits until the receiver has had so many different deliveries. */
export const arrived = (receiver: Receiver, count: number): Promise<void> =>
  eventually(() => expect(receiver.ids().length).toBeGreaterThanOrEqual(count));
