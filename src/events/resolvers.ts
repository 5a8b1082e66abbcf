// Every resolver class of events, for the schema build.
import {
  BatchEventResolver,
  CatalogChangeResolver,
  CredentialStatusChangedResolver,
  IssuanceEventResolver,
  TractionChangedResolver,
} from './relations.resolver.js';
import { EventsResolver } from './subscriptions.resolver.js';

export const eventResolvers = [
  EventsResolver,
  IssuanceEventResolver,
  CredentialStatusChangedResolver,
  BatchEventResolver,
  CatalogChangeResolver,
  TractionChangedResolver,
] as const;
