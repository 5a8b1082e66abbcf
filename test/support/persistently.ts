// Requests to gateways that are killed meanwhile.
import { setTimeout as delay } from 'node:timers/promises';
import type { RestAnswer } from './gateway.js';

const AGAIN_MS = 100;

/**
 * Sends a request until it is answered: a killed gateway sends nothing, and one that is starting sends 503. It waits for
 * the `Retry-After` of other responses, because more frequent requests would exceed the limits.
 */
export async function persistently(send: () => Promise<RestAnswer>): Promise<RestAnswer> {
  for (;;) {
    const answer = await send().catch(() => undefined);
    if (answer && answer.status < 500 && answer.status !== 429 && !isUnderWay(answer)) return answer;
    await delay(answer && answer.status < 500 ? Number(answer.headers.get('retry-after') ?? 0) * 1_000 : AGAIN_MS);
  }
}

/**
 * Whether the response says that the operation is still running: a killed process had begun it under an idempotency-key
 * or a lease.
 */
const isUnderWay = ({ status, headers }: RestAnswer): boolean => status === 409 && headers.has('retry-after');
