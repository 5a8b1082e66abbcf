// Routes of core ids (contract §21).
import { z } from 'zod';
import { requireHolder } from '../base/callers/rights.js';
import { ERASED } from '../holders/types.js';
import { type AnyRoute, route } from '../http/routes/route.js';
import type { CoreIdClaims } from './core-id-claims.js';
import { imageOf, metadataOf } from './core-id-image.js';
import { claimAs } from './core-id-request.js';
import { type ClaimCoreIdInput, claimCoreIdInput, claimCoreIdPayload, coreIdMetadata } from './types.js';

const optionalClaim = z.preprocess((body) => body ?? {}, claimCoreIdInput);
const UNKNOWN = 'There is no such core id.';
const tokenParams = z.object({ id: z.string() });
type TokenParams = z.output<typeof tokenParams>;

export interface AccountRouteServices {
  coreIdClaims: CoreIdClaims;
}

/** The routes of core ids. */
export function accountRoutes(services: AccountRouteServices): AnyRoute[] {
  return [...ownRoutes(services), ...coreIdRoutes(services)];
}

function ownRoutes({ coreIdClaims }: AccountRouteServices): AnyRoute[] {
  return [
    claimRoute(coreIdClaims, {
      path: '/v1/holders/me/core-id',
      summary: 'Claim a core id, or return the one that exists or is being minted',
      auth: 'holder',
      fails: { 404: ERASED },
    }),
  ];
}

/** A claim of a core id, by a holder or by a partner. */
function claimRoute(coreIdClaims: CoreIdClaims, row: Pick<AnyRoute, 'path' | 'summary' | 'auth' | 'fails'>): AnyRoute {
  return route<unknown, unknown, ClaimCoreIdInput>({
    method: 'POST',
    ...row,
    body: optionalClaim as z.ZodType<ClaimCoreIdInput>,
    answers: { 202: claimCoreIdPayload },
    fails: { ...row.fails, 409: 'The name is taken, or the holder has no wallet (contract §21).' },
    handle: async ({ caller, body: { name } }) => ({
      status: 202,
      body: { coreId: await claimAs(coreIdClaims, caller.kind === 'partner' ? caller : requireHolder(caller), name) },
    }),
  });
}

function coreIdRoutes({ coreIdClaims }: AccountRouteServices): AnyRoute[] {
  return [
    claimRoute(coreIdClaims, {
      path: '/v1/core-ids/claim',
      summary: 'Claim a core id for the holder whose e-mail address the partner token holds',
      auth: 'partner',
    }),
    route<TokenParams, unknown, unknown>({
      method: 'GET',
      path: '/v1/core-ids/:id',
      summary: 'Metadata of a core id, as ERC-721 has it',
      auth: 'public',
      params: tokenParams,
      answers: { 200: coreIdMetadata },
      fails: { 404: UNKNOWN },
      handle: async ({ params: { id } }) => ({ body: metadataOf(await coreIdClaims.byTokenId(id)) }),
    }),
    route<TokenParams, unknown, unknown>({
      method: 'GET',
      path: '/v1/core-ids/:id/image.svg',
      summary: 'The image of a core id',
      auth: 'public',
      params: tokenParams,
      produces: ['image/svg+xml'],
      answers: { 200: z.string() },
      fails: { 404: UNKNOWN },
      handle: async ({ params: { id } }) => ({
        body: imageOf(await coreIdClaims.byTokenId(id)),
        contentType: 'image/svg+xml; charset=utf-8',
        headers: { 'content-security-policy': "default-src 'none'", 'x-content-type-options': 'nosniff' },
      }),
    }),
  ];
}
