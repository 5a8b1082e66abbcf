// Erasures in GraphQL, for operators.
import { Arg, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import type { Caller } from '../base/callers/caller.js';
import { parseInput } from '../base/input.js';
import type { Erasures } from './erasures.js';
import { eraseBody } from './request.js';
import { EraseHolderInput, EraseHolderPayload, Erasure } from './types.js';

interface ErasureContext {
  caller: Caller;
  services: { erasures: Erasures };
}

@Resolver()
export class ErasureResolver {
  @Query(() => Erasure, { description: 'An erasure. Operator only.' })
  erasure(
    @Arg('erasureId', () => ID, { description: 'Which one.' }) erasureId: string,
    @Ctx() { services, caller }: ErasureContext,
  ) {
    return services.erasures.find(caller, erasureId);
  }

  @Mutation(() => EraseHolderPayload, {
    description:
      'Erases a holder: keys, addresses, packages and everything that names it. It cannot be undone. Operator only.',
  })
  async eraseHolder(
    @Arg('input', () => EraseHolderInput, { description: 'Which holder.' }) input: EraseHolderInput,
    @Ctx() { services, caller }: ErasureContext,
  ) {
    const names = Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
    return { erasure: await services.erasures.begin(caller, parseInput(eraseBody, names)) };
  }
}
