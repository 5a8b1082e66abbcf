// Partners in GraphQL: who the caller is, a partner's own record, and the operator's queries and mutations (the same calls as REST's
// /v1/admin/partners).
import { Arg, Args, Ctx, Extensions, Mutation, Query, Resolver } from 'type-graphql';
import { z } from 'zod';
import type { Caller } from '../base/callers/caller.js';
import { DomainError } from '../base/errors.js';
import { argsType } from '../graphql/shapes/from-zod.js';
import { parseArgs } from '../graphql/shapes/parse-args.js';
import { connectionOf } from '../graphql/shapes/relay.js';
import type { PartnerAdmin } from './admin.service.js';
import { gasPolicyOf } from './gas-policy-types.js';
import {
  Partner,
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

const PartnerPage = connectionOf('Partner', 'partners', () => Partner);

const partnersArgs = z.strictObject({
  first: z.int().min(1).max(100).default(25).describe('How many: 1 to 100, default 25.'),
  after: z.string().min(1).max(200).optional().describe('Only entries after this cursor.'),
});
const PartnersArgs = argsType(partnersArgs);

@Resolver()
class PartnersResolver {
  @Query(() => WhoAmI, {
    description: 'The caller: its kind, partner and scopes, and the key and expiry of its token.',
  })
  whoAmI(@Ctx() { caller }: PartnersContext) {
    if (caller.kind === 'page')
      throw new DomainError('FORBIDDEN', 'A page token opens only the details of its holder.');
    const expires = 'expiresAt' in caller ? { expiresAt: new Date(caller.expiresAt) } : {};
    return { ...caller, ...expires };
  }

  @Query(() => Partner, { description: 'A partner. For the operator, and for the partner itself.' })
  partner(
    @Arg('partnerId', () => String, { description: 'Id of the partner.' }) partnerId: string,
    @Ctx() { services, caller }: PartnersContext,
  ) {
    return services.partnerAdmin.get(caller, partnerId);
  }

  // Counting the total costs extra.
  @Extensions({ counted: true })
  @Query(() => PartnerPage.Connection, { description: 'Partners that are not retired, newest first. Operator only.' })
  partners(@Args(() => PartnersArgs) args: object, @Ctx() { services, caller }: PartnersContext) {
    const { first: limit, after } = parseArgs(partnersArgs, args);
    return services.partnerAdmin.page(caller, { limit, after });
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

export const partnersResolvers = [PartnersResolver, PartnerPage.ConnectionResolver] as const;
