// Explanations in GraphQL: the same function as REST.
import { Args, Ctx, Query, Resolver } from 'type-graphql';
import type { Caller } from '../base/callers/caller.js';
import { parseInput } from '../base/input.js';
import { whyBody } from './question.js';
import { WhyAnswerType, WhyArgs } from './types.js';
import type { Why } from './why.js';

interface WhyContext {
  caller: Caller;
  services: { why: Why };
}

@Resolver()
export class WhyResolver {
  @Query(() => WhyAnswerType, {
    description:
      'What allows or forbids an operation of a partner. Partners ask about themselves, operators about any partner.',
  })
  why(@Args(() => WhyArgs) args: WhyArgs, @Ctx() { services, caller }: WhyContext) {
    const given = Object.entries(args).filter(([, value]) => value !== undefined && value !== null);
    services.why.requireAsker(caller);
    return services.why.explain(caller, parseInput(whyBody, Object.fromEntries(given)));
  }
}
