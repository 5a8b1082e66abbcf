// Requests to gateways that are killed in between.
import { setTimeout as delay } from 'node:timers/promises';
import type { RestAnswer } from './gateway.js';

const AGAIN_MS = 100;

/**
 * Sends a request until it is answered; killed gateways and those that start answer nothing, or 503. Where the answer says when to come back,
 * it comes then: who asks earlier uses up what the limits allow.
 */
export async function persistently(send: () => Promise<RestAnswer>): Promise<RestAnswer> {
  for (;;) {
    const answer = await send().catch(() => undefined);
    if (answer && answer.status < 500 && answer.status !== 429 && !isUnderWay(answer)) return answer;
    await delay(answer && answer.status < 500 ? Number(answer.headers.get('retry-after') ?? 0) * 1_000 : AGAIN_MS);
  }
}

/** What a killed process had begun under an idempotency-key or a lease. */
const isUnderWay = ({ status, headers }: RestAnswer): boolean => status === 409 && headers.has('retry-after');
