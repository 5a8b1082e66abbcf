// Requests of relation lists: checked arguments, with the keys under which the lists are cached.
import { type OrderInput, type PageInput, type PageRequest, pageRequest } from './paging.js';
import { PerArguments } from './per-arguments.js';
import { RELATIONS, type RelationName, relationKeys, relationPrefix } from './relations.js';
import type { CatalogKind } from '../rows/models.js';
import type { AskedRelation } from '../../graphql/execution/asked-relations.js';

/** Page arguments of a relation list. */
export interface RelationArgs extends PageInput {
  orderBy?: OrderInput | null;
}

/** A page request of a relation, the same for all parents. */
export interface RelationRequest {
  name: RelationName;
  request: PageRequest;
  /** The same for equal requests; the parents of one group are loaded together. */
  group: string;
  /** What the cache keys of the lists begin with. */
  prefix: string;
  /** The list's dependencies other than its rows. */
  dependencies: string[];
  /** Pages by parent, computed from one version of the cache. */
  cache: { version: number | undefined; pages: Map<string, object> };
}

/** Requests of relation lists of this process. */
export const RELATION_REQUESTS = new PerArguments<RelationName, RelationRequest>();

/** The request for these arguments; the default order is POPULARITY. @throws DomainError BAD_USER_INPUT for an invalid argument. */
export function relationRequest(name: RelationName, args: RelationArgs): RelationRequest {
  return RELATION_REQUESTS.find(args, name) ?? RELATION_REQUESTS.add(args, name, checked(name, args));
}

function checked(name: RelationName, { orderBy, ...page }: RelationArgs): RelationRequest {
  const order = { field: orderBy?.field ?? 'POPULARITY', direction: orderBy?.direction };
  const request = pageRequest(RELATIONS[name], page, order);
  const prefix = relationPrefix(name, request);
  const dependencies = relationKeys(RELATIONS[name], request);
  const cache = { version: undefined, pages: new Map() };
  return { name, request, group: `${request.limit} ${prefix}`, prefix, dependencies, cache };
}

/** The most rows of a list that is read with its parents. */
const MOST_ROWS = 10;

/** The lists of a kind's rows that a request asks for anywhere, to be read with rows that are not cached. */
export function askedLists(kind: CatalogKind, asked: readonly AskedRelation[]): RelationRequest[] {
  const lists = new Map<string, RelationRequest>();
  for (const { relation, args } of asked) {
    const name = relation as RelationName;
    if (RELATIONS[name].parent !== kind) continue;
    try {
      const list = relationRequest(name, args);
      if (list.request.limit <= MOST_ROWS) lists.set(list.group, list);
    } catch {
      // The field itself reports its arguments.
    }
  }
  return [...lists.values()];
}
