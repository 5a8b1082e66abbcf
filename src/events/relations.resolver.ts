// Relations from events to other objects, through loaders that are new for every event.
import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import type { Caller } from '../base/callers/caller.js';
import { requireOwner } from '../base/callers/rights.js';
import { Credential, Issuer, Schema } from '../catalog/records/types.js';
import type { CatalogLoaders } from '../catalog/reading/loaders.js';
import { objectType } from '../graphql/shapes/from-zod.js';
import { Node } from '../graphql/shapes/relay.js';
import type { Batches } from '../issuance/batches/batches.service.js';
import { batch } from '../issuance/batches/types.js';
import { credentialStatus, issuance } from '../issuance/types.js';
import type { EventLoaders } from './loaders.js';
import {
  BatchEvent,
  CatalogChange,
  CredentialStatusChangedEvent,
  IssuanceEvent,
  TractionChangedEvent,
} from './records.js';

const Batch = objectType(batch);
const CredentialStatus = objectType(credentialStatus);
const Issuance = objectType(issuance);

interface RelationContext {
  caller: Caller;
  services: { batches: Batches };
  loaders: { catalog: CatalogLoaders; events: EventLoaders };
}

@Resolver(() => IssuanceEvent)
export class IssuanceEventResolver {
  @FieldResolver(() => Credential, { nullable: true, description: 'The credential, while it is in the catalog.' })
  credential(@Root() { credentialId }: IssuanceEvent, @Ctx() { loaders }: RelationContext) {
    return credentialId ? loaders.catalog.credentials.load(credentialId) : null;
  }

  @FieldResolver(() => Issuer, { nullable: true, description: 'The issuer, while it is in the catalog.' })
  issuer(@Root() { issuerId }: IssuanceEvent, @Ctx() { loaders }: RelationContext) {
    return issuerId ? loaders.catalog.issuers.load(issuerId) : null;
  }

  @FieldResolver(() => Schema, { nullable: true, description: 'The schema, while it is in the catalog.' })
  schema(@Root() { schemaId }: IssuanceEvent, @Ctx() { loaders }: RelationContext) {
    return loaders.catalog.schemas.load(schemaId);
  }

  @FieldResolver(() => Issuance, { nullable: true, description: 'The current issuance.' })
  issuance(@Root() { coreClaimHash }: IssuanceEvent, @Ctx() { loaders }: RelationContext) {
    return coreClaimHash ? loaders.events.issuances.load(coreClaimHash) : null;
  }
}

@Resolver(() => CredentialStatusChangedEvent)
export class CredentialStatusChangedResolver {
  @FieldResolver(() => CredentialStatus, { nullable: true, description: 'The current status.' })
  status(@Root() { coreClaimHash }: CredentialStatusChangedEvent, @Ctx() { loaders }: RelationContext) {
    return loaders.events.statuses.load(coreClaimHash);
  }
}

@Resolver(() => BatchEvent)
export class BatchEventResolver {
  @FieldResolver(() => Batch, {
    nullable: true,
    description: 'The current batch; only for tokens with the scope issue.',
  })
  batch(@Root() { jobId }: BatchEvent, @Ctx() { services, caller }: RelationContext) {
    return services.batches.find(requireOwner(caller, 'batch'), jobId);
  }
}

@Resolver(() => CatalogChange)
export class CatalogChangeResolver {
  @FieldResolver(() => Node, { nullable: true, description: 'The current entry; null after it is retired.' })
  node(@Root() { kind, entryId }: CatalogChange, @Ctx() { loaders }: RelationContext) {
    return loaders.catalog[kind as 'credentials'].load(entryId);
  }
}

@Resolver(() => TractionChangedEvent)
export class TractionChangedResolver {
  @FieldResolver(() => Credential, { nullable: true, description: 'The credential with its current counts.' })
  credential(@Root() { credentialId }: TractionChangedEvent, @Ctx() { loaders }: RelationContext) {
    return loaders.catalog.credentials.load(credentialId);
  }
}
