// The lists of the catalog: their queries, orders and filters, as the API has them.
import type { AnyVariables } from '@urql/core';
import type { Kind } from '../api/changes.js';
import type { GeneratedDocument } from '../api/client.js';
import * as generated from '../api/generated/graphql.js';

interface Filter {
  /** The member of `where`. */
  field: string;
  label: string;
}

export interface ListKind {
  title: string;
  /** What one entry is called. */
  one: string;
  document: GeneratedDocument<unknown, AnyVariables>;
  /** The filter for words of the name. */
  name: Filter;
  /** The filter for an exact label. */
  exact: Filter;
  /** The filter for a minimum count; the API accepts it only in this order. */
  atLeast: Filter & { order: string };
  /** Orders by their names in the API. The first is the default of the console. */
  orders: Readonly<Record<string, string>>;
}

const list = <Data, Variables>(
  document: GeneratedDocument<Data, Variables>,
): GeneratedDocument<unknown, AnyVariables> => document as GeneratedDocument<unknown, AnyVariables>;

export const LISTS: Readonly<Record<Kind, ListKind>> = {
  credentials: {
    title: 'Credentials',
    one: 'credential',
    document: list(generated.CredentialsDocument),
    name: { field: 'name', label: 'Words of the name' },
    exact: { field: 'category', label: 'Category' },
    atLeast: { field: 'holderCount', label: 'At least so many holders', order: 'POPULARITY' },
    orders: { POPULARITY: 'Most holders', DEMAND: 'Most demanded', NAME: 'Name', CREATED: 'Newest' },
  },
  programs: {
    title: 'Programs',
    one: 'program',
    document: list(generated.ProgramsDocument),
    name: { field: 'name', label: 'Words of the name' },
    exact: { field: 'pricingModel', label: 'Pricing model' },
    atLeast: { field: 'verificationCount', label: 'At least so many verifications', order: 'POPULARITY' },
    orders: {
      POPULARITY: 'Most verifications',
      CREDENTIAL_COUNT: 'Most accepted credentials',
      NAME: 'Name',
      CREATED: 'Newest',
    },
  },
  issuers: {
    title: 'Issuers',
    one: 'issuer',
    document: list(generated.IssuersDocument),
    name: { field: 'name', label: 'Words of the name' },
    exact: { field: 'issuerFrom', label: 'Kind' },
    atLeast: { field: 'holderCount', label: 'At least so many holders', order: 'POPULARITY' },
    orders: { POPULARITY: 'Most holders', NAME: 'Name', CREATED: 'Newest' },
  },
  schemas: {
    title: 'Schemas',
    one: 'schema',
    document: list(generated.SchemasDocument),
    name: { field: 'title', label: 'Words of the title' },
    exact: { field: 'schemaId', label: 'Id' },
    atLeast: { field: 'credentialCount', label: 'At least so many credentials', order: 'POPULARITY' },
    orders: { POPULARITY: 'Most credentials', ISSUER_COUNT: 'Most issuers', TITLE: 'Title', CREATED: 'Newest' },
  },
  verifiers: {
    title: 'Verifiers',
    one: 'verifier',
    document: list(generated.VerifiersDocument),
    name: { field: 'name', label: 'Words of the name' },
    exact: { field: 'verifierDid', label: 'DID' },
    atLeast: { field: 'programCount', label: 'At least so many programs', order: 'POPULARITY' },
    orders: { POPULARITY: 'Most programs', NAME: 'Name', CREATED: 'Newest' },
  },
};
