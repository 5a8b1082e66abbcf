// One set of loaders a request: whatever many resolvers ask for in one go becomes one command for each relation and page.
import DataLoader from 'dataloader';
import type { Total } from '../graphql/relay.js';
import type { CatalogService, SchemaVersionKey } from './catalog.service.js';
import type { DataPoint, SchemaIssuerRow } from './models.js';
import { Page, pageRows } from './page.js';
import type { OrderInput, PageInput, PageRequest } from './paging.js';
import { type RecordOf, type RowOf, recordOf } from './records.js';
import { RELATIONS, type RelationName } from './relations.js';
import type { Credential, Issuer, Program, Schema, Verifier } from './types.js';

/** A relation list of one parent: the same list for everyone who gives the same values. */
interface RelationKey {
  parentId: string;
  request: PageRequest;
  /** Equal for equal requests; all parents of one group are answered together. */
  group: string;
}

/** The parent of a relation list, with the list's stored total. */
export interface Parent {
  id: string;
  total: number;
}

/** Relations whose children are rows of a kind, and that kind. */
type ChildKind = {
  issuerCredentials: 'credentials';
  schemaCredentials: 'credentials';
  credentialPrograms: 'programs';
  verifierPrograms: 'programs';
};

const groupOf = ({ order, direction, limit, backward, after, before }: PageRequest): string =>
  JSON.stringify([order, direction, limit, backward, after, before]);

function relationLoader(service: CatalogService, name: RelationName): DataLoader<RelationKey, object[], string> {
  return new DataLoader(
    async (keys) => {
      const rows = new Map<string, object[]>();
      const groups = new Map(keys.map(({ group, request }) => [group, request]));
      const load = async ([group, request]: [string, PageRequest]) => {
        const ids = keys.filter((key) => key.group === group).map(({ parentId }) => parentId);
        const pages = await service.relationRows<object>(name, ids, request);
        ids.forEach((id, at) => {
          rows.set(`${group} ${id}`, pages[at] ?? []);
        });
      };
      await Promise.all([...groups].map(load));
      return keys.map(({ group, parentId }) => rows.get(`${group} ${parentId}`) ?? []);
    },
    { cacheKeyFn: ({ group, parentId }) => `${group} ${parentId}` },
  );
}

const stored = (total: number) => (): Promise<Total> => Promise.resolve({ count: total, exact: true });

/** Loaders of the catalog; make a new set for each request. */
export class CatalogLoaders {
  readonly credentials: DataLoader<string, Credential | null>;
  readonly programs: DataLoader<string, Program | null>;
  readonly issuers: DataLoader<string, Issuer | null>;
  readonly verifiers: DataLoader<string, Verifier | null>;
  readonly schemas: DataLoader<string, Schema | null>;
  /** Data points of a schema at one version. */
  readonly dataPoints: DataLoader<SchemaVersionKey, DataPoint[], string>;

  private readonly relations = new Map<RelationName, DataLoader<RelationKey, object[], string>>();

  constructor(private readonly service: CatalogService) {
    this.credentials = new DataLoader((ids) => service.byIds('credentials', ids));
    this.programs = new DataLoader((ids) => service.byIds('programs', ids));
    this.issuers = new DataLoader((ids) => service.byIds('issuers', ids));
    this.verifiers = new DataLoader((ids) => service.byIds('verifiers', ids));
    this.schemas = new DataLoader((ids) => service.byIds('schemas', ids));
    this.dataPoints = new DataLoader((keys) => service.dataPoints(keys), {
      cacheKeyFn: ({ schemaId, version }) => `${schemaId}@${version}`,
    });
  }

  /** A page of a parent's list of rows; BAD_USER_INPUT when an argument does not fit. */
  async related<N extends keyof ChildKind>(
    name: N,
    parent: Parent,
    page: PageInput,
    orderBy?: OrderInput | null,
  ): Promise<Page<RecordOf[ChildKind[N]]>> {
    const { request, rows, more } = await this.relationPage<RowOf[ChildKind[N]]>(name, parent, page, orderBy);
    const kind = RELATIONS[name].list as ChildKind[N];
    const nodes = rows.map((row) => recordOf(kind, row));
    return new Page(nodes, rows, more, RELATIONS[name], request, stored(parent.total));
  }

  /** A page of the issuers that have credentials on a schema, those with most of them first. */
  async schemaIssuers(schema: Parent, page: PageInput): Promise<Page<Issuer>> {
    const found = await this.relationPage<SchemaIssuerRow>('schemaIssuers', schema, page);
    const issuers = await Promise.all(found.rows.map(({ issuerId }) => this.issuers.load(issuerId)));
    const kept = found.rows.map((row, at) => ({ row, issuer: issuers[at] ?? null })).filter(hasIssuer);
    const rows = kept.map(({ row }) => row);
    const nodes = kept.map(({ issuer }) => issuer);
    return new Page(nodes, rows, found.more, RELATIONS.schemaIssuers, found.request, stored(schema.total));
  }

  private async relationPage<R extends object>(
    name: RelationName,
    parent: Parent,
    page: PageInput,
    orderBy?: OrderInput | null,
  ): Promise<{ request: PageRequest; rows: R[]; more: boolean }> {
    const request = this.service.relationRequest(name, page, orderBy);
    const found = await this.relation(name).load({ parentId: parent.id, request, group: groupOf(request) });
    return { request, ...pageRows(found as R[], request) };
  }

  private relation(name: RelationName): DataLoader<RelationKey, object[], string> {
    const known = this.relations.get(name);
    if (known !== undefined) return known;
    const made = relationLoader(this.service, name);
    this.relations.set(name, made);
    return made;
  }
}

/** An edge whose issuer is live; an edge is gone with its issuer, but the two reads are not one. */
function hasIssuer<R>(pair: { row: R; issuer: Issuer | null }): pair is { row: R; issuer: Issuer } {
  return pair.issuer !== null;
}
