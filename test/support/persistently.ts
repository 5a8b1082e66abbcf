// Requests to gateways that are killed in between.
import { setTimeout as delay } from 'node:timers/promises';
import type { RestAnswer } from './gateway.js';

/** Sends a request until it is answered; killed gateways and those that start answer nothing, or 503. */
export async function persistently(send: () => Promise<RestAnswer>): Promise<RestAnswer> {
  for (;;) {
    const answer = await send().catch(() => undefined);
    if (answer && answer.status < 500 && answer.status !== 429 && !isUnderWay(answer)) return answer;
    await delay(100);
  }
}

/** What a killed process had begun under an idempotency-key or a lease. */
const isUnderWay = ({ status, headers }: RestAnswer): boolean => status === 409 && headers.has('retry-after');
