// `origin` of catalog entries: which network an entry was mirrored from (docs/mirror.md).
import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { objectType } from '../../graphql/shapes/from-zod.js';
import { entryOrigin } from './origin-record.js';
import type { OriginLoader } from './origins.js';
import type { CatalogKind } from '../rows/rows.js';
import { Credential, Issuer, Program, Schema, Verifier } from '../records/types.js';

const Origin = objectType(entryOrigin);

interface OriginContext {
  loaders: { origins: OriginLoader };
}

type ResolverClass = new () => object;

/** The field on one type. Its value can change while the entry does not, so it is not among the cached relations. */
function originOf<T extends object>(
  type: () => new () => T,
  kind: CatalogKind,
  idOf: (entry: T) => string,
): ResolverClass {
  @Resolver(type)
  class OriginResolver {
    @FieldResolver(() => Origin, {
      nullable: true,
      description: 'The network that it was mirrored from; null if it was created here.',
    })
    origin(@Root() entry: T, @Ctx() { loaders }: OriginContext) {
      return loaders.origins.load(kind, idOf(entry));
    }
  }
  return OriginResolver;
}

export const originResolvers = [
  originOf(
    () => Credential,
    'credentials',
    ({ credentialId }) => credentialId,
  ),
  originOf(
    () => Program,
    'programs',
    ({ programId }) => programId,
  ),
  originOf(
    () => Issuer,
    'issuers',
    ({ issuerId }) => issuerId,
  ),
  originOf(
    () => Verifier,
    'verifiers',
    ({ verifierId }) => verifierId,
  ),
  originOf(
    () => Schema,
    'schemas',
    ({ schemaId }) => schemaId,
  ),
] as const;
