// Stored packages in GraphQL: the partner's own, as GET /v1/dstorage/vcs lists them (contract §4.4).

import { Args, Ctx, Query, Resolver } from 'type-graphql';
import type { Caller } from '../base/callers/caller.js';
import { checkedFirst } from '../base/input.js';
import { requirePartner } from '../base/callers/rights.js';
import type { TextFilter } from '../graphql/shapes/filters.js';
import { givenOperators } from '../graphql/shapes/given-operators.js';
import { connectionOf } from '../graphql/shapes/relay.js';
import type { PackageFilter, StoredPackages } from './list.js';
import { StoredPackageArgs, StoredPackageMetadata, type StoredPackageWhere } from './types.js';

interface PackagesContext {
  caller: Caller;
  services: { storedPackages: StoredPackages };
}

const PackagePage = connectionOf('StoredPackageMetadata', 'packages', () => StoredPackageMetadata);

@Resolver()
class PackagesResolver {
  @Query(() => PackagePage.Connection, {
    description: "The partner's own stored packages, newest first. Needs the scope issue.",
  })
  storedPackages(@Args(() => StoredPackageArgs) args: StoredPackageArgs, @Ctx() { services, caller }: PackagesContext) {
    const limit = checkedFirst(args.first);
    const page = { filter: filterOf(args.where ?? {}), ...(args.after ? { after: args.after } : {}), limit };
    return services.storedPackages.page(requirePartner(caller, 'storedPackages'), page);
  }
}

/** The allowed values of each field; a field that is missing or null may have any. @throws DomainError BAD_USER_INPUT. */
function filterOf(where: StoredPackageWhere): PackageFilter {
  const fields = Object.entries(where).map(([field, filter]: [string, TextFilter | null | undefined]) => {
    if (!filter) return [field, undefined];
    const { eq, in: list }: TextFilter = Object.fromEntries(givenOperators(`where.${field}`, filter));
    if (typeof eq !== 'string') return [field, list ?? undefined];
    return [field, list && !list.includes(eq) ? [] : [eq]];
  });
  return Object.fromEntries(fields);
}

export const storageResolvers = [PackagesResolver, PackagePage.ConnectionResolver] as const;
