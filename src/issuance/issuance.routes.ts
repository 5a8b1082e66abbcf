// /v1/credentials and the operator's routes that GraphQL lacks or has in another form (contract §5 to §7); all others are in operations.ts.
import { z } from 'zod';
import { badInput, DomainError } from '../base/errors.js';
import { wholeNumber } from '../base/input.js';
import { catalogId } from '../base/record.js';
import { requireHolder, requireOperator, requirePartner } from '../base/callers/rights.js';
import type { IssuingCatalog } from '../catalog/reading/issuing.service.js';
import { bestOf } from '../http/requests/accept.js';
import { isJson, JSON_SCHEMA_TYPES, SIGNED_CREDENTIAL_TYPES } from '../http/requests/media-types.js';
import { type AnyRoute, route } from '../http/routes/route.js';
import { ANY_OBJECT, adminPageOf } from '../http/routes/shapes.js';
import type { Idempotency } from '../store/idempotency.js';
import {
  type HostedRequest,
  historyQuery,
  issueHostedBody,
  nonceParams,
  revokeBody,
  revokeCredentialInput,
  statusQuery,
} from './inputs.js';
import type { IssuerHosted } from './issuer-hosted.js';
import type { RevocationService } from './revocation.js';
import { documentOfPoints } from './schema-view.js';
import { envelopedCredentialOf } from './signed-credential.js';
import { type HistoryQuery, type StatusService } from './status.service.js';
import { LIST_MAX_AGE, type StatusLists } from './status-list.js';
import type { TokenLists } from './wallets/token-list.js';
import { tokenListRoute } from './wallets/token-list.routes.js';
import { envelopedCredential, issuanceRecord, revokeCredentialPayload, statusWithDates, withDates } from './types.js';

export interface IssuanceRouteServices {
  issuerHosted: IssuerHosted;
  revocation: RevocationService;
  status: StatusService;
  statusLists: StatusLists;
  tokenLists: TokenLists;
  issuingCatalog: IssuingCatalog;
  idempotency: Idempotency;
}

const listParams = z.object({ id: z.string().min(1).max(600) });
const versionParams = z.object({ schemaId: catalogId, version: wholeNumber(1, 1_000_000) });
const UNKNOWN = 'There is no such issuance.';

/** The routes of issuance that are not operations. */
export function issuanceRoutes(services: IssuanceRouteServices): AnyRoute[] {
  return [
    ...revocationRoutes(services),
    issueRoute(services),
    ...statusRoutes(services),
    tokenListRoute(services),
    documentRoute(services),
    historyRoute(services),
  ];
}

function revocationRoutes({ revocation }: IssuanceRouteServices): AnyRoute[] {
  const row = { method: 'POST', answers: { 200: revokeCredentialPayload }, fails: { 404: UNKNOWN } } as const;
  return [
    route<unknown, unknown, z.output<typeof revokeBody>>({
      ...row,
      path: '/v1/credentials/revoke',
      summary: 'Revoke what the partner issued; this cannot be undone',
      auth: 'partner',
      operation: 'revokeCredential',
      body: revokeBody,
      handle: async ({ caller, body }) => ({ body: await revocation.revoke(requirePartner(caller), body) }),
    }),
    route<unknown, unknown, z.output<typeof revokeCredentialInput>>({
      ...row,
      path: '/v1/admin/revoke',
      summary: 'Revoke any issuance, by its nonce or its claim hash',
      auth: 'operator',
      body: revokeCredentialInput,
      async handle({ caller, body: { nonce, coreClaimHash } }) {
        if ((nonce === undefined) === (coreClaimHash === undefined))
          throw badInput('Give either "nonce" or "coreClaimHash".', 'nonce');
        const target = nonce === undefined ? { coreClaimHash: coreClaimHash ?? '' } : { nonce };
        return { body: await revocation.revoke(requireOperator(caller, 'all'), target) };
      },
    }),
  ];
}

function issueRoute({ issuerHosted, idempotency }: IssuanceRouteServices): AnyRoute {
  return route<unknown, unknown, HostedRequest>({
    method: 'POST',
    path: '/v1/credentials/issue',
    summary: 'Ask an issuer to issue to the holder; an event `stored` follows',
    auth: 'holder',
    body: issueHostedBody,
    headers: ['idempotency-key'],
    answers: { 202: z.object({ requestId: z.guid() }) },
    fails: { 404: 'There is no such issuer or schema.', 409: 'The issuer refuses.' },
    async handle({ caller, body, headers }) {
      const key = headers['idempotency-key'];
      const issue = () => issuerHosted.issue(requireHolder(caller), body, key);
      return { status: 202, body: await idempotency.run({ caller, route: 'credentials/issue', key, body }, issue) };
    },
  });
}

function statusRoutes({ status, statusLists }: IssuanceRouteServices): AnyRoute[] {
  return [
    route<unknown, z.output<typeof statusQuery>, unknown>({
      method: 'GET',
      path: '/v1/credentials/status',
      summary: 'The status of an issuance by its claim hash',
      auth: 'public',
      query: statusQuery,
      answers: { 200: statusWithDates },
      fails: { 404: UNKNOWN },
      handle: async ({ query }) => ({ body: withDates(await status.byHash(query.coreClaimHash)) }),
    }),
    route<z.output<typeof nonceParams>, unknown, unknown>({
      method: 'GET',
      path: '/v1/credentials/revocation-status/:nonce',
      summary: 'Whether the issuance with this nonce is revoked',
      auth: 'public',
      params: nonceParams,
      answers: { 200: z.object({ isRevoked: z.boolean() }) },
      fails: { 404: UNKNOWN },
      handle: async ({ params }) => ({ body: { isRevoked: await status.isRevoked(params.nonce) } }),
    }),
    route<z.output<typeof listParams>, unknown, unknown>({
      method: 'GET',
      path: '/v1/credentials/status-lists/:id',
      summary: 'A Bitstring Status List credential, signed by its issuer',
      auth: 'public',
      params: listParams,
      produces: SIGNED_CREDENTIAL_TYPES,
      headers: ['if-none-match'],
      answers: { 200: envelopedCredential },
      fails: { 404: 'There is no such list.' },
      async handle({ params, headers }) {
        const { jwt, etag, points } = await statusLists.signed(params.id);
        const contentType = bestOf(headers.accept, SIGNED_CREDENTIAL_TYPES);
        const [tag, body] = isJson(contentType)
          ? [`W/"${etag}.json"`, JSON.stringify(envelopedCredentialOf(jwt))]
          : [`W/"${etag}"`, jwt];
        const caching = { etag: tag, 'cache-control': `public, max-age=${LIST_MAX_AGE}` };
        if (headers['if-none-match']?.includes(tag))
          return { status: 304, headers: caching, contentType, body: '', points };
        return { headers: caching, contentType, body, points };
      },
    }),
  ];
}

function documentRoute({ issuingCatalog }: IssuanceRouteServices): AnyRoute {
  return route<z.output<typeof versionParams>, unknown, unknown>({
    method: 'GET',
    path: '/v1/schemas/:schemaId/versions/:version',
    summary: 'The JSON Schema document of a schema version, at the address that credentials contain',
    auth: 'public',
    params: versionParams,
    produces: JSON_SCHEMA_TYPES,
    answers: { 200: ANY_OBJECT },
    fails: { 404: 'The schema has no such version.' },
    async handle({ params: { schemaId, version } }) {
      const row = await issuingCatalog.schemaVersion(schemaId, version);
      if (!row) throw new DomainError('NOT_FOUND', 'There is no such version of a schema.');
      return { body: documentOfPoints(row), headers: { 'cache-control': 'public, max-age=86400, immutable' } };
    },
  });
}

function historyRoute({ status }: IssuanceRouteServices): AnyRoute {
  return route<unknown, HistoryQuery, unknown>({
    method: 'GET',
    path: '/v1/admin/issuance-history',
    summary: 'Every issuance, page by page',
    auth: 'operator',
    query: historyQuery,
    answers: { 200: adminPageOf(issuanceRecord) },
    handle: async ({ query }) => ({ body: await status.history(query) }),
  });
}
