// /v1/credentials: issuing on behalf, public status, revocation (contract §5), and the operator's routes (§7).

import { z } from 'zod';
import { badInput, DomainError } from '../base/errors.js';
import { pageLimit, pageNumber, wholeNumber } from '../base/input.js';
import { requireHolder, requirePartner } from '../base/callers/rights.js';
import type { IssuingCatalog } from '../catalog/reading/issuing.service.js';
import { bestOf } from '../http/requests/accept.js';
import { isJson, JSON_SCHEMA_TYPES, SIGNED_CREDENTIAL_TYPES } from '../http/requests/media-types.js';
import { type AnyRoute, route } from '../http/routes/route.js';
import { ANY_OBJECT } from '../http/routes/shapes.js';
import { PROOF_TYPES } from '../keys/proof-types.js';
import type { Idempotency, Remember } from '../store/idempotency.js';
import { cakPublicKeyText } from './cak/public-key.js';
import type { IssuanceService } from './issuance.js';
import {
  AVAILABLE,
  CREDENTIAL_STATUS,
  ENVELOPED_CREDENTIAL,
  ISSUANCE_HISTORY,
  ISSUED,
  REQUESTED,
  REVOCATION_STATUS,
  REVOKED,
} from './issuance.shapes.js';
import type { IssuanceAnswer } from './issue-transaction.js';
import type { IssuerHosted } from './issuer-hosted.js';
import { type IssueRequest, issueBody } from './request.js';
import type { RevocationService } from './revocation.js';
import { documentOfPoints } from './schema-view.js';
import { type CredentialStatus, HISTORY_ORDERS, type HistoryQuery, type StatusService } from './status.service.js';
import { envelopedCredential } from './signed-credential.js';
import { LIST_MAX_AGE, type StatusLists } from './status-list.js';

export interface IssuanceRouteServices {
  issuance: IssuanceService;
  issuerHosted: IssuerHosted;
  revocation: RevocationService;
  status: StatusService;
  statusLists: StatusLists;
  issuingCatalog: IssuingCatalog;
  idempotency: Idempotency;
}

const claimHash = z.string().regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits in lower case');
const nonce = z.string().regex(/^\d{1,20}$/, {
  error: ({ input }) => (/^\d+$/.test(`${input}`) ? 'must have at most 20 digits' : 'must be a decimal number'),
});
const statusQuery = z.strictObject({ coreClaimHash: claimHash });
const nonceParams = z.object({ nonce });
const listParams = z.object({ id: z.string().min(1).max(600) });
const versionParams = z.object({ schemaId: z.string().min(1).max(500), version: wholeNumber(1, 1_000_000) });
const issuerId = z.string().min(1).max(500);
const schemaId = z.string().min(1).max(500);
const availableQuery = z.strictObject({ issuerId: issuerId.optional(), schemaId: schemaId.optional() });
const issueHostedBody = z.strictObject({
  issuerId,
  schemaId,
  proofType: z.enum(PROOF_TYPES).optional(),
  cakPublicKey: cakPublicKeyText.optional(),
});
const revokeBody = z.strictObject({ coreClaimHash: claimHash });
const adminRevokeBody = z.strictObject({ nonce: nonce.optional(), coreClaimHash: claimHash.optional() });
const historyQuery = z.strictObject({
  page: pageNumber,
  limit: pageLimit(),
  order: z.enum(HISTORY_ORDERS as [string, ...string[]]).default('id_asc'),
  holderDid: z.string().min(1).max(200).optional(),
  schemaId: schemaId.optional(),
  revocationNonce: nonce.optional(),
});

const UNKNOWN = 'There is no such issuance.';
const ISSUING_FAILS = {
  404: 'The issuer, the credential or the holder is unknown.',
  409: 'The holder declined the partner, the window is closed, or the maximum is reached.',
};

/** All routes of issuance. */
export function issuanceRoutes(services: IssuanceRouteServices): AnyRoute[] {
  return [
    ...partnerRoutes(services),
    ...holderRoutes(services),
    ...publicRoutes(services),
    ...operatorRoutes(services),
  ];
}

function partnerRoutes({ issuance, revocation, idempotency }: IssuanceRouteServices): AnyRoute[] {
  return [
    route<unknown, unknown, IssueRequest>({
      method: 'POST',
      path: '/v1/credentials/issue-on-behalf',
      summary: 'Issue a credential for a managed issuer, encrypted to its holder',
      auth: 'partner',
      operation: 'issueOnBehalf',
      body: issueBody,
      headers: ['idempotency-key'],
      answers: { 200: ISSUED },
      fails: ISSUING_FAILS,
      async handle({ caller, body, headers }) {
        const call = { caller, route: 'issue-on-behalf', key: headers['idempotency-key'], body };
        const issue = (remember: Remember<IssuanceAnswer>) =>
          issuance.issueOnBehalf(requirePartner(caller), body, { record: remember });
        return { body: await idempotency.run(call, issue) };
      },
    }),
    route<unknown, unknown, z.output<typeof revokeBody>>({
      method: 'POST',
      path: '/v1/credentials/revoke',
      summary: 'Revoke what the partner issued; this cannot be undone',
      auth: 'partner',
      operation: 'revokeCredential',
      body: revokeBody,
      answers: { 200: REVOKED },
      fails: { 404: UNKNOWN },
      handle: async ({ caller, body }) => ({ body: await revocation.revoke(caller, body) }),
    }),
  ];
}

function holderRoutes({ issuerHosted, idempotency }: IssuanceRouteServices): AnyRoute[] {
  return [
    route<unknown, z.output<typeof availableQuery>, unknown>({
      method: 'GET',
      path: '/v1/credentials/available',
      summary: 'Credentials that issuers offer to the holder, encrypted to the holder',
      auth: 'holder',
      query: availableQuery,
      answers: { 200: AVAILABLE },
      fails: { 404: 'There is no such issuer, or it offers nothing.' },
      handle: async ({ caller, query }) => ({ body: await issuerHosted.available(requireHolder(caller), query) }),
    }),
    route<unknown, unknown, z.output<typeof issueHostedBody>>({
      method: 'POST',
      path: '/v1/credentials/issue',
      summary: 'Ask an issuer to issue to the holder; an event `stored` follows',
      auth: 'holder',
      body: issueHostedBody,
      headers: ['idempotency-key'],
      answers: { 202: REQUESTED },
      fails: { 404: 'There is no such issuer or schema.', 409: 'The issuer refuses.' },
      async handle({ caller, body, headers }) {
        const key = headers['idempotency-key'];
        const issue = () => issuerHosted.issue(requireHolder(caller), body, key);
        return { status: 202, body: await idempotency.run({ caller, route: 'credentials/issue', key, body }, issue) };
      },
    }),
  ];
}

/** "YYYY-MM-DD HH:mm:ss" UTC. */
const dateText = (date: Date): string => date.toISOString().slice(0, 19).replace('T', ' ');

function statusView({ issuanceDate, expirationDate, ...rest }: CredentialStatus): object {
  const { coreClaimHash, ...others } = rest;
  const dates = { issuanceDate: dateText(issuanceDate), expirationDate: expirationDate && dateText(expirationDate) };
  return { coreClaimHash, ...dates, ...others };
}

function publicRoutes({ status, statusLists, issuingCatalog }: IssuanceRouteServices): AnyRoute[] {
  return [
    route<unknown, z.output<typeof statusQuery>, unknown>({
      method: 'GET',
      path: '/v1/credentials/status',
      summary: 'The status of an issuance by its claim hash',
      auth: 'public',
      query: statusQuery,
      answers: { 200: CREDENTIAL_STATUS },
      fails: { 404: UNKNOWN },
      handle: async ({ query }) => ({ body: statusView(await status.byHash(query.coreClaimHash)) }),
    }),
    route<z.output<typeof nonceParams>, unknown, unknown>({
      method: 'GET',
      path: '/v1/credentials/revocation-status/:nonce',
      summary: 'Whether the issuance with this nonce is revoked',
      auth: 'public',
      params: nonceParams,
      answers: { 200: REVOCATION_STATUS },
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
      answers: { 200: ENVELOPED_CREDENTIAL },
      fails: { 404: 'There is no such list.' },
      async handle({ params, headers }) {
        const { jwt, etag } = await statusLists.signed(params.id);
        const contentType = bestOf(headers.accept, SIGNED_CREDENTIAL_TYPES);
        const [tag, body] = isJson(contentType)
          ? [`"${etag}.json"`, JSON.stringify(envelopedCredential(jwt))]
          : [`"${etag}"`, jwt];
        const caching = { etag: tag, 'cache-control': `public, max-age=${LIST_MAX_AGE}` };
        if (headers['if-none-match']?.includes(tag)) return { status: 304, headers: caching, contentType, body: '' };
        return { headers: caching, contentType, body };
      },
    }),
    route<z.output<typeof versionParams>, unknown, unknown>({
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
    }),
  ];
}

function operatorRoutes({ revocation, status }: IssuanceRouteServices): AnyRoute[] {
  return [
    route<unknown, unknown, z.output<typeof adminRevokeBody>>({
      method: 'POST',
      path: '/v1/admin/revoke',
      summary: 'Revoke any issuance, by its nonce or its claim hash',
      auth: 'operator',
      body: adminRevokeBody,
      answers: { 200: REVOKED },
      fails: { 404: UNKNOWN },
      async handle({ caller, body: { nonce, coreClaimHash } }) {
        if ((nonce === undefined) === (coreClaimHash === undefined))
          throw badInput('Give either "nonce" or "coreClaimHash".', 'nonce');
        return {
          body: await revocation.revoke(
            caller,
            nonce === undefined ? { coreClaimHash: coreClaimHash ?? '' } : { nonce },
          ),
        };
      },
    }),
    route<unknown, HistoryQuery, unknown>({
      method: 'GET',
      path: '/v1/admin/issuance-history',
      summary: 'Every issuance, page by page',
      auth: 'operator',
      query: historyQuery,
      answers: { 200: ISSUANCE_HISTORY },
      handle: async ({ query }) => ({ body: await status.history(query) }),
    }),
  ];
}
