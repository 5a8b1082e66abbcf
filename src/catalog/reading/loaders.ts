// The loaders of one request. Cached rows are returned at once. All others that resolvers need are read with one
// command for each relation and page.
import DataLoader from 'dataloader';
import { after, all, isPromise, type MaybePromise } from '../../base/concurrency/maybe-promise.js';
import type { Total } from '../../graphql/shapes/relay.js';
import { type CachedCatalog, type SchemaVersionKey, versionId } from '../cache/cached-catalog.js';
import type { CatalogService } from './catalog.js';
import type { RelationRows } from './catalog-reads.js';
import { vctOf } from './issuing.service.js';
import type { Credential, Issuer, Program, Schema, Verifier } from '../records/types.js';
import type { ListQuery } from '../lists/list-request.js';
import { Page } from '../lists/page.js';
import type { PageRequest } from '../lists/paging.js';
import { type RelationArgs, type RelationRequest, relationRequest } from '../lists/relation-requests.js';
import { RELATIONS, type RelationName } from '../lists/relations.js';
import type {
  CatalogKind,
  DataPoint,
  SchemaIssuerRow,
  AcceptedCredential as StoredAcceptance,
} from '../rows/models.js';
import { isLive, type RecordOf } from '../records/records.js';

interface RelationKey extends Pick<RelationRequest, 'request' | 'group'> {
  parentId: string;
}

/** The parent of a relation list, with the list's stored total. */
export interface Parent {
  id: string;
  total: number;
}

/** Relations whose children are rows of a kind, with that kind. */
type ChildKind = {
  issuerCredentials: 'credentials';
  schemaCredentials: 'credentials';
  credentialPrograms: 'programs';
  verifierPrograms: 'programs';
};

/** Loads rows by key: at once from the cache, or batched from the store. */
export interface RowLoader<Key, Row> {
  load(key: Key): MaybePromise<Row>;
}

type RelationLoader = DataLoader<RelationKey, RelationRows<object>, string>;

const NOTHING: RelationRows<object> = { rows: [], records: [], more: false };

function relationLoader(service: CatalogService, name: RelationName): RelationLoader {
  return new DataLoader(
    async (keys) => {
      const pages = new Map<string, RelationRows<object>>();
      const groups = new Map(keys.map(({ group, request }) => [group, request]));
      const load = async ([group, request]: [string, PageRequest]) => {
        const ids = keys.filter((key) => key.group === group).map(({ parentId }) => parentId);
        const groupPages = await service.relationRows<object>(name, ids, request);
        ids.forEach((id, at) => {
          pages.set(`${group} ${id}`, groupPages[at] ?? NOTHING);
        });
      };
      await Promise.all([...groups].map(load));
      return keys.map(({ group, parentId }) => pages.get(`${group} ${parentId}`) ?? NOTHING);
    },
    { cacheKeyFn: ({ group, parentId }) => `${group} ${parentId}` },
  );
}

/** Asks the cache first; a DataLoader is created only for a miss. */
class CacheFirst<Key, Row> implements RowLoader<Key, Row> {
  #loader: DataLoader<Key, Row, string> | undefined;

  constructor(
    private readonly fromCache: (key: Key) => Row | undefined,
    private readonly batch: (keys: readonly Key[]) => Promise<Row[]>,
    private readonly keyOf: (key: Key) => string,
  ) {}

  load(key: Key): MaybePromise<Row> {
    const row = this.fromCache(key);
    if (row !== undefined) return row;
    this.#loader ??= new DataLoader(this.batch, { cacheKeyFn: this.keyOf });
    return this.#loader.load(key);
  }
}

/** How many parents' pages are cached for one request. */
const MAX_PAGES = 1_000;

/** Loaders of the catalog; create a new set for each request. */
export class CatalogLoaders {
  readonly credentials: RowLoader<string, Credential | null>;
  readonly programs: RowLoader<string, Program | null>;
  readonly issuers: RowLoader<string, Issuer | null>;
  readonly verifiers: RowLoader<string, Verifier | null>;
  readonly schemas: RowLoader<string, Schema | null>;
  /** Data points of a schema at one version. */
  readonly dataPoints: RowLoader<SchemaVersionKey, DataPoint[]>;
  /** The accepted credentials of a program, retired ones included. */
  readonly acceptedCredentials: RowLoader<string, StoredAcceptance[]>;

  private readonly cache: CachedCatalog | undefined;
  private readonly relations = new Map<RelationName, RelationLoader>();

  constructor(private readonly service: CatalogService) {
    const cache = service.cached();
    const rows = <K extends CatalogKind>(kind: K) =>
      new CacheFirst<string, RecordOf[K] | null>(
        (id) => cache?.record(kind, id),
        async (ids) => service.byIds(kind, ids),
        (id) => id,
      );
    this.cache = cache;
    this.credentials = rows('credentials');
    this.programs = rows('programs');
    this.issuers = rows('issuers');
    this.verifiers = rows('verifiers');
    this.schemas = rows('schemas');
    this.dataPoints = new CacheFirst(
      (key) => cache?.part('dataPoints', versionId(key)),
      (keys) => service.dataPoints(keys),
      versionId,
    );
    this.acceptedCredentials = new CacheFirst(
      (id) => cache?.part('acceptedCredentials', id),
      (ids) => service.acceptedCredentials(ids),
      (id) => id,
    );
  }

  /**
   * The catalog's version: results are the same while it does not change. Undefined without a cache, and while
   * dependencies are recorded.
   */
  get version(): number | undefined {
    return this.cache?.version;
  }

  /** The time for relative dates, ms since 1970 UTC. Resolvers of cached fields read no other clock. */
  now(): number {
    return this.service.now();
  }

  /** The type of a credential's form for wallets, from its row. */
  vctOf({ credentialId, ownVct }: Pick<Credential, 'credentialId' | 'ownVct'>): string {
    return vctOf({ _id: credentialId, vct: ownVct }, this.service.publicUrl);
  }

  /** A page of a kind's list. @throws DomainError BAD_USER_INPUT for an invalid argument. */
  list<K extends CatalogKind>(kind: K, query: ListQuery): MaybePromise<Page<RecordOf[K]>> {
    return this.service.list(kind, query);
  }

  /** A page of a parent's list of rows. @throws DomainError BAD_USER_INPUT for an invalid argument. */
  related<N extends keyof ChildKind>(
    name: N,
    parent: Parent,
    args: RelationArgs,
  ): MaybePromise<Page<RecordOf[ChildKind[N]]>> {
    type Child = RecordOf[ChildKind[N]];
    const relation = this.requestOf(name, args);
    const ready = this.validPages(relation)?.get(parent.id);
    if (ready?.stored === parent.total) return ready as RelationPage<Child>;
    const kind = RELATIONS[name].list as ChildKind[N];
    const show = (nodes: readonly Child[], places: readonly object[], more: boolean) =>
      new RelationPage<Child>(parent.total, nodes, places, more, name, relation.request);
    if (parent.total === 0 && RELATIONS[name].isTotalCurrent) {
      this.cache?.countEmpty();
      return show([], [], false);
    }
    const read = () =>
      this.relation(name)
        .load({ parentId: parent.id, request: relation.request, group: relation.group })
        .then(({ rows, records, more }) => show(records as Child[], rows, more));
    const list = this.cache?.list(`${relation.prefix}${parent.id}`, relation.request);
    if (list === undefined) return read();
    const rows = this[kind] as RowLoader<string, Child | null>;
    const loaded = all(list.places.map(({ _id }) => rows.load(_id)));
    const page = after(loaded, (records) => (records.every(isLive) ? show(records, list.places, list.more) : read()));
    if (!isPromise(page)) this.validPages(relation)?.set(parent.id, page);
    return page;
  }

  /** A page of the issuers with credentials on a schema, those with the most credentials first. */
  schemaIssuers(schema: Parent, args: RelationArgs): MaybePromise<Page<Issuer>> {
    const relation = this.requestOf('schemaIssuers', args);
    const cached = this.cache?.list(`${relation.prefix}${schema.id}`, relation.request);
    const pageRows = cached
      ? { rows: cached.places as readonly object[], more: cached.more }
      : this.relation('schemaIssuers').load({ parentId: schema.id, request: relation.request, group: relation.group });
    return after(pageRows, ({ rows, more }) =>
      this.issuersOf(rows as SchemaIssuerRow[], more, schema, relation.request),
    );
  }

  private issuersOf(
    rows: readonly SchemaIssuerRow[],
    more: boolean,
    schema: Parent,
    request: PageRequest,
  ): MaybePromise<Page<Issuer>> {
    return after(all(rows.map(({ issuerId }) => this.issuers.load(issuerId))), (issuers) => {
      const pairs = rows.map((row, at) => ({ row, issuer: issuers[at] ?? null })).filter(hasIssuer);
      const nodes = pairs.map(({ issuer }) => issuer);
      const places = pairs.map(({ row }) => row);
      return new RelationPage(schema.total, nodes, places, more, 'schemaIssuers', request);
    });
  }

  private requestOf(name: RelationName, args: RelationArgs): RelationRequest {
    const relation = relationRequest(name, args);
    this.service.reading(relation.dependencies);
    return relation;
  }

  /** Pages that are still valid. */
  private validPages({ cache }: RelationRequest): Map<string, RelationPage<object>> | undefined {
    const { version } = this;
    if (version === undefined) return undefined;
    if (cache.version !== version || cache.pages.size >= MAX_PAGES) cache.pages.clear();
    cache.version = version;
    return cache.pages as Map<string, RelationPage<object>>;
  }

  private relation(name: RelationName): RelationLoader {
    const existing = this.relations.get(name);
    if (existing !== undefined) return existing;
    const loader = relationLoader(this.service, name);
    this.relations.set(name, loader);
    return loader;
  }
}

/** A page of a relation list. Its total is stored on the parent. */
class RelationPage<T> extends Page<T> {
  constructor(
    readonly stored: number,
    nodes: readonly T[],
    places: readonly object[],
    more: boolean,
    name: RelationName,
    request: PageRequest,
  ) {
    const total: Total = { count: stored, exact: true };
    super(nodes, places, more, RELATIONS[name], request, () => total);
  }
}

/** Whether an edge's issuer is live. An edge is deleted with its issuer, but the two are not read together. */
function hasIssuer<R>(pair: { row: R; issuer: Issuer | null }): pair is { row: R; issuer: Issuer } {
  return pair.issuer !== null;
}
