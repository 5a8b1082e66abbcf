// Every resolver class of the catalog's reads, for the schema build.
import { CredentialPage, IssuerPage, ProgramPage, SchemaPage, VerifierPage } from './connections.js';
import { ListResolver, LookUpResolver } from './queries.resolver.js';
import {
  AcceptedCredentialResolver,
  CredentialResolver,
  IssuerResolver,
  ProgramResolver,
  SchemaResolver,
  VerifierResolver,
} from './relations.resolver.js';

export const catalogResolvers = [
  LookUpResolver,
  ListResolver,
  CredentialResolver,
  IssuerResolver,
  SchemaResolver,
  VerifierResolver,
  ProgramResolver,
  AcceptedCredentialResolver,
  CredentialPage.ConnectionResolver,
  ProgramPage.ConnectionResolver,
  IssuerPage.ConnectionResolver,
  VerifierPage.ConnectionResolver,
  SchemaPage.ConnectionResolver,
] as const;
