// Every resolver class of the catalog's reads, for the schema build.
import { CredentialPage, IssuerPage, ProgramPage, SchemaPage, VerifierPage } from './connections.js';
import { ListResolver, LookUpResolver } from './queries.resolver.js';
import {
  CredentialResolver,
  IssuerResolver,
  ProgramResolver,
  SchemaResolver,
  VerifierResolver,
} from './relations.resolver.js';
import { CredentialSearch, IssuerSearch, ProgramSearch, SearchResolver } from './search.resolver.js';
import { seriesResolvers } from './series.resolver.js';

/**
 * The relations of rows. Their results are the same for all callers until the catalog changes, and are cached
 * (graphql/execution/field-writers.ts). A field that depends on the caller or the time belongs in another class.
 */
export const relationResolvers = [
  CredentialResolver,
  IssuerResolver,
  SchemaResolver,
  VerifierResolver,
  ProgramResolver,
  CredentialPage.ConnectionResolver,
  ProgramPage.ConnectionResolver,
  IssuerPage.ConnectionResolver,
] as const;

export const catalogResolvers = [
  LookUpResolver,
  ListResolver,
  SearchResolver,
  CredentialSearch.MatchResolver,
  IssuerSearch.MatchResolver,
  ProgramSearch.MatchResolver,
  ...relationResolvers,
  ...seriesResolvers,
  VerifierPage.ConnectionResolver,
  SchemaPage.ConnectionResolver,
] as const;
