// Partners in GraphQL: who the caller is, and the operator's mutations (the same calls as REST's /v1/admin/partners).
import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { Caller } from '../base/callers/caller.js';
import type { PartnerAdmin } from './admin.service.js';
import { gasPolicyOf } from './gas-policy-types.js';
import {
  type Partner,
  type PartnerPutResult,
  PutPartnerInput,
  PutPartnerPayload,
  RetirePartnerInput,
  RetirePartnerPayload,
  WhoAmI,
} from './types.js';

interface PartnersContext {
  caller: Caller;
  services: { partnerAdmin: PartnerAdmin };
}

@Resolver()
export class PartnersResolver {
  @Query(() => WhoAmI, {
    description: 'The caller: its kind, partner and scopes, and the key and expiry of its token.',
  })
  whoAmI(@Ctx() { caller }: PartnersContext) {
    const expires = 'expiresAt' in caller ? { expiresAt: new Date(caller.expiresAt) } : {};
    return { ...caller, ...expires };
  }

  @Mutation(() => PutPartnerPayload, { description: 'Creates or replaces a partner. Operator only.' })
  async putPartner(@Arg('input', () => PutPartnerInput) input: PutPartnerInput, @Ctx() ctx: PartnersContext) {
    const { partnerId, ifMatch, gasPolicy, ...members } = input;
    const rest = { ...members, ...(gasPolicy ? { gasPolicy: gasPolicyOf(gasPolicy) } : {}) };
    const body = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined && value !== null));
    const named = { ifMatch: ifMatch ?? undefined, idField: 'partnerId' } as const;
    const outcome = await ctx.services.partnerAdmin.put(ctx.caller, partnerId, body, named);
    return { partner: outcome.record as Partner, result: outcome.result as PartnerPutResult, etag: outcome.etag };
  }

  @Mutation(() => RetirePartnerPayload, { description: 'Retires a partner: its tokens are refused. Operator only.' })
  async retirePartner(@Arg('input', () => RetirePartnerInput) input: RetirePartnerInput, @Ctx() ctx: PartnersContext) {
    const { partnerId, ifMatch } = input;
    await ctx.services.partnerAdmin.retire(ctx.caller, partnerId, { ifMatch: ifMatch ?? undefined });
    return { retiredId: partnerId };
  }
}
