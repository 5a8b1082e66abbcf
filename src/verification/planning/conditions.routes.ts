// Public routes for conditions and encodings (contract §12, §17).
import { z } from 'zod';
import { wholeNumber } from '../../base/input.js';
import { MAX_CONDITIONS, MAX_CONDITION_LENGTH, NOTATIONS } from '../../conditions/index.js';
import { DID_DOCUMENT_TYPES } from '../../http/media-types.js';
import { type AnyRoute, route } from '../../http/route.js';
import { DID_DOCUMENT } from '../../http/shapes.js';
import type { ConditionService } from './conditions.js';
import type { EncodingService } from './encoding.js';
import type { IssuerKeys } from '../proofs/issuer-keys.js';
import { COMPARED, CONVERTED, ENCODING, ZK_KEYS } from '../forms/verification.shapes.js';

export interface VerificationRouteServices {
  conditions: ConditionService;
  encodings: EncodingService;
  issuerKeys: IssuerKeys;
}

/** Longest condition, as the language has it. */
const texts = z.array(z.string().max(MAX_CONDITION_LENGTH)).max(MAX_CONDITIONS);
const schemaId = z.string().min(1).max(500);

/** Body of a conversion. */
export const convertBody = z.strictObject({
  from: z.enum(NOTATIONS),
  to: z.enum(NOTATIONS),
  value: z.unknown().refine((value) => value !== undefined && value !== null, 'is missing'),
});
/** Body of a comparison. */
export const compareBody = z.strictObject({ a: texts, b: texts, schemaId });

const UNKNOWN_ISSUER = 'There is no such issuer, or it has no such document.';
const issuerParams = z.object({ id: schemaId });
/** The time after which no cache has a withdrawn key any more. */
const SHORTLY = { 'cache-control': 'public, max-age=60' };
const versionParams = z.object({ schemaId, version: wholeNumber(1, 1_000_000) });

/** All routes of verification. */
export function verificationRoutes(services: VerificationRouteServices): AnyRoute[] {
  return [...conditionRoutes(services), ...keyRoutes(services)];
}

function conditionRoutes({ conditions, encodings }: VerificationRouteServices): AnyRoute[] {
  return [
    route<unknown, unknown, z.output<typeof convertBody>>({
      method: 'POST',
      path: '/v1/conditions/convert',
      summary: 'Convert conditions between text, iden3 queries and DCQL',
      auth: 'public',
      body: convertBody,
      answers: { 200: CONVERTED },
      handle: async ({ body, address }) => ({ body: await conditions.convert(body, { address }) }),
    }),
    route<unknown, unknown, z.output<typeof compareBody>>({
      method: 'POST',
      path: '/v1/conditions/compare',
      summary: 'Whether conditions on a schema imply, equal or exclude each other',
      auth: 'public',
      body: compareBody,
      answers: { 200: COMPARED },
      fails: { 404: 'There is no such schema.' },
      handle: async ({ body, address }) => ({ body: await conditions.compare(body, { address }) }),
    }),
    route<z.output<typeof versionParams>, unknown, unknown>({
      method: 'GET',
      path: '/v1/schemas/:schemaId/versions/:version/encoding',
      summary: "How a schema version's values become the messages of a signature",
      auth: 'public',
      params: versionParams,
      answers: { 200: ENCODING },
      fails: { 404: 'The schema has no such version, or more than 64 data points.' },
      async handle({ params }) {
        const body = await encodings.encoding(params.schemaId, params.version);
        return { body, headers: { 'cache-control': 'public, max-age=86400, immutable' } };
      },
    }),
  ];
}

function keyRoutes({ issuerKeys }: VerificationRouteServices): AnyRoute[] {
  return [
    route<z.output<typeof issuerParams>, unknown, unknown>({
      method: 'GET',
      path: '/v1/issuers/:id/zk-keys',
      summary: "An issuer's keys for proofs, signed by its DID key if the gateway has it",
      auth: 'public',
      params: issuerParams,
      answers: { 200: ZK_KEYS },
      fails: { 404: UNKNOWN_ISSUER },
      handle: async ({ params: { id } }) => ({ body: await issuerKeys.zkKeys(id), headers: SHORTLY }),
    }),
    route<z.output<typeof issuerParams>, unknown, unknown>({
      method: 'GET',
      path: '/v1/issuers/:id/did.json',
      summary: 'The DID document of a managed did:web issuer',
      auth: 'public',
      params: issuerParams,
      produces: DID_DOCUMENT_TYPES,
      answers: { 200: DID_DOCUMENT },
      fails: { 404: UNKNOWN_ISSUER },
      handle: async ({ params: { id } }) => ({ body: await issuerKeys.didDocument(id), headers: SHORTLY }),
    }),
  ];
}
