// Signing (Standard Webhooks, https://www.standardwebhooks.com): secrets of endpoints, and the headers that they sign.
import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { SealContext, SealedBox } from '../keys/sealed-box.js';
import type { WebhookRow } from './models.js';

const SECRET_BYTES = 32;

/** How long the previous secret also signs after a rotation, milliseconds. */
export const PREVIOUS_SECRET_MS = 24 * 3_600_000;

const contextOf = (webhookId: string): SealContext => ({ what: 'webhook-secret', whose: webhookId });

/** A new secret. */
export const makeSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;

/** A new secret, and its sealed form. */
export function newSecret(box: SealedBox, webhookId: string): { secret: string; secretSealed: string } {
  const secret = makeSecret();
  return { secret, secretSealed: box.seal(secret, contextOf(webhookId)) };
}

/** Returns the headers of an attempt. */
export type SignDelivery = (delivery: { id: string; body: string }, now: Date) => Record<string, string>;

/** Signs with every live secret of an endpoint. @throws UnsealError. */
export function signerOf(box: SealedBox, row: WebhookRow): SignDelivery {
  const signers = [row.secretSealed, row.previousSealed].map((sealed) =>
    sealed ? new Webhook(box.unsealText(sealed, contextOf(row._id))) : undefined,
  );
  return (delivery, now) => {
    const [current, previous] = signers;
    const live = row.previousUntil && row.previousUntil > now ? [current, previous] : [current];
    return signedHeaders(
      live.flatMap((one) => one ?? []),
      delivery,
      now,
    );
  };
}

/** The headers of a delivery, with a signature by each signer. */
export function signedHeaders(
  signers: readonly Webhook[],
  { id, body }: { id: string; body: string },
  now: Date,
): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'credential-gateway',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
    'webhook-signature': signers.map((one) => one.sign(id, now, body)).join(' '),
  };
}
