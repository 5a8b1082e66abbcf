// GET /v1/catalog/…: lists, details and search (contract §2). The server puts the results into the envelope.
import { z } from 'zod';
import { badInput, DomainError } from '../../base/errors.js';
import { pageLimit, pageNumber } from '../../base/input.js';
import { type AnyRoute, route } from '../../http/routes/route.js';
import type { CatalogService } from '../reading/catalog.js';
import { COUNT_BOUND } from '../reading/totals.js';
import { type EntryParams, entryParams } from '../records/entry-params.js';
import { sortByValues } from '../lists/kinds.js';
import type { CatalogKind } from '../rows/models.js';
import type { RecordOf } from '../records/records.js';
import type { CatalogSearch } from '../search/search.js';
import { isSearchable, NOT_SEARCHABLE } from '../rows/terms.js';
import { CATALOG_RECORDS, pageOf, searchResult } from './records.js';
import * as views from './views.js';

export interface CatalogRouteServices {
  catalog: CatalogService;
  search: CatalogSearch;
}

/** The points of a list: for the request, for its rows, and for the rows before them, which the store skips unless there are too many. */
const LIST_POINTS = 4;
const ROWS_PER_POINT = 5;
const PASSED_PER_POINT = 50;
const SEARCH_POINTS = 20;

const paged = (usual: number, most: number) => ({ page: pageNumber, limit: pageLimit({ usual, most }) });

const filter = z.string().min(1).max(500).optional();

/** How the list of one kind differs from the others. */
interface CatalogList<K extends CatalogKind> {
  kind: K;
  noun: string;
  /** Query parameters that select rows by that field. */
  filters: readonly string[];
  records(catalog: CatalogService, rows: readonly RecordOf[K][]): Promise<object[]> | object[];
  detail(catalog: CatalogService, row: RecordOf[K]): Promise<object>;
}

const querySchema = (kind: CatalogKind, filters: readonly string[]) => {
  const order = z.enum(sortByValues(kind) as [string, ...string[]]).optional();
  return z.strictObject({
    ...paged(10, 100),
    sortBy: order,
    sort: order,
    sortOrder: z.enum(['ASC', 'DESC'], 'must be ASC or DESC').optional(),
    ...Object.fromEntries(filters.map((name) => [name, filter])),
  });
};

function listRoute<K extends CatalogKind>(catalog: CatalogService, list: CatalogList<K>): AnyRoute {
  const { kind, filters } = list;
  return route({
    method: 'GET',
    path: `/v1/catalog/${kind}`,
    summary: `List ${kind}, page by page`,
    auth: 'public',
    catalog: true,
    cacheable: true,
    query: querySchema(kind, filters),
    answers: { 200: pageOf(CATALOG_RECORDS[kind].record) },
    points: ({ query: { page, limit } }) => {
      const passed = page * limit <= COUNT_BOUND ? page * limit : 0;
      return LIST_POINTS + limit / ROWS_PER_POINT + passed / PASSED_PER_POINT;
    },
    async handle({ query, reads }) {
      const { page, limit, sortBy, sort, sortOrder, ...filters } = query;
      if (sort !== undefined && sortBy !== undefined && sort !== sortBy)
        throw badInput('"sort" and "sortBy" are the same parameter, and differ here; give one of them.', 'sort');
      const entries = Object.entries(filters as Record<string, string | undefined>);
      const where = Object.fromEntries(entries.flatMap(([name, eq]) => (eq === undefined ? [] : [[name, { eq }]])));
      const source = reads ? catalog.for(reads) : catalog;
      const result = await source.page(kind, { page, limit, sortBy: sortBy ?? sort, sortOrder, where });
      return { body: { ...result, records: await list.records(source, result.records) } };
    },
  });
}

function detailRoute<K extends CatalogKind>(catalog: CatalogService, list: CatalogList<K>): AnyRoute {
  const { kind, noun } = list;
  return route<EntryParams, unknown, unknown>({
    method: 'GET',
    path: `/v1/catalog/${kind}/:id`,
    summary: `One ${noun} in full`,
    auth: 'public',
    catalog: true,
    cacheable: true,
    params: entryParams,
    answers: { 200: CATALOG_RECORDS[kind].detail },
    fails: { 404: `The ${noun} is unknown or retired.` },
    async handle({ params: { id }, reads }) {
      const source = reads ? catalog.for(reads) : catalog;
      const [row] = await source.byIds(kind, [id]);
      if (!row) throw new DomainError('NOT_FOUND', `The ${noun} ${id} was not found.`);
      return { body: await list.detail(source, row) };
    },
  });
}

const both = <K extends CatalogKind>(catalog: CatalogService, list: CatalogList<K>): AnyRoute[] => [
  listRoute(catalog, list),
  detailRoute(catalog, list),
];

function searchRoute(search: CatalogSearch): AnyRoute {
  return route({
    method: 'GET',
    path: '/v1/catalog/search',
    summary: 'Search credentials, issuers and programs; grouped, best first',
    auth: 'public',
    catalog: true,
    query: z.strictObject({
      q: z
        .string()
        .trim()
        .min(1, 'must not be empty')
        .max(200, 'must be at most 200 characters')
        .refine(isSearchable, NOT_SEARCHABLE),
      ...paged(10, 50),
    }),
    answers: { 200: searchResult },
    points: SEARCH_POINTS,
    handle: async ({ query: { q, page, limit } }) => ({ body: await search.search({ query: q, page, limit }) }),
  });
}

/** All routes under /v1/catalog. */
export function catalogRoutes({ catalog, search }: CatalogRouteServices): AnyRoute[] {
  return [
    searchRoute(search),
    ...both(catalog, {
      kind: 'credentials',
      noun: 'credential',
      filters: ['category', 'issuerId', 'schemaId'],
      records: views.credentialRecords,
      detail: views.credentialDetail,
    }),
    ...both(catalog, {
      kind: 'programs',
      noun: 'program',
      filters: ['verifierId', 'credentialId', 'pricingModel'],
      records: views.programRecords,
      detail: views.programDetail,
    }),
    ...both(catalog, {
      kind: 'schemas',
      noun: 'schema',
      filters: [],
      records: (_, schemas) => schemas.map(views.schemaRecord),
      detail: views.schemaDetail,
    }),
    ...both(catalog, {
      kind: 'issuers',
      noun: 'issuer',
      filters: ['issuerFrom'],
      records: (_, issuers) => issuers.map(views.issuerRecord),
      detail: views.issuerDetail,
    }),
    ...both(catalog, {
      kind: 'verifiers',
      noun: 'verifier',
      filters: [],
      records: (_, verifiers) => verifiers.map(views.verifierRecord),
      detail: views.verifierDetail,
    }),
  ];
}
