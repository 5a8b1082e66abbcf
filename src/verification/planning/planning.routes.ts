// Planning in REST that GraphQL lacks or has in another form: plans, encodings and keys of issuers (contract §12, §17).
import { z } from 'zod';
import { catalogId } from '../../base/record.js';
import { requireHolder } from '../../base/callers/rights.js';
import { wholeNumber } from '../../base/input.js';
import { DID_DOCUMENT_TYPES } from '../../http/requests/media-types.js';
import { type AnyRoute, route } from '../../http/routes/route.js';
import { DID_DOCUMENT } from '../../http/routes/shapes.js';
import { issuerZkKeys } from '../forms/types.js';
import type { IssuerKeys } from '../proofs/issuer-keys.js';
import type { EncodingService } from './encoding.js';
import type { VerificationPlans } from './plan.js';
import { holdingBody, programParams, schemaEncoding, verificationPlan } from './types.js';

export interface PlanningRouteServices {
  encodings: EncodingService;
  issuerKeys: IssuerKeys;
  verificationPlans: VerificationPlans;
}

type IdParams = z.output<typeof programParams>;

const UNKNOWN_ISSUER = 'There is no such issuer, or it has no such document.';
const issuerParams = z.object({ id: catalogId });
/** Caches may store the response for this long, so that a withdrawn key is soon in none of them. */
const SHORTLY = { 'cache-control': 'public, max-age=60' };
const versionParams = z.object({ schemaId: catalogId, version: wholeNumber(1, 1_000_000) });
/** The points of a read, although it has a body. */
const READ_POINTS = 4;

/** The routes of planning that are not operations. */
export function planningRoutes(services: PlanningRouteServices): AnyRoute[] {
  return [encodingRoute(services), ...keyRoutes(services), ...planRoutes(services)];
}

const encodingRoute = ({ encodings }: PlanningRouteServices): AnyRoute =>
  route<z.output<typeof versionParams>, unknown, unknown>({
    method: 'GET',
    path: '/v1/schemas/:schemaId/versions/:version/encoding',
    summary: "How a schema version's values become the messages of a signature",
    auth: 'public',
    params: versionParams,
    answers: { 200: schemaEncoding },
    fails: { 404: 'The schema has no such version, or more than 64 data points.' },
    async handle({ params }) {
      const body = await encodings.encoding(params.schemaId, params.version);
      return { body, headers: { 'cache-control': 'public, max-age=86400, immutable' } };
    },
  });

function keyRoutes({ issuerKeys }: PlanningRouteServices): AnyRoute[] {
  return [
    route<IdParams, unknown, unknown>({
      method: 'GET',
      path: '/v1/issuers/:id/zk-keys',
      summary: "An issuer's keys for proofs, signed by its DID key if the gateway has it",
      auth: 'public',
      params: issuerParams,
      answers: { 200: issuerZkKeys },
      fails: { 404: UNKNOWN_ISSUER },
      handle: async ({ params: { id } }) => ({ body: await issuerKeys.zkKeys(id), headers: SHORTLY }),
    }),
    route<IdParams, unknown, unknown>({
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

function planRoutes({ verificationPlans: plans }: PlanningRouteServices): AnyRoute[] {
  return [
    route<IdParams, unknown, unknown>({
      method: 'GET',
      path: '/v1/programs/:id/plan',
      summary: 'Whether the holder can meet a program with its credentials, and which it could get',
      auth: 'holder',
      params: programParams,
      answers: { 200: verificationPlan },
      fails: { 404: 'There is no such program.' },
      handle: async ({ caller, params: { id } }) => ({ body: await plans.ofHolder(requireHolder(caller), id) }),
    }),
    route<IdParams, unknown, z.output<typeof holdingBody>>({
      method: 'POST',
      path: '/v1/programs/:id/plan',
      summary: 'Whether a holder of the named credentials can meet a program',
      auth: 'public',
      params: programParams,
      body: holdingBody,
      answers: { 200: verificationPlan },
      fails: { 404: 'There is no such program or credential.' },
      points: READ_POINTS,
      handle: async ({ params: { id }, body: { holding } }) => ({ body: await plans.ofCredentials(id, holding) }),
    }),
  ];
}
