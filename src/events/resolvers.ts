// Every resolver class of events, for the schema build.
import {
  BatchEventResolver,
  CatalogChangeResolver,
  CredentialStatusChangedResolver,
  IssuanceEventResolver,
  TractionChangedResolver,
} from './relations.resolver.js';
import { EventsResolver } from './subscriptions.resolver.js';

/** Resolver classes that read the store only through loaders. */
export const eventRelations = [
  IssuanceEventResolver,
  CredentialStatusChangedResolver,
  CatalogChangeResolver,
  TractionChangedResolver,
] as const;

export const eventResolvers = [EventsResolver, BatchEventResolver, ...eventRelations] as const;
