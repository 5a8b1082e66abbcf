// The operator's mutations: the same calls as REST's PUT and DELETE under /v1/admin (contract §7).
import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import type { Caller } from '../../base/callers/caller.js';
import { DomainError } from '../../base/errors.js';
import type { CatalogService } from '../reading/catalog.js';
import type { CatalogKind } from '../rows/models.js';
import type { CatalogAdmin } from './admin.js';
import type { IdField } from './body-fields.js';
import {
  PutCredentialInput,
  PutCredentialPayload,
  PutIssuerInput,
  PutIssuerPayload,
  PutProgramInput,
  PutProgramPayload,
  PutSchemaInput,
  PutSchemaPayload,
  PutVerifierInput,
  PutVerifierPayload,
  RetireCredentialInput,
  RetireIssuerInput,
  RetirePayload,
  RetireProgramInput,
  RetireSchemaInput,
  RetireVerifierInput,
} from './graphql-inputs.js';

/** The part of a request's context that these mutations use. */
interface CatalogAdminContext {
  caller: Caller;
  services: { catalog: CatalogService; catalogAdmin: CatalogAdmin };
}

/** The field in which null differs from a missing value: null removes an API key. */
const MEANT_NULL = 'apiKey';

/** An input as the JSON body that REST would send: times as text, no members for missing values. */
export function bodyOf(input: object): Record<string, unknown> {
  const entries = Object.entries(input).filter(([, value]) => value !== undefined);
  const members = entries.filter(([field, value]) => value !== null || field === MEANT_NULL);
  return Object.fromEntries(
    members.map(([field, value]) => [field, value instanceof Date ? value.toISOString() : value]),
  );
}

/** The name of the id field in inputs. */
const ID_FIELDS: Readonly<Record<CatalogKind, IdField>> = {
  issuers: 'issuerId',
  verifiers: 'verifierId',
  schemas: 'schemaId',
  credentials: 'credentialId',
  programs: 'programId',
};

async function put(
  ctx: CatalogAdminContext,
  kind: CatalogKind,
  id: string,
  ifMatch: string | null | undefined,
  body: object,
) {
  const { catalog, catalogAdmin } = ctx.services;
  const { result, etag } = await catalogAdmin.put(ctx.caller, kind, id, bodyOf(body), {
    ifMatch: ifMatch ?? undefined,
    idField: ID_FIELDS[kind],
  });
  const [entry] = await catalog.byIds(kind, [id]);
  if (!entry) throw new DomainError('CONFLICT', `The entry ${id} was written, but has been retired since.`);
  return { entry, result, etag };
}

async function retire(ctx: CatalogAdminContext, kind: CatalogKind, id: string, ifMatch: string | null | undefined) {
  await ctx.services.catalogAdmin.retire(ctx.caller, kind, id, { ifMatch: ifMatch ?? undefined });
  return { retiredId: id };
}

@Resolver()
export class CatalogAdminResolver {
  @Mutation(() => PutIssuerPayload, { description: 'Creates or replaces an issuer. Operator only.' })
  async putIssuer(@Arg('input', () => PutIssuerInput) input: PutIssuerInput, @Ctx() ctx: CatalogAdminContext) {
    const { issuerId, ifMatch, ...rest } = input;
    const { entry: issuer, ...payload } = await put(ctx, 'issuers', issuerId, ifMatch, {
      ...rest,
      zkKeys: rest.zkKeys?.map(bodyOf),
    });
    return { issuer, ...payload };
  }

  @Mutation(() => RetirePayload, { description: 'Retires an issuer, unless live credentials need it. Operator only.' })
  retireIssuer(@Arg('input', () => RetireIssuerInput) input: RetireIssuerInput, @Ctx() ctx: CatalogAdminContext) {
    return retire(ctx, 'issuers', input.issuerId, input.ifMatch);
  }

  @Mutation(() => PutVerifierPayload, { description: 'Creates or replaces a verifier. Operator only.' })
  async putVerifier(@Arg('input', () => PutVerifierInput) input: PutVerifierInput, @Ctx() ctx: CatalogAdminContext) {
    const { verifierId, ifMatch, ...rest } = input;
    const { entry: verifier, ...payload } = await put(ctx, 'verifiers', verifierId, ifMatch, rest);
    return { verifier, ...payload };
  }

  @Mutation(() => RetirePayload, { description: 'Retires a verifier, unless live programs need it. Operator only.' })
  retireVerifier(@Arg('input', () => RetireVerifierInput) input: RetireVerifierInput, @Ctx() ctx: CatalogAdminContext) {
    return retire(ctx, 'verifiers', input.verifierId, input.ifMatch);
  }

  @Mutation(() => PutSchemaPayload, { description: 'Creates or replaces a schema. Operator only.' })
  async putSchema(@Arg('input', () => PutSchemaInput) input: PutSchemaInput, @Ctx() ctx: CatalogAdminContext) {
    const { schemaId, ifMatch, ...rest } = input;
    const { entry: schema, ...payload } = await put(ctx, 'schemas', schemaId, ifMatch, {
      ...rest,
      dataPoints: rest.dataPoints?.map(bodyOf),
    });
    return { schema, ...payload };
  }

  @Mutation(() => RetirePayload, { description: 'Retires a schema, unless live credentials need it. Operator only.' })
  retireSchema(@Arg('input', () => RetireSchemaInput) input: RetireSchemaInput, @Ctx() ctx: CatalogAdminContext) {
    return retire(ctx, 'schemas', input.schemaId, input.ifMatch);
  }

  @Mutation(() => PutCredentialPayload, { description: 'Creates or replaces a credential. Operator only.' })
  async putCredential(
    @Arg('input', () => PutCredentialInput) input: PutCredentialInput,
    @Ctx() ctx: CatalogAdminContext,
  ) {
    const { credentialId, ifMatch, ...rest } = input;
    const { entry: credential, ...payload } = await put(ctx, 'credentials', credentialId, ifMatch, rest);
    return { credential, ...payload };
  }

  @Mutation(() => RetirePayload, { description: 'Retires a credential. Operator only.' })
  retireCredential(
    @Arg('input', () => RetireCredentialInput) input: RetireCredentialInput,
    @Ctx() ctx: CatalogAdminContext,
  ) {
    return retire(ctx, 'credentials', input.credentialId, input.ifMatch);
  }

  @Mutation(() => PutProgramPayload, { description: 'Creates or replaces a program. Operator only.' })
  async putProgram(@Arg('input', () => PutProgramInput) input: PutProgramInput, @Ctx() ctx: CatalogAdminContext) {
    const { programId, ifMatch, ...rest } = input;
    const { entry: program, ...payload } = await put(ctx, 'programs', programId, ifMatch, rest);
    return { program, ...payload };
  }

  @Mutation(() => RetirePayload, { description: 'Retires a program. Operator only.' })
  retireProgram(@Arg('input', () => RetireProgramInput) input: RetireProgramInput, @Ctx() ctx: CatalogAdminContext) {
    return retire(ctx, 'programs', input.programId, input.ifMatch);
  }
}
