// The orders and filters of each kind's list, and the pairs that have an index. Queries, cursors and REST derive from this one table.
import type { CatalogKind } from '../rows/models.js';

export type Direction = 'ASC' | 'DESC';

/** One order of a list: the stored field, the type of its values, and its name in REST. */
export interface Order {
  path: string;
  values: 'number' | 'text' | 'date';
  direction: Direction;
  /** Its description in the GraphQL schema. */
  description: string;
  /** `sortBy` values of the REST lists that mean this order (contract §2). */
  sortBy: readonly string[];
}

/** One filter of a list. A `range` works only in the order `order`, whose index it scans. */
export type Filter = { path: string; description: string } & (
  | { match: 'equal'; counter?: StoredCounter }
  | { match: 'name' }
  | { match: 'range'; values: 'number' | 'date'; order: string }
);

/** Where the number of rows with a value is stored: in this field of the row of this kind whose id is the value. */
export interface StoredCounter {
  kind: CatalogKind;
  field: string;
}

export interface KindList {
  /** GraphQL type name, also the type of its global ids. */
  typeName: string;
  orders: Readonly<Record<string, Order>>;
  /** Order of the REST list when `sortBy` is not given. */
  pageOrder: string;
  filters: Readonly<Record<string, Filter>>;
  /** Stored fields that records need. */
  fields: readonly string[];
}

const count = (path: string, description: string, ...sortBy: string[]): Order => ({
  path,
  values: 'number',
  direction: 'DESC',
  description,
  sortBy,
});
const popularity = (what: string, ...sortBy: string[]): Order =>
  count('popularity', `By popularity: ${what}.`, 'popularity', ...sortBy);
const alphabetic = (...sortBy: string[]): Order => ({
  path: 'sortName',
  values: 'text',
  direction: 'ASC',
  description: `By ${sortBy[0]}; case and accents are ignored.`,
  sortBy,
});
const CREATED: Order = {
  path: 'createdAt',
  values: 'date',
  direction: 'DESC',
  description: 'By when it entered the catalog.',
  sortBy: ['created_at'],
};

const equal = (path: string, description: string, counter?: StoredCounter): Filter => ({
  match: 'equal',
  path,
  description,
  counter,
});
const name = (path: string): Filter => ({ match: 'name', path, description: `Its ${path}.` });
const number = (path: string, description: string, order: string): Filter => ({
  match: 'range',
  path,
  description,
  values: 'number',
  order,
});
const createdAt: Filter = {
  match: 'range',
  path: 'createdAt',
  description: 'When it entered the catalog.',
  values: 'date',
  order: 'CREATED',
};

const common = ['createdAt', 'popularity', 'sortName'];

/** Every kind's orders, filters and fields. A new filter needs its indexes in rows/models.ts. */
export const KINDS: Readonly<Record<CatalogKind, KindList>> = {
  credentials: {
    typeName: 'Credential',
    orders: {
      POPULARITY: popularity('unique holders'),
      DEMAND: count('demandCount', 'By how many programs accept it.', 'demand_count'),
      NAME: alphabetic('name', 'title'),
      CREATED,
    },
    pageOrder: 'POPULARITY',
    filters: {
      credentialId: equal('_id', 'Its own id.'),
      name: name('name'),
      category: equal('category', 'Its category label.'),
      issuerId: equal('issuerId', 'Id of its issuer.', { kind: 'issuers', field: 'credentialCount' }),
      schemaId: equal('schemaId', 'Id of its schema.', { kind: 'schemas', field: 'credentialCount' }),
      holderCount: number('popularity', 'Its unique holders.', 'POPULARITY'),
      demandCount: number('demandCount', 'Programs that accept it.', 'DEMAND'),
      createdAt,
    },
    fields: [
      ...common,
      'name',
      'category',
      'issuerId',
      'schemaId',
      'schemaVersion',
      'provable',
      'cak',
      'derived',
      'vct',
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
      POPULARITY: popularity('verifications', 'verification_count'),
      CREDENTIAL_COUNT: count('credentialCount', 'By how many credentials it accepts.', 'credential_count'),
      NAME: alphabetic('name', 'title'),
      CREATED,
    },
    pageOrder: 'CREATED',
    filters: {
      programId: equal('_id', 'Its own id.'),
      name: name('name'),
      verifierId: equal('verifierId', 'Id of its verifier.', { kind: 'verifiers', field: 'programCount' }),
      credentialId: equal('acceptedCredentials.credentialId', 'Id of a credential it accepts.', {
        kind: 'credentials',
        field: 'demandCount',
      }),
      pricingModel: equal('pricingModel', 'Its pricing model label.'),
      verificationCount: number('popularity', 'Its verifications.', 'POPULARITY'),
      credentialCount: number('credentialCount', 'How many credentials it accepts.', 'CREDENTIAL_COUNT'),
      createdAt,
    },
    fields: [...common, 'name', 'description', 'verifierId', 'pricingModel', 'credentialCount', 'disclose', 'traction'],
  },
  issuers: {
    typeName: 'Issuer',
    orders: { POPULARITY: popularity('unique holders'), NAME: alphabetic('name', 'title'), CREATED },
    pageOrder: 'POPULARITY',
    filters: {
      issuerId: equal('_id', 'Its own id.'),
      name: name('name'),
      issuerDid: equal('issuerDid', 'Its decentralized identifier.'),
      issuerFrom: equal('issuerFrom', 'Its kind, such as "education".'),
      holderCount: number('popularity', 'Its unique holders.', 'POPULARITY'),
      createdAt,
    },
    fields: [
      ...common,
      'name',
      'issuerDid',
      'issuerFrom',
      'managed',
      'zkKeys',
      'anchors',
      'walletIssuer',
      'traction',
      'credentialCount',
    ],
  },
  verifiers: {
    typeName: 'Verifier',
    orders: { POPULARITY: popularity('programs'), NAME: alphabetic('name', 'title'), CREATED },
    pageOrder: 'POPULARITY',
    filters: {
      verifierId: equal('_id', 'Its own id.'),
      name: name('name'),
      verifierDid: equal('verifierDid', 'Its decentralized identifier.'),
      programCount: number('popularity', 'Programs it runs.', 'POPULARITY'),
      createdAt,
    },
    fields: [...common, 'name', 'verifierDid', 'programCount'],
  },
  schemas: {
    typeName: 'Schema',
    orders: {
      POPULARITY: popularity('credentials built on it', 'credential_count'),
      ISSUER_COUNT: count(
        'issuerCount',
        'By how many issuers have credentials on it.',
        'issuer_count',
        'provider_count',
      ),
      TITLE: alphabetic('title', 'name'),
      CREATED,
    },
    pageOrder: 'CREATED',
    filters: {
      schemaId: equal('_id', 'Its own id.'),
      title: name('title'),
      credentialCount: number('popularity', 'Credentials built on it.', 'POPULARITY'),
      issuerCount: number('issuerCount', 'Issuers that have credentials on it.', 'ISSUER_COUNT'),
      createdAt,
    },
    fields: [...common, 'title', 'description', 'version', 'credentialCount', 'issuerCount'],
  },
};

/** The kind whose GraphQL type has this name, if there is one. */
export function kindOfType(typeName: string): CatalogKind | undefined {
  return (Object.keys(KINDS) as CatalogKind[]).find((kind) => KINDS[kind].typeName === typeName);
}

/** `sortBy` values of a kind's REST list. */
export function sortByValues(kind: CatalogKind): string[] {
  return Object.values(KINDS[kind].orders).flatMap((order) => order.sortBy);
}
