// Full-text search in GraphQL: the search service ranks entries, and the loaders read them.
import { Arg, type ClassType, Ctx, FieldResolver, Int, Query, Resolver, Root, registerEnumType } from 'type-graphql';
import { badInput } from '../../base/errors.js';
import { checkedFirst } from '../../base/input.js';
import { record } from '../../base/record.js';
import { objectType } from '../../graphql/shapes/from-zod.js';
import type { RowLoader } from '../reading/loaders.js';
import { isSearchable, NOT_SEARCHABLE } from '../rows/terms.js';
import { groupMembers, matchMembers, resultMembers } from '../records/search.js';
import type { CatalogContext } from './resolver-context.js';
import { Credential, Issuer, Program } from '../records/types.js';

/** Results of each kind. */
const RESULTS = { usual: 10, most: 50 };
const MAX_QUERY = 200;

/** The kinds that can be searched; the values are those of the search service. */
export enum SearchType {
  CREDENTIAL = 'credentials',
  ISSUER = 'issuers',
  PROGRAM = 'programs',
}
registerEnumType(SearchType, {
  name: 'SearchType',
  description: 'The kinds of entries that can be searched.',
  valuesConfig: {
    CREDENTIAL: { description: 'Credentials, by their names, categories, issuers and schema titles.' },
    ISSUER: { description: 'Issuers.' },
    PROGRAM: { description: 'Verification programs.' },
  },
});

/** A matching entry, with its node. */
interface Match<T> {
  relevance: number;
  node: T;
}

/** The result type of one kind: how many entries match, and the best of them. */
function matchesOf<T extends object>(typeName: string, field: string, node: () => ClassType<T>) {
  const match = record(`${typeName}Match`, `One matching ${field}.`, matchMembers);
  const matches = record(`${typeName}Matches`, `The matching ${field}s.`, groupMembers(match));
  const MatchType = objectType(match);

  @Resolver(() => MatchType)
  class MatchResolver {
    @FieldResolver(() => node(), { name: field, description: `The ${field}.` })
    node(@Root() match: Match<T>): T {
      return match.node;
    }
  }
  return { matches: matches.describe(`${typeName}s; empty when not requested.`), MatchResolver };
}

export const CredentialSearch = matchesOf('Credential', 'credential', () => Credential);
export const IssuerSearch = matchesOf('Issuer', 'issuer', () => Issuer);
export const ProgramSearch = matchesOf('Program', 'program', () => Program);

const SearchResults = objectType(
  record('SearchResults', 'The results of a search, by kind.', {
    ...resultMembers,
    credentials: CredentialSearch.matches,
    issuers: IssuerSearch.matches,
    programs: ProgramSearch.matches,
  }),
);

/** Reads the nodes of a group. Entries that were retired after they were indexed are left out. */
async function matches<T>(
  group: { total: number; items: readonly { id: string; relevance: number }[] },
  loader: RowLoader<string, T | null>,
): Promise<{ total: number; items: Match<T>[] }> {
  const nodes = await Promise.all(group.items.map(({ id }) => loader.load(id)));
  const items = group.items.flatMap(({ relevance }, at) => {
    const node = nodes[at];
    return node ? [{ relevance, node }] : [];
  });
  return { total: group.total, items };
}

@Resolver()
export class SearchResolver {
  @Query(() => SearchResults, {
    description: 'Searches the catalog by words, best first. Prefixes and words with one wrong letter match too.',
  })
  async search(
    @Arg('query', () => String, { description: 'What to search for, at most 200 characters.' }) query: string,
    @Arg('types', () => [SearchType], { nullable: true, description: 'Which kinds; default all.' })
    types: SearchType[] | null,
    @Arg('first', () => Int, { nullable: true, description: 'How many of each kind: 1 to 50, default 10.' })
    first: number | null,
    @Ctx() { services, loaders }: CatalogContext,
  ) {
    const limit = checkedFirst(first, RESULTS);
    if (query.length > MAX_QUERY) throw badInput(`"query" must have at most ${MAX_QUERY} characters.`, 'query');
    if (!isSearchable(query)) throw badInput(`"query" ${NOT_SEARCHABLE}.`, 'query');
    const result = await services.search.search({ query, types: types ?? undefined, limit, page: 1 });
    const byId = <I>(items: readonly (I & { relevance: number })[], id: (item: I) => string) =>
      items.map((item) => ({ id: id(item), relevance: item.relevance }));
    const { credentials, issuers, programs, meta } = result;
    const [credentialMatches, issuerMatches, programMatches] = await Promise.all([
      matches(
        { ...credentials, items: byId(credentials.items, (item) => item.credentialId) },
        loaders.catalog.credentials,
      ),
      matches({ ...issuers, items: byId(issuers.items, (item) => item.issuerId) }, loaders.catalog.issuers),
      matches({ ...programs, items: byId(programs.items, (item) => item.programId) }, loaders.catalog.programs),
    ]);
    return {
      query,
      totalResults: meta.totalResults,
      credentials: credentialMatches,
      issuers: issuerMatches,
      programs: programMatches,
    };
  }
}
