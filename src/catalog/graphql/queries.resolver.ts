// The catalog's root fields: single look-ups, lists, and `node`.
import { Arg, Args, Ctx, ID, Query, Resolver } from 'type-graphql';
import type { MaybePromise } from '../../base/concurrency/maybe-promise.js';
import { parseGlobalId } from '../../graphql/shapes/global-id.js';
import { Node, type NodeObject } from '../../graphql/shapes/relay.js';
import { kindOfType } from '../lists/kinds.js';
import { CredentialPage, IssuerPage, ProgramPage, SchemaPage, VerifierPage } from './connections.js';
import { CredentialArgs, IssuerArgs, type ListArgs, ProgramArgs, SchemaArgs, VerifierArgs } from './inputs.js';
import type { CatalogContext } from './resolver-context.js';
import { Credential, Issuer, Program, Schema, Verifier } from '../records/types.js';

@Resolver()
export class LookUpResolver {
  @Query(() => Credential, { nullable: true, description: 'One credential; null when there is none with this id.' })
  credential(
    @Arg('credentialId', () => String, { description: "The credential's own id." }) id: string,
    @Ctx() { loaders }: CatalogContext,
  ) {
    return loaders.catalog.credentials.load(id);
  }

  @Query(() => Program, { nullable: true, description: 'One program; null when there is none with this id.' })
  program(
    @Arg('programId', () => String, { description: "The program's own id." }) id: string,
    @Ctx() { loaders }: CatalogContext,
  ) {
    return loaders.catalog.programs.load(id);
  }

  @Query(() => Issuer, { nullable: true, description: 'One issuer; null when there is none with this id.' })
  issuer(
    @Arg('issuerId', () => String, { description: "The issuer's own id." }) id: string,
    @Ctx() { loaders }: CatalogContext,
  ) {
    return loaders.catalog.issuers.load(id);
  }

  @Query(() => Verifier, { nullable: true, description: 'One verifier; null when there is none with this id.' })
  verifier(
    @Arg('verifierId', () => String, { description: "The verifier's own id." }) id: string,
    @Ctx() { loaders }: CatalogContext,
  ) {
    return loaders.catalog.verifiers.load(id);
  }

  @Query(() => Schema, { nullable: true, description: 'One schema; null when there is none with this id.' })
  schema(
    @Arg('schemaId', () => String, { description: "The schema's own id." }) id: string,
    @Ctx() { loaders }: CatalogContext,
  ) {
    return loaders.catalog.schemas.load(id);
  }

  @Query(() => Node, { nullable: true, description: 'The object with this global id; null when there is none.' })
  node(
    @Arg('id', () => ID, { description: 'Global id: the `id` of any node.' }) globalId: string,
    @Ctx() { loaders }: CatalogContext,
  ): MaybePromise<NodeObject | null> {
    const named = parseGlobalId(globalId);
    const kind = named && kindOfType(named.typeName);
    return named && kind ? loaders.catalog[kind].load(named.id) : null;
  }
}

@Resolver()
export class ListResolver {
  @Query(() => CredentialPage.Connection, { description: 'All credentials, by page, filter and order.' })
  credentials(@Args(() => CredentialArgs.List) args: ListArgs, @Ctx() { loaders }: CatalogContext) {
    return loaders.catalog.list('credentials', args);
  }

  @Query(() => ProgramPage.Connection, { description: 'All verification programs, by page, filter and order.' })
  programs(@Args(() => ProgramArgs.List) args: ListArgs, @Ctx() { loaders }: CatalogContext) {
    return loaders.catalog.list('programs', args);
  }

  @Query(() => IssuerPage.Connection, { description: 'All issuers, by page, filter and order.' })
  issuers(@Args(() => IssuerArgs.List) args: ListArgs, @Ctx() { loaders }: CatalogContext) {
    return loaders.catalog.list('issuers', args);
  }

  @Query(() => VerifierPage.Connection, { description: 'All verifiers, by page, filter and order.' })
  verifiers(@Args(() => VerifierArgs.List) args: ListArgs, @Ctx() { loaders }: CatalogContext) {
    return loaders.catalog.list('verifiers', args);
  }

  @Query(() => SchemaPage.Connection, { description: 'All schemas, by page, filter and order.' })
  schemas(@Args(() => SchemaArgs.List) args: ListArgs, @Ctx() { loaders }: CatalogContext) {
    return loaders.catalog.list('schemas', args);
  }
}
