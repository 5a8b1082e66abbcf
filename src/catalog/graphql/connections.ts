// The catalog's connection types, with the resolvers of their totals.
import { connectionOf } from '../../graphql/shapes/relay.js';
import { Credential, Issuer, Program, Schema, Verifier } from '../records/types.js';

export const CredentialPage = connectionOf('Credential', 'credentials', () => Credential);
export const ProgramPage = connectionOf('Program', 'programs', () => Program);
export const IssuerPage = connectionOf('Issuer', 'issuers', () => Issuer);
export const VerifierPage = connectionOf('Verifier', 'verifiers', () => Verifier);
export const SchemaPage = connectionOf('Schema', 'schemas', () => Schema);
