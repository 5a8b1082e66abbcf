// Finds the caller of a route that is not public, and refuses those that the route is not for (contract §1).
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../base/callers/caller.js';
import { DomainError } from '../../base/errors.js';
import { CREDENTIALS, requireOperation, requireRole } from '../../base/callers/rights.js';
import type { Authenticate } from '../callers/authenticate.js';
import { identified } from '../callers/charges.js';
import { type AnyRoute, callersOf, roleOf } from './route.js';

/** The caller, if the route is for its kind. @throws DomainError UNAUTHENTICATED or FORBIDDEN. */
export async function admitCaller(
  row: AnyRoute,
  { server, facts, headers }: FastifyRequest,
  authenticate: Authenticate,
): Promise<Caller> {
  const kinds = callersOf(row);
  const caller = await identified(server.points, facts.address, headers, () => authenticate(headers, kinds));
  if (caller.kind === 'anonymous')
    throw new DomainError('UNAUTHENTICATED', `This route needs ${listed(kinds.map((kind) => CREDENTIALS[kind]))}.`);
  if (!kinds.includes(caller.kind))
    throw new DomainError('FORBIDDEN', `This route is only for ${listed(kinds.map((kind) => `${kind}s`))}.`);
  if (row.operation !== undefined && caller.kind === 'partner') requireOperation(caller, row.operation);
  // Checked before the body is read: operators' keys without the required role cannot send one.
  if (caller.kind === 'operator') requireRole(caller, roleOf(row));
  return caller;
}

const LIST = new Intl.ListFormat('en', { type: 'disjunction' });
const listed = (names: readonly string[]): string => LIST.format(names);
