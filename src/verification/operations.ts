// The verification flow (contract §14): a partner starts and reads, a holder fetches the request and answers, proofs are checked.
import { z } from 'zod';
import { parseInput } from '../base/input.js';
import { operationsOf } from '../http/routes/operation.js';
import type { Idempotency } from '../store/idempotency.js';
import type { VerificationAnswers } from './answer/answer.js';
import type { ProofChecks } from './answer/checks.js';
import {
  answerBody,
  answerForms,
  answerFromWalletInput,
  answerVerificationInput,
  checkProofInput,
  proofRequestInput,
  startVerificationInput,
  verificationInput,
  verificationParams,
  verificationRequestInput,
  verificationsInput,
} from './forms/inputs.js';
import {
  answerFromWalletPayload,
  answerVerificationPayload,
  checkedProof,
  proofRequest,
  startedVerification,
  startVerificationPayload,
  verificationRequest,
} from './forms/types.js';
import { verification, verificationOrResult } from './forms/verification.js';
import type { VerificationRecords } from './records/records.js';
import type { VerificationRequests } from './request/request.js';
import type { Started, VerificationStarts } from './start/start.js';
import type { WalletAnswers } from './wallets/answer.js';
import type { WalletStarts } from './wallets/start.js';

export interface FlowServices {
  verificationStarts: VerificationStarts;
  walletStarts: WalletStarts;
  walletAnswers: WalletAnswers;
  verificationRequests: VerificationRequests;
  verificationAnswers: VerificationAnswers;
  verificationRecords: VerificationRecords;
  proofChecks: ProofChecks;
  idempotency: Idempotency;
}

export const UNKNOWN = 'The caller has no such verification.';
/** The name of the operation for idempotency keys. */
const START_ROUTE = 'verifications';
/** The longest presentation, with the other members of its body. */
const PRESENTATION_BODY = 66_560;
/** The longest response of a wallet, with the other members of its body. */
const WALLET_BODY = 71_680;
/** How many seconds a check may wait for a worker. */
const CHECK_PATIENCE = 30;
/** Points of a proof check, in addition to those of a write. */
const CHECK_POINTS = 100;
const FOR_EVER = { 'cache-control': 'public, max-age=31536000, immutable' };
const SHORTLY = { 'cache-control': 'public, max-age=60' };

/** Converts `now` from REST's text to GraphQL's time. */
const withTime = <T extends { now: string }>({ now, ...rest }: T) => ({ ...rest, now: new Date(now) });

const { query, listing, mutation } = operationsOf<FlowServices>();

const partnerOperations = [
  mutation(
    'startVerification',
    'Starts a verification, or returns the one that the named holder has not answered yet. Partners with the scope verify.',
    {
      callers: 'partner',
      audit: 'verification.start',
      input: startVerificationInput,
      output: startVerificationPayload,
      async run(
        { idempotency, verificationStarts, walletStarts },
        { caller, input: { idempotencyKey: key, ...body } },
      ) {
        const call = { caller, route: START_ROUTE, key, body };
        const { record, isNew, wallet } = await idempotency.run<Started>(call, (remember) =>
          body.wallet === undefined
            ? verificationStarts.start(caller, body, remember)
            : walletStarts.start(caller, { ...body, wallet: body.wallet }, remember),
        );
        return { verification: record, isNew, ...(wallet && { wallet }) };
      },
      rest: {
        method: 'POST',
        path: '/v1/verifications',
        headers: { 'idempotency-key': 'idempotencyKey' },
        summary: 'Start a verification, or get the one that the named holder has not answered yet',
        answers: { 200: startedVerification, 201: startedVerification },
        respond: ({ verification: body, isNew, wallet }) => ({
          status: isNew ? 201 : 200,
          body: { ...body, ...(wallet && { wallet }) },
        }),
        fails: {
          404: 'There is no such program or holder.',
          409: 'Nothing of the program can be proven, or asked of a wallet; or the holder declined the partner.',
        },
      },
      graphql: { argument: 'What to start.' },
    },
  ),

  listing('verifications', "The partner's own verifications, newest first.", {
    callers: 'partner',
    input: verificationsInput,
    output: verification,
    listing: { what: 'verifications', most: 100, size: 25, cursorLength: 500 },
    run: ({ verificationRecords }, { caller, input }) => verificationRecords.page(caller, input),
    rest: { method: 'GET', path: '/v1/verifications', summary: "The partner's own verifications, newest first" },
    // Its total is counted for each request.
    graphql: { extensions: { counted: true } },
  }),

  mutation(
    'answerFromWallet',
    'Passes on what a page of the partner got from a wallet. Partners with the scope verify.',
    {
      callers: 'partner',
      permission: 'startVerification',
      audit: 'verification.wallet-answer',
      input: answerFromWalletInput,
      output: answerFromWalletPayload,
      points: CHECK_POINTS,
      async run({ walletAnswers }, { caller, input: { verificationId, ...answer } }) {
        return { verification: await walletAnswers.bring(caller, verificationId, answer) };
      },
      rest: {
        method: 'POST',
        path: '/v1/verifications/:id/wallet-answer',
        members: { id: 'verificationId' },
        summary: 'Pass on what a page got from a wallet: its response (dc_api), or its code (same_device)',
        bodyLimit: WALLET_BODY,
        answers: { 200: verification },
        respond: ({ verification: body }) => ({ body }),
        fails: { 404: UNKNOWN, 409: 'It is answered.', 410: 'It has expired.' },
      },
      graphql: { argument: 'What the page got.' },
    },
  ),

  mutation('checkProof', 'Checks the mathematics of a proof. Partners with the scope verify.', {
    callers: 'partner',
    audit: 'none',
    input: checkProofInput,
    output: checkedProof,
    points: CHECK_POINTS,
    patience: CHECK_PATIENCE,
    run: ({ proofChecks }, { caller, input }) => proofChecks.check(caller, input.zkProof),
    rest: {
      method: 'POST',
      path: '/v1/verifications/check',
      summary: 'Check the mathematics of a proof',
      bodyLimit: PRESENTATION_BODY,
    },
    graphql: { argument: 'What to check.', show: withTime },
  }),
];

const holderOperations = [
  query(
    'verificationRequest',
    'What the holder is asked to prove, and which of its claims may answer. If the verification has no holder yet, the first holder to fetch this becomes its holder.',
    {
      callers: 'holder',
      input: verificationRequestInput,
      output: verificationRequest,
      run: ({ verificationRequests }, { caller, input }) => verificationRequests.request(caller, input.verificationId),
      rest: {
        method: 'GET',
        path: '/v1/verifications/:id/request',
        members: { id: 'verificationId' },
        summary: 'What the holder is asked to prove, and which of its claims may answer',
        fails: { 404: UNKNOWN, 409: 'It is answered, or the holder declined the partner.', 410: 'It has expired.' },
      },
    },
  ),

  mutation('answerVerification', 'Answers a verification. Needs a session token.', {
    callers: 'holder',
    audit: 'holder',
    input: answerVerificationInput,
    output: answerVerificationPayload,
    points: CHECK_POINTS,
    patience: CHECK_PATIENCE,
    run: ({ verificationAnswers }, { caller, input: { verificationId, ...answer } }) =>
      verificationAnswers.answer(caller, verificationId, parseInput(answerBody, answer)),
    rest: {
      method: 'POST',
      path: '/v1/verifications/:id/answer',
      request: {
        params: verificationParams,
        body: z.record(z.string(), z.unknown()),
        bodyAs: answerForms,
        input: ({ params, body }) => ({ ...Object(body), verificationId: params.id }),
      },
      summary: 'Answer with a proof, or say that there is none',
      bodyLimit: PRESENTATION_BODY,
      fails: {
        404: UNKNOWN,
        409: 'It is answered or being answered, or this claim cannot prove it.',
        410: 'It has expired.',
      },
    },
    graphql: { argument: 'The answer.' },
  }),
];

export const flowOperations = [
  ...partnerOperations,
  ...holderOperations,

  query('verification', 'A verification. Its partner and the operator see all of it, its holder the result.', {
    // The service refuses callers that have no verifications.
    callers: 'public',
    input: verificationInput,
    output: verificationOrResult,
    run: ({ verificationRecords }, { caller, input }) => verificationRecords.read(caller, input.verificationId, 0),
    graphql: { payload: verification },
  }),

  query('proofRequest', 'What a program asks for, as needed to check proofs.', {
    callers: 'public',
    input: proofRequestInput,
    output: proofRequest,
    run: ({ proofChecks }, { input }) => proofChecks.proofRequest(input),
    rest: {
      method: 'GET',
      path: '/v1/programs/:id/proof-request',
      members: { id: 'programId' },
      summary: 'What a program asks for, as needed to check proofs',
      fails: { 404: 'The program, or this version of it, is unknown.' },
      respond(body, { version, now }) {
        const isComplete = body.accepted.every(
          ({ conditions, accumulators }) =>
            conditions.filter((form) => form.in !== undefined).length === accumulators.length,
        );
        const isFinal = version !== undefined && now !== undefined && isComplete;
        return { body, headers: isFinal ? FOR_EVER : SHORTLY };
      },
    },
    graphql: { show: withTime },
  }),
];
