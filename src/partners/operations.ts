// Operations of operators on partners, and of callers on themselves. REST's list and its GET by id are in
// partners.routes.ts: the list has page numbers, and partners read themselves only in GraphQL.
import type { z } from 'zod';
import type { Caller } from '../base/callers/caller.js';
import { ownsNothing } from '../base/callers/rights.js';
import { operationsOf } from '../http/routes/operation.js';
import type { PartnerAdmin } from './admin.service.js';
import { partnerInput, putPartnerInput, retirePartnerInput } from './partner-inputs.js';
import { partner, putPartnerPayload, retirePartnerPayload, whoAmI } from './types.js';

const { query, listing, mutation } = operationsOf<{ partnerAdmin: PartnerAdmin }>();

export const UNKNOWN = 'There is no such partner.';
const CONTENDED = 'The partner was changed by other requests at the same time; try again.';
export const quoted = (etag: string) => ({ etag: `"${etag}"` });

/** A caller, as it sees itself. @throws DomainError FORBIDDEN for a page. */
export function whoAmIOf(caller: Caller): z.input<typeof whoAmI> {
  if (caller.kind === 'page') throw ownsNothing(caller);
  const { claims: _claims, requestId: _requestId, ...shown } = { claims: undefined, requestId: undefined, ...caller };
  return { ...shown, expiresAt: 'expiresAt' in caller ? new Date(caller.expiresAt) : undefined };
}

export const partnerOperations = [
  query('whoAmI', 'The caller: its kind, partner and scopes, and the key and expiry of its token.', {
    callers: 'public',
    output: whoAmI,
    run: async (_services, { caller }) => whoAmIOf(caller),
  }),

  query('partner', 'A partner. For the operator, and for the partner itself.', {
    // The service refuses other callers.
    callers: 'public',
    input: partnerInput,
    output: partner,
    run: ({ partnerAdmin }, { caller, input }) => partnerAdmin.get(caller, input.partnerId),
  }),

  listing('partners', 'Partners that are not retired, newest first. Operator only.', {
    callers: 'operator',
    output: partner,
    listing: { what: 'partners', most: 100, size: 25 },
    run: ({ partnerAdmin }, { caller, input }) => partnerAdmin.page(caller, input),
    // The total is counted, which costs extra.
    graphql: { extensions: { counted: true } },
  }),

  mutation('putPartner', 'Creates or replaces a partner. Operator only.', {
    callers: 'operator',
    audit: 'partner.put',
    input: putPartnerInput,
    output: putPartnerPayload,
    run: ({ partnerAdmin }, { caller, input: { partnerId, ifMatch, ifNoneMatch, ...body } }) =>
      partnerAdmin.put(caller, partnerId, body, { ifMatch, ifNoneMatch }),
    rest: {
      method: 'PUT',
      path: '/v1/admin/partners/:id',
      members: { id: 'partnerId' },
      headers: { 'if-match': 'ifMatch', 'if-none-match': 'ifNoneMatch' },
      summary: 'Create or replace a partner; the same body again changes nothing',
      answers: { 200: partner },
      fails: { 409: CONTENDED },
      respond: ({ partner: body, etag }) => ({ body, headers: quoted(etag) }),
    },
  }),

  mutation(
    'retirePartner',
    'Retires a partner: its tokens are refused, and the sessions that were opened through it. Operator only.',
    {
      callers: 'operator',
      audit: 'partner.retire',
      input: retirePartnerInput,
      run: ({ partnerAdmin }, { caller, input: { partnerId, ifMatch } }) =>
        partnerAdmin.retire(caller, partnerId, { ifMatch }),
      rest: {
        method: 'DELETE',
        path: '/v1/admin/partners/:id',
        members: { id: 'partnerId' },
        headers: { 'if-match': 'ifMatch' },
        summary: 'Retire a partner: its tokens, and sessions that were opened through it, are refused from then on',
        fails: { 404: UNKNOWN, 409: CONTENDED },
      },
      graphql: { payload: retirePartnerPayload, show: (_nothing, { partnerId }) => ({ retiredId: partnerId }) },
    },
  ),
];
