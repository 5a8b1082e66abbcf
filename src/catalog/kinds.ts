// What may be asked of each kind's list: its orders, its filters and the pairs that an index serves. One table; queries, cursors and REST derive from it.
import type { CatalogKind } from './models.js';

export type Direction = 'ASC' | 'DESC';

/** One order of a list: the stored field, what its values are, and the name REST knows it by. */
export interface Order {
  path: string;
  values: 'number' | 'text' | 'date';
  direction: Direction;
  /** `sortBy` values of the REST lists that mean this order (contract §2). */
  sortBy: readonly string[];
}

/** One filter of a list. A `range` can only be asked in `order`, whose index it walks. */
export type Filter =
  | { match: 'equal'; path: string; counter?: Counter }
  | { match: 'name'; path: string }
  | { match: 'range'; path: string; values: 'number' | 'date'; order: string };

/** Where the number of rows with this value is stored, so that nobody counts: on the row of that kind with the value as its id. */
export interface Counter {
  kind: CatalogKind;
  field: string;
}

export interface Kind {
  /** GraphQL type name, also the type of its global ids. */
  typeName: string;
  orders: Readonly<Record<string, Order>>;
  /** Order of the REST list when `sortBy` is not given. */
  pageOrder: string;
  filters: Readonly<Record<string, Filter>>;
  /** Stored fields that reads need; the rest (terms, documents, sealed keys) stays in the store. */
  fields: readonly string[];
}

const popularity = (...sortBy: string[]): Order => ({
  path: 'popularity',
  values: 'number',
  direction: 'DESC',
  sortBy: ['popularity', ...sortBy],
});
const count = (path: string, ...sortBy: string[]): Order => ({ path, values: 'number', direction: 'DESC', sortBy });
const alphabetic = (...sortBy: string[]): Order => ({ path: 'sortName', values: 'text', direction: 'ASC', sortBy });
const CREATED: Order = { path: 'createdAt', values: 'date', direction: 'DESC', sortBy: ['created_at'] };

const equal = (path: string, counter?: Counter): Filter => ({ match: 'equal', path, counter });
const name = (path: string): Filter => ({ match: 'name', path });
const number = (path: string, order: string): Filter => ({ match: 'range', path, values: 'number', order });
const createdAt: Filter = { match: 'range', path: 'createdAt', values: 'date', order: 'CREATED' };

const common = ['createdAt', 'sortName', 'popularity'];

/** Every kind's orders, filters and fields. A new filter needs its indexes in models.ts. */
export const KINDS: Readonly<Record<CatalogKind, Kind>> = {
  credentials: {
    typeName: 'Credential',
    orders: { POPULARITY: popularity(), NAME: alphabetic('name', 'title'), CREATED },
    pageOrder: 'POPULARITY',
    filters: {
      credentialId: equal('_id'),
      name: name('name'),
      category: equal('category'),
      issuerId: equal('issuerId', { kind: 'issuers', field: 'credentialCount' }),
      schemaId: equal('schemaId', { kind: 'schemas', field: 'credentialCount' }),
      holderCount: number('popularity', 'POPULARITY'),
      createdAt,
    },
    fields: [
      ...common,
      'name',
      'category',
      'issuerId',
      'schemaId',
      'schemaVersion',
      'traction',
      'demandCount',
      'accessibleStart',
      'accessibleEnd',
      'expirationDuration',
      'firstIssuedAt',
      'lastIssuedAt',
    ],
  },
  programs: {
    typeName: 'Program',
    orders: {
      POPULARITY: popularity('verification_count'),
      CREDENTIAL_COUNT: count('credentialCount', 'credential_count'),
      NAME: alphabetic('name', 'title'),
      CREATED,
    },
    pageOrder: 'CREATED',
    filters: {
      programId: equal('_id'),
      name: name('name'),
      verifierId: equal('verifierId', { kind: 'verifiers', field: 'programCount' }),
      credentialId: equal('acceptedCredentials.credentialId', { kind: 'credentials', field: 'demandCount' }),
      pricingModel: equal('pricingModel'),
      verificationCount: number('popularity', 'POPULARITY'),
      credentialCount: number('credentialCount', 'CREDENTIAL_COUNT'),
      createdAt,
    },
    fields: [
      ...common,
      'name',
      'description',
      'verifierId',
      'acceptedCredentials',
      'pricingModel',
      'credentialCount',
      'traction',
    ],
  },
  issuers: {
    typeName: 'Issuer',
    orders: { POPULARITY: popularity(), NAME: alphabetic('name', 'title'), CREATED },
    pageOrder: 'POPULARITY',
    filters: {
      issuerId: equal('_id'),
      name: name('name'),
      issuerDid: equal('issuerDid'),
      issuerFrom: equal('issuerFrom'),
      holderCount: number('popularity', 'POPULARITY'),
      createdAt,
    },
    fields: [...common, 'name', 'issuerDid', 'issuerFrom', 'traction', 'credentialCount'],
  },
  verifiers: {
    typeName: 'Verifier',
    orders: { POPULARITY: popularity(), NAME: alphabetic('name', 'title'), CREATED },
    pageOrder: 'POPULARITY',
    filters: {
      verifierId: equal('_id'),
      name: name('name'),
      verifierDid: equal('verifierDid'),
      programCount: number('popularity', 'POPULARITY'),
      createdAt,
    },
    fields: [...common, 'name', 'verifierDid', 'programCount'],
  },
  schemas: {
    typeName: 'Schema',
    orders: {
      POPULARITY: popularity('credential_count'),
      ISSUER_COUNT: count('issuerCount', 'issuer_count', 'provider_count'),
      TITLE: alphabetic('title', 'name'),
      CREATED,
    },
    pageOrder: 'CREATED',
    filters: {
      schemaId: equal('_id'),
      title: name('title'),
      credentialCount: number('popularity', 'POPULARITY'),
      issuerCount: number('issuerCount', 'ISSUER_COUNT'),
      createdAt,
    },
    fields: [...common, 'title', 'description', 'version', 'credentialCount', 'issuerCount'],
  },
};

/** The kind whose GraphQL type has this name, if there is one. */
export function kindOfType(typeName: string): CatalogKind | undefined {
  return (Object.keys(KINDS) as CatalogKind[]).find((kind) => KINDS[kind].typeName === typeName);
}

/** `sortBy` values that the REST list of a kind takes. */
export function sortByValues(kind: CatalogKind): string[] {
  return Object.values(KINDS[kind].orders).flatMap((order) => order.sortBy);
}
