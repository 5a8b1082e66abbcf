// The header by which operators see what runs. Others are not told: it says which faults a gateway may have.
import type { FastifyReply } from 'fastify';
import type { Caller } from '../base/callers/caller.js';
import { buildText } from '../base/version.js';

/** Tells an operator which version answers. */
export function tellVersion(reply: FastifyReply, caller: Caller): void {
  if (caller.kind === 'operator') void reply.header('x-gateway-version', buildText());
}
