// Accounts and core ids in GraphQL: the same functions as REST.
import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { Caller } from '../base/callers/caller.js';
import { parseInput } from '../base/input.js';
import { requireHolder } from '../base/callers/rights.js';
import type { Accounts } from './accounts.js';
import type { CoreIdClaims } from './core-id-claims.js';
import { claimAs, coreIdBody } from './core-id-request.js';
import { ClaimCoreIdInput, ClaimCoreIdPayload, DeploySmartAccountPayload, SmartAccount } from './types.js';

interface AccountsContext {
  caller: Caller;
  services: { accounts: Accounts; coreIdClaims: CoreIdClaims };
}

/** Queries and mutations of accounts and core ids. */
@Resolver()
export class AccountsResolver {
  @Query(() => SmartAccount, { nullable: true, description: "The holder's own account; null without a wallet." })
  smartAccount(@Ctx() { services, caller }: AccountsContext) {
    return services.accounts.view(requireHolder(caller));
  }

  @Query(() => Boolean, { description: "Whether the holder's own account is deployed." })
  async isSmartAccountDeployed(@Ctx() { services, caller }: AccountsContext) {
    return (await services.accounts.view(requireHolder(caller)))?.deployed ?? false;
  }

  @Mutation(() => DeploySmartAccountPayload, {
    description: "Deploys the holder's account; the session's partner pays.",
  })
  deploySmartAccount(@Ctx() { services, caller }: AccountsContext) {
    return services.accounts.deploy(requireHolder(caller));
  }

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
