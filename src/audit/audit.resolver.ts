// The audit log in GraphQL, for the operator.
import { Arg, Args, ArgsType, Ctx, Extensions, Field, Int, Query, Resolver } from 'type-graphql';
import type { Caller } from '../base/callers/caller.js';
import { connectionOf } from '../graphql/shapes/relay.js';
import type { AuditEntries } from './audit-entries.js';
import { AuditEntry, AuditWhere } from './types.js';

interface AuditContext {
  caller: Caller;
  services: { auditEntries: AuditEntries };
}

const AuditPage = connectionOf('AuditEntry', 'audit entries', () => AuditEntry);

@ArgsType()
class AuditPageArgs {
  @Field(() => Int, { nullable: true, description: 'How many: 1 to 100, default 10.' })
  first?: number | null;

  @Field(() => String, { nullable: true, description: 'Only entries after this cursor.' })
  after?: string | null;
}

@Resolver()
class AuditResolver {
  // Counting the total costs extra.
  @Extensions({ counted: true })
  @Query(() => AuditPage.Connection, {
    description: 'Writes of operators and partners, newest first. Operator only.',
  })
  auditEntries(
    @Args(() => AuditPageArgs) page: AuditPageArgs,
    @Arg('where', () => AuditWhere, { nullable: true, description: 'A filter; default: all.' })
    where: AuditWhere | null,
    @Ctx() { services, caller }: AuditContext,
  ) {
    const members = Object.entries({ ...where }).filter(([, value]) => value !== null && value !== undefined);
    return services.auditEntries.page(caller, Object.fromEntries(members), page);
  }
}

export const auditResolvers = [AuditResolver, AuditPage.ConnectionResolver] as const;
