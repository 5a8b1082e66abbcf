// The deadline of a request: a client without a response by then gets 503, even if the handler still runs.
import type { FastifyReply } from 'fastify';
import { storeUnavailable } from '../../base/errors.js';
import { logError, requestError } from '../responses/errors.js';

/** Whether the client still waits for the first byte of its response. */
const isWaitedFor = (reply: FastifyReply): boolean => !reply.sent && !reply.raw.headersSent && !reply.raw.destroyed;

/**
 * Sends 503 with `Retry-After` if a request has no response after `limitMs`. The handler's later response is dropped.
 */
export function limitWait(reply: FastifyReply, limitMs: number): void {
  if (!isWaitedFor(reply)) return;
  const timer = setTimeout(() => endAtDeadline(reply), limitMs);
  reply.raw.once('close', () => clearTimeout(timer));
}

function endAtDeadline(reply: FastifyReply): void {
  if (!isWaitedFor(reply)) return;
  void reply.send(storeUnavailable(new Error('the request has reached its deadline')));
  // The handler still runs; what it sends later is dropped. Fastify logs a late error itself, as a fault, if `sent` is true.
  Object.defineProperty(reply, 'sent', { value: false });
  reply.send = (late) => {
    if (late instanceof Error) logError(reply.request, requestError(late));
    return reply;
  };
}

/** The result of work, or an error if it takes longer than `limitMs`. @throws DomainError STORE_UNAVAILABLE. */
export async function beforeDeadline<T>(work: Promise<T>, limitMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    const refuse = (): void => reject(storeUnavailable(new Error('the operation has reached its deadline')));
    timer = setTimeout(refuse, limitMs);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
