// Every resolver class of the catalog's reads, for the schema build. They answer everybody alike until the catalog changes: what they answer is
// kept (graphql/field-writers.ts), so a field that depends on the caller or the time belongs to a class of its own.
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

export const catalogResolvers = [
  LookUpResolver,
  ListResolver,
  SearchResolver,
  CredentialSearch.MatchResolver,
  IssuerSearch.MatchResolver,
  ProgramSearch.MatchResolver,
  CredentialResolver,
  IssuerResolver,
  SchemaResolver,
  VerifierResolver,
  ProgramResolver,
  CredentialPage.ConnectionResolver,
  ProgramPage.ConnectionResolver,
  IssuerPage.ConnectionResolver,
  VerifierPage.ConnectionResolver,
  SchemaPage.ConnectionResolver,
] as const;
