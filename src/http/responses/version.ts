// The header with the gateway's version. Only operators get it: to others it would reveal the known faults of that
// version.
import type { FastifyReply } from 'fastify';
import type { Caller } from '../../base/callers/caller.js';
import { buildText } from '../../base/version.js';

/** Adds the version to responses to operators. */
export function addVersionHeader(reply: FastifyReply, caller: Caller): void {
  if (caller.kind === 'operator') void reply.header('x-gateway-version', buildText());
}
