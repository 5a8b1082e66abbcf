// The verification flow in GraphQL: the same functions as REST (contract §14).
import { Arg, Args, Ctx, Extensions, Mutation, Query, Resolver } from 'type-graphql';
import type { Caller } from '../base/callers/caller.js';
import { badInput } from '../base/errors.js';
import { parseInput } from '../base/input.js';
import { requireHolder, requirePartner } from '../base/callers/rights.js';
import { connectionOf } from '../graphql/shapes/relay.js';
import { answerBody, checkBody, listQuery, proofRequestQuery, startBody, verificationParams } from './forms/bodies.js';
import { type FlowServices, START_ROUTE } from './flow.routes.js';
import {
  AnswerVerificationInput,
  AnswerVerificationPayload,
  CheckProofInput,
  CheckProofPayload,
  ProofRequestType,
  StartVerificationInput,
  StartVerificationPayload,
  VerificationArgs,
  VerificationRequestType,
  VerificationType,
} from './forms/flow-types.js';
import type { Started } from './start/start.js';

interface FlowContext {
  caller: Caller;
  services: FlowServices;
}

const VerificationPage = connectionOf('Verification', 'verifications', () => VerificationType);

/** An input as the body of a REST request, without its null members. */
const bodyOf = (input: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined && value !== null));

/** REST has the text of `now`, GraphQL the time. */
const withTime = <T extends { now: string }>({ now, ...rest }: T) => ({ ...rest, now: new Date(now) });

const idOf = (verificationId: string): string => parseInput(verificationParams, { id: verificationId }).id;

@Resolver()
export class FlowResolver {
  @Query(() => VerificationType, {
    description: 'A verification. Its partner and the operator see all of it, its holder the result.',
  })
  verification(
    @Arg('verificationId', () => String, { description: 'Its id.' }) verificationId: string,
    @Ctx() { services, caller }: FlowContext,
  ) {
    return services.verificationRecords.read(caller, idOf(verificationId), 0);
  }

  // Its total is counted each time.
  @Extensions({ counted: true })
  @Query(() => VerificationPage.Connection, { description: "The partner's own verifications, newest first." })
  verifications(@Args(() => VerificationArgs) args: VerificationArgs, @Ctx() { services, caller }: FlowContext) {
    const partner = requirePartner(caller, 'verifications');
    const { first, ...rest } = args;
    const limit = first == null ? {} : { limit: String(first) };
    return services.verificationRecords.page(partner, parseInput(listQuery, bodyOf({ ...rest, ...limit })));
  }

  @Query(() => VerificationRequestType, {
    description:
      'What the holder is asked to prove, and which of its claims may answer. If the verification has no holder yet, the first holder to fetch this becomes its holder.',
  })
  verificationRequest(
    @Arg('verificationId', () => String, { description: 'Which verification.' }) verificationId: string,
    @Ctx() { services, caller }: FlowContext,
  ) {
    return services.verificationRequests.request(requireHolder(caller), idOf(verificationId));
  }

  @Query(() => ProofRequestType, { description: 'What a program asks for, as needed to check proofs.' })
  async proofRequest(
    @Arg('programId', () => String, { description: 'Id of the program.' }) programId: string,
    @Arg('version', () => String, { nullable: true, description: 'A pinned version; default: the current one.' })
    version: string | null,
    @Arg('now', () => Date, {
      nullable: true,
      description: 'The time from which relative dates count; default: now.',
    })
    now: Date | null,
    @Ctx() { services }: FlowContext,
  ) {
    if (programId.length > 500) throw badInput('"programId" must have at most 500 characters.', 'programId');
    const query = parseInput(proofRequestQuery, bodyOf({ version, now: now?.toISOString() }));
    return withTime(await services.proofChecks.proofRequest(programId, query));
  }

  @Mutation(() => StartVerificationPayload, {
    description:
      'Starts a verification, or returns the one that the named holder has not answered yet. Partners with the scope verify.',
  })
  async startVerification(
    @Arg('input', () => StartVerificationInput, { description: 'What to start.' }) input: StartVerificationInput,
    @Ctx() { services, caller }: FlowContext,
  ) {
    const partner = requirePartner(caller, 'startVerification');
    const { idempotencyKey, ...fields } = input;
    const body = parseInput(startBody, bodyOf(fields));
    const call = { caller, route: START_ROUTE, key: idempotencyKey ?? undefined, body };
    const { record: verification, isNew } = await services.idempotency.run<Started>(call, (remember) =>
      services.verificationStarts.start(partner, body, remember),
    );
    return { verification, isNew };
  }

  @Mutation(() => AnswerVerificationPayload, { description: 'Answers a verification. Needs a session token.' })
  answerVerification(
    @Arg('input', () => AnswerVerificationInput, { description: 'The answer.' }) input: AnswerVerificationInput,
    @Ctx() { services, caller }: FlowContext,
  ) {
    const holder = requireHolder(caller);
    const { verificationId, ...answer } = input;
    const body = parseInput(answerBody, bodyOf(answer));
    return services.verificationAnswers.answer(holder, idOf(verificationId), body);
  }

  @Mutation(() => CheckProofPayload, {
    description: 'Checks the mathematics of a proof. Partners with the scope verify.',
  })
  async checkProof(
    @Arg('input', () => CheckProofInput, { description: 'What to check.' }) input: CheckProofInput,
    @Ctx() { services, caller }: FlowContext,
  ) {
    const partner = requirePartner(caller, 'checkProof');
    return withTime(await services.proofChecks.check(partner, parseInput(checkBody, bodyOf(input)).zkProof));
  }
}

export const flowResolvers = [FlowResolver, VerificationPage.ConnectionResolver] as const;
