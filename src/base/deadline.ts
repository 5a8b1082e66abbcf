// The deadline of a request: whoever has no answer by then is told that the store does not answer, whatever still runs below.
import type { FastifyReply } from 'fastify';
import { storeUnavailable } from './errors.js';

/** Whether a client still waits for the first byte of its answer. */
const isWaitedFor = (reply: FastifyReply): boolean => !reply.sent && !reply.raw.headersSent && !reply.raw.destroyed;

/** Answers 503 with `Retry-After` when a request has no answer after `limitMs`; an answer that comes later is dropped. */
export function limitWait(reply: FastifyReply, limitMs: number): void {
  if (!isWaitedFor(reply)) return;
  const timer = setTimeout(() => endAtDeadline(reply), limitMs);
  reply.raw.once('close', () => clearTimeout(timer));
}

function endAtDeadline(reply: FastifyReply): void {
  if (!isWaitedFor(reply)) return;
  void reply.send(storeUnavailable(new Error('the request has reached its deadline')));
  // The handler still runs and will send its answer: there is nobody to take it.
  reply.send = () => reply;
}

/** The result of work, or the same refusal when it is not there after `limitMs`. @throws DomainError STORE_UNAVAILABLE. */
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
