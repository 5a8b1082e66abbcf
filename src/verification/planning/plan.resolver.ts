// Plans of verifications in GraphQL: the same functions as REST (contract §17).
import { Arg, Ctx, Extensions, Field, ObjectType, Query, Resolver, registerEnumType } from 'type-graphql';
import type { Caller } from '../../base/callers/caller.js';
import { parseInput } from '../../base/input.js';
import { requireHolder } from '../../base/callers/rights.js';
import { programParams } from '../forms/bodies.js';
import { planBody } from './plan.routes.js';
import type { PlanResult, PlanState, VerificationPlans } from './plan.js';

enum PlanResultName {
  YES = 'YES',
  NO = 'NO',
  MAYBE = 'MAYBE',
}
registerEnumType(PlanResultName, {
  name: 'PlanResult',
  description: 'Whether a program can be met with the held credentials.',
  valuesConfig: {
    YES: { description: 'A held credential is accepted, whatever its values.' },
    NO: { description: 'No held credential can meet it.' },
    MAYBE: { description: 'It depends on values, or on a claim that is not on the chain yet.' },
  },
});

enum PlanStateName {
  HELD = 'HELD',
  PENDING = 'PENDING',
  EXPIRED = 'EXPIRED',
  REVOKING = 'REVOKING',
  REVOKED = 'REVOKED',
  UNPROVABLE = 'UNPROVABLE',
  NOT_HELD = 'NOT_HELD',
}
registerEnumType(PlanStateName, {
  name: 'PlanState',
  description: 'The state of an accepted credential for a holder.',
  valuesConfig: {
    HELD: { description: 'Held and on the chain, or named in the query.' },
    PENDING: { description: 'Held, but not on the chain yet.' },
    EXPIRED: { description: 'The held claim has expired.' },
    REVOKING: { description: 'The held claim is revoked, but still on the chain.' },
    REVOKED: { description: 'The held claim is revoked.' },
    UNPROVABLE: { description: 'The conditions cannot be proven of it, or of the held version.' },
    NOT_HELD: { description: 'Not held.' },
  },
});

/** Credentials that a program accepts at most. */
const MAX_CREDENTIALS = 100;

@ObjectType({ simpleResolvers: true, description: 'An accepted credential, and its state for a holder.' })
export class PlannedCredential {
  @Field(() => String, { description: 'Which credential.' })
  credentialId: string;

  @Field(() => PlanStateName, { description: 'Its state.' })
  state: PlanState;

  @Field(() => Boolean, { description: 'Whether it can be issued now.' })
  obtainable: boolean;
}

@ObjectType({ simpleResolvers: true, description: 'Whether and how a holder can meet a program.' })
export class VerificationPlan {
  @Field(() => String, { description: 'Id of the program.' })
  programId: string;

  @Field(() => PlanResultName, { description: 'Whether it can be met.' })
  result: PlanResult;

  @Extensions({ size: MAX_CREDENTIALS })
  @Field(() => [PlannedCredential], { description: 'One for each accepted credential.' })
  credentials: PlannedCredential[];
}

interface PlanContext {
  caller: Caller;
  services: { verificationPlans: VerificationPlans };
}

@Resolver()
export class PlanResolver {
  @Query(() => VerificationPlan, {
    description: "Whether a program can be met with these credentials, or with the holder's own.",
  })
  verificationPlan(
    @Arg('programId', () => String, { description: 'Id of the program.' }) programId: string,
    @Arg('holding', () => [String], {
      nullable: true,
      description: "Ids of credentials, at most 100; default: those of the session's holder.",
    })
    holding: string[] | null | undefined,
    @Ctx() { caller, services }: PlanContext,
  ) {
    const { id } = parseInput(programParams, { id: programId });
    if (!holding) return services.verificationPlans.ofHolder(requireHolder(caller), id);
    return services.verificationPlans.ofCredentials(id, parseInput(planBody, { holding }).holding);
  }
}
