// Claims of core ids in GraphQL.
import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import type { Caller } from '../base/callers/caller.js';
import { parseInput } from '../base/input.js';
import type { CoreIdClaims } from './core-id-claims.js';
import { claimAs, coreIdBody } from './core-id-request.js';
import { ClaimCoreIdInput, ClaimCoreIdPayload } from './types.js';

interface AccountsContext {
  caller: Caller;
  services: { coreIdClaims: CoreIdClaims };
}

/** Claims core ids. */
@Resolver()
export class AccountsResolver {
  @Mutation(() => ClaimCoreIdPayload, {
    description:
      "Claims a core id, which is minted in the background. A holder claims it for itself, a partner for the holder of its token's email.",
  })
  async claimCoreId(
    @Arg('input', () => ClaimCoreIdInput) { name }: ClaimCoreIdInput,
    @Ctx() { services, caller }: AccountsContext,
  ) {
    const body = parseInput(coreIdBody, name ? { name } : {});
    return { coreId: await claimAs(services.coreIdClaims, caller, body.name) };
  }
}
