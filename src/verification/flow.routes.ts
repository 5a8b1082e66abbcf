// The verification flow in REST (contract §14): a partner starts and reads, a holder fetches the request and answers, proofs are checked.
import { requireHolder, requirePartner } from '../base/callers/rights.js';
import { type AnyRoute, route } from '../http/route.js';
import { cursorPage } from '../http/shapes.js';
import type { Idempotency } from '../store/idempotency.js';
import type { VerificationAnswers } from './answer/answer.js';
import {
  type AnswerBody,
  answerBody,
  answerForms,
  checkBody,
  listQuery,
  MAX_WAIT_SECONDS,
  type ProofRequestQuery,
  programParams,
  proofRequestQuery,
  type StartBody,
  startBody,
  type VerificationsQuery,
  verificationParams,
  waitQuery,
} from './forms/bodies.js';
import type { ProofChecks } from './answer/checks.js';
import type { VerificationRecords } from './records/records.js';
import type { VerificationRequests } from './request/request.js';
import type { Started, VerificationStarts } from './start/start.js';
import {
  ANSWERED,
  CHECKED_PROOF,
  PROOF_REQUEST,
  VERIFICATION,
  VERIFICATION_OR_RESULT,
  VERIFICATION_REQUEST,
} from './forms/verification.shapes.js';

export interface FlowServices {
  verificationStarts: VerificationStarts;
  verificationRequests: VerificationRequests;
  verificationAnswers: VerificationAnswers;
  verificationRecords: VerificationRecords;
  proofChecks: ProofChecks;
  idempotency: Idempotency;
}

interface IdParams {
  id: string;
}

const UNKNOWN = 'The caller has no such verification.';
/** The operation under an idempotency key, in GraphQL too. */
export const START_ROUTE = 'verifications';
/** The longest presentation, with the other members of its body. */
const PRESENTATION_BODY = 66_560;
/** Seconds that a check may wait for a worker. */
const CHECK_PATIENCE = 30;
/** Points of a proof check, in addition to those of a write. */
const CHECK_POINTS = 100;
const FOR_EVER = { 'cache-control': 'public, max-age=31536000, immutable' };
const SHORTLY = { 'cache-control': 'public, max-age=60' };

/** All routes of the flow. */
export function flowRoutes(services: FlowServices): AnyRoute[] {
  return [...partnerRoutes(services), ...holderRoutes(services), readRoute(services), ...proofRoutes(services)];
}

function partnerRoutes({ verificationStarts, verificationRecords, idempotency }: FlowServices): AnyRoute[] {
  return [
    route<unknown, VerificationsQuery, unknown>({
      method: 'GET',
      path: '/v1/verifications',
      summary: "The partner's own verifications, newest first",
      auth: 'partner',
      operation: 'verifications',
      query: listQuery,
      answers: { 200: cursorPage(VERIFICATION) },
      async handle({ caller, query }) {
        const page = await verificationRecords.page(requirePartner(caller), query);
        const { hasNextPage: hasMore, endCursor } = page.pageInfo;
        return { body: { items: page.nodes, hasMore, ...(hasMore ? { nextCursor: endCursor } : {}) } };
      },
    }),
    route<unknown, unknown, StartBody>({
      method: 'POST',
      path: '/v1/verifications',
      summary: 'Start a verification, or get the one that the named holder has not answered yet',
      auth: 'partner',
      operation: 'startVerification',
      body: startBody,
      headers: ['idempotency-key'],
      answers: { 200: VERIFICATION, 201: VERIFICATION },
      fails: {
        404: 'There is no such program or holder.',
        409: 'Nothing of the program can be proven, or the holder declined the partner.',
      },
      async handle({ caller, body, headers }) {
        const call = { caller, route: START_ROUTE, key: headers['idempotency-key'], body };
        const { record, isNew } = await idempotency.run<Started>(call, (remember) =>
          verificationStarts.start(requirePartner(caller), body, remember),
        );
        return { status: isNew ? 201 : 200, body: record };
      },
    }),
  ];
}

function holderRoutes({ verificationRequests, verificationAnswers }: FlowServices): AnyRoute[] {
  return [
    route<IdParams, unknown, unknown>({
      method: 'GET',
      path: '/v1/verifications/:id/request',
      summary: 'What the holder is asked to prove, and which of its claims may answer',
      auth: 'holder',
      params: verificationParams,
      answers: { 200: VERIFICATION_REQUEST },
      fails: { 404: UNKNOWN, 409: 'It is answered, or the holder declined the partner.', 410: 'It has expired.' },
      handle: async ({ caller, params: { id } }) => ({
        body: await verificationRequests.request(requireHolder(caller), id),
      }),
    }),
    route<IdParams, unknown, AnswerBody>({
      method: 'POST',
      path: '/v1/verifications/:id/answer',
      summary: 'Answer with a proof, or say that there is none',
      auth: 'holder',
      params: verificationParams,
      body: answerBody,
      bodyAs: answerForms,
      answers: { 200: ANSWERED },
      fails: {
        404: UNKNOWN,
        409: 'It is answered or being answered, or this claim cannot prove it.',
        410: 'It has expired.',
      },
      bodyLimit: PRESENTATION_BODY,
      patience: CHECK_PATIENCE,
      points: CHECK_POINTS,
      handle: async ({ caller, params: { id }, body }) => ({
        body: await verificationAnswers.answer(requireHolder(caller), id, body),
      }),
    }),
  ];
}

function readRoute({ verificationRecords }: FlowServices): AnyRoute {
  return route<IdParams, { wait: number }, unknown>({
    method: 'GET',
    path: '/v1/verifications/:id',
    summary: 'A verification: the record for its partner, the result for its holder',
    auth: ['partner', 'holder', 'operator'],
    params: verificationParams,
    query: waitQuery,
    answers: { 200: VERIFICATION_OR_RESULT },
    fails: { 404: UNKNOWN },
    patience: MAX_WAIT_SECONDS,
    handle: async ({ caller, params: { id }, query: { wait } }) => ({
      body: await verificationRecords.read(caller, id, wait),
    }),
  });
}

function proofRoutes({ proofChecks }: FlowServices): AnyRoute[] {
  return [
    route<unknown, unknown, { zkProof: string }>({
      method: 'POST',
      path: '/v1/verifications/check',
      summary: 'Check the mathematics of a proof',
      auth: 'partner',
      operation: 'checkProof',
      body: checkBody,
      answers: { 200: CHECKED_PROOF },
      bodyLimit: PRESENTATION_BODY,
      patience: CHECK_PATIENCE,
      points: CHECK_POINTS,
      handle: async ({ caller, body: { zkProof } }) => ({
        body: await proofChecks.check(requirePartner(caller), zkProof),
      }),
    }),
    route<IdParams, ProofRequestQuery, unknown>({
      method: 'GET',
      path: '/v1/programs/:id/proof-request',
      summary: 'What a program asks for, as needed to check proofs',
      auth: 'public',
      params: programParams,
      query: proofRequestQuery,
      answers: { 200: PROOF_REQUEST },
      fails: { 404: 'The program, or this version of it, is unknown.' },
      async handle({ params: { id }, query }) {
        const body = await proofChecks.proofRequest(id, query);
        const isComplete = body.accepted.every(
          ({ conditions, accumulators }) =>
            conditions.filter((form) => form.in !== undefined).length === accumulators.length,
        );
        const isFinal = query.version !== undefined && query.now !== undefined && isComplete;
        return { body, headers: isFinal ? FOR_EVER : SHORTLY };
      },
    }),
  ];
}
