// Plans of verifications in GraphQL: the same functions as REST (contract §17).
import { Arg, Ctx, Extensions, Field, ObjectType, Query, Resolver, registerEnumType } from 'type-graphql';
import type { Caller } from '../base/caller.js';
import { parseInput } from '../base/input.js';
import { requireHolder } from '../base/rights.js';
import { programParams } from './bodies.js';
import { planBody } from './plan.routes.js';
import type { PlanResult, PlanState, VerificationPlans } from './plan.service.js';

enum PlanResultName {
  YES = 'YES',
  NO = 'NO',
  MAYBE = 'MAYBE',
}
registerEnumType(PlanResultName, {
  name: 'PlanResult',
  description: 'Whether a program can be met with what is held.',
  valuesConfig: {
    YES: { description: 'Whatever the values are.' },
    NO: { description: 'With nothing that is held.' },
    MAYBE: { description: 'If the values meet the conditions, or once the chain has the claim.' },
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
  description: 'How an accepted credential stands with its holder.',
  valuesConfig: {
    HELD: { description: 'Held and on the chain, or said to be held.' },
    PENDING: { description: 'Held, and on its way to the chain.' },
    EXPIRED: { description: 'What was held has expired.' },
    REVOKING: { description: 'What was held is revoked, and still on the chain.' },
    REVOKED: { description: 'What was held is revoked.' },
    UNPROVABLE: { description: 'The conditions cannot be proven of it, or of what is held of it.' },
    NOT_HELD: { description: 'Nothing of it is held.' },
  },
});

/** Credentials that a program accepts at most. */
const MAX_CREDENTIALS = 100;

@ObjectType({ simpleResolvers: true, description: 'An accepted credential, as it stands with its holder.' })
export class PlannedCredential {
  @Field(() => String, { description: 'Which credential.' })
  credentialId: string;

  @Field(() => PlanStateName, { description: 'How it stands.' })
  state: PlanState;

  @Field(() => Boolean, { description: 'Whether it is issued now.' })
  obtainable: boolean;
}

@ObjectType({ simpleResolvers: true, description: 'What a holder can do about a program.' })
export class VerificationPlan {
  @Field(() => String, { description: 'Which program.' })
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
    description: "Whether a program can be met: with these credentials, or with the session's own.",
  })
  verificationPlan(
    @Arg('programId', () => String, { description: 'Which program.' }) programId: string,
    @Arg('holding', () => [String], {
      nullable: true,
      description: "Ids of credentials, at most 100; those of the session's holder when not given.",
    })
    holding: string[] | null | undefined,
    @Ctx() { caller, services }: PlanContext,
  ) {
    const { id } = parseInput(programParams, { id: programId });
    if (!holding) return services.verificationPlans.ofHolder(requireHolder(caller), id);
    return services.verificationPlans.ofCredentials(id, parseInput(planBody, { holding }).holding);
  }
}
