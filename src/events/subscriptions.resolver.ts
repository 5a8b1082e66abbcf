// The subscription fields: `subscribe` returns the topic, and the field returns the topic's root value for the events.
import { Arg, ID, Resolver, Root, Subscription } from 'type-graphql';
import type { Caller } from '../base/callers/caller.js';
import { inputType } from '../graphql/shapes/from-zod.js';
import {
  BatchEvent,
  CakAuthorizedEvent,
  CatalogChangedEvent,
  CredentialStatusChangedEvent,
  IssuanceEvent,
  type IssuanceEventWhere,
  issuanceEventWhere,
  RevocationEvent,
  SdkEvent,
  TractionChangedEvent,
  VerificationEvent,
  type VerificationEventWhere,
  verificationEventWhere,
  OfferEvent,
  WebhookDisabledEvent,
} from './records.js';
import type { EventTopics } from './topics.service.js';

const IssuanceWhere = inputType(issuanceEventWhere);
const VerificationWhere = inputType(verificationEventWhere);

export interface EventsContext {
  caller: Caller;
  services: { eventTopics: EventTopics };
}

/** The input of `subscribe`; its arguments were checked against the schema. */
interface SubscribeInput<A> {
  args: A;
  context: EventsContext;
}

const AFTER = 'Begins with all events after the one with this id. Without it, only new events are sent.';

@Resolver()
export class EventsResolver {
  @Subscription(() => SdkEvent, {
    description: "The holder's own session events. Needs a session token.",
    subscribe: ({ args, context }: SubscribeInput<{ after?: string }>) =>
      context.services.eventTopics.sdkEvents(context.caller, args.after),
  })
  sdkEvents(@Root() event: object, @Arg('after', () => ID, { nullable: true, description: AFTER }) _after?: string) {
    return event;
  }

  @Subscription(() => IssuanceEvent, {
    description: 'Events of issuances. Partners and holders get their own, the operator all.',
    subscribe: ({ args, context }: SubscribeInput<{ after?: string; where?: IssuanceEventWhere }>) =>
      context.services.eventTopics.issuanceEvents(context.caller, args.where ?? {}, args.after),
  })
  issuanceEvents(
    @Root() event: object,
    @Arg('after', () => ID, { nullable: true, description: AFTER }) _after?: string,
    @Arg('where', () => IssuanceWhere, { nullable: true, description: 'A filter; default: all.' })
    _where?: IssuanceEventWhere,
  ) {
    return event;
  }

  @Subscription(() => VerificationEvent, {
    description: 'Events of verifications. Partners get their own, the operator all.',
    subscribe: ({ args, context }: SubscribeInput<{ after?: string; where?: VerificationEventWhere }>) =>
      context.services.eventTopics.verificationEvents(context.caller, args.where ?? {}, args.after),
  })
  verificationEvents(
    @Root() event: object,
    @Arg('after', () => ID, { nullable: true, description: AFTER }) _after?: string,
    @Arg('where', () => VerificationWhere, { nullable: true, description: 'A filter; default: all.' })
    _where?: VerificationEventWhere,
  ) {
    return event;
  }

  @Subscription(() => CakAuthorizedEvent, {
    description: 'Consents to compliance access keys. Holders get their own, partners those for their issuers.',
    subscribe: ({ args, context }: SubscribeInput<{ after?: string }>) =>
      context.services.eventTopics.cakAuthorized(context.caller, args.after),
  })
  cakAuthorized(
    @Root() event: object,
    @Arg('after', () => ID, { nullable: true, description: AFTER }) _after?: string,
  ) {
    return event;
  }

  @Subscription(() => CredentialStatusChangedEvent, {
    description: 'Changes of the public status of an issuance. Needs no credentials.',
    subscribe: ({ args, context }: SubscribeInput<{ coreClaimHash: string; after?: string }>) =>
      context.services.eventTopics.credentialStatusChanged(args.coreClaimHash, args.after),
  })
  credentialStatusChanged(
    @Root() event: object,
    @Arg('coreClaimHash', () => String, { description: 'Hash of the claim.' }) _coreClaimHash: string,
    @Arg('after', () => ID, { nullable: true, description: AFTER }) _after?: string,
  ) {
    return event;
  }

  @Subscription(() => BatchEvent, {
    description:
      'The progress of a batch, beginning with the last event. Completes when the batch has finished; after a retry, subscribe again. Partners with the scope issue get their own batches, the operator any.',
    subscribe: ({ args, context }: SubscribeInput<{ jobId: string }>) =>
      context.services.eventTopics.batchProgress(context.caller, args.jobId),
  })
  batchProgress(
    @Root() event: BatchEvent,
    @Arg('jobId', () => String, { description: 'Id of the batch.' }) _jobId: string,
  ) {
    return event;
  }

  @Subscription(() => RevocationEvent, {
    description:
      'The progress of a revocation by filter, beginning with the last event. Completes when it is finished. Partners with the scope issue get their own, the operator any.',
    subscribe: ({ args, context }: SubscribeInput<{ jobId: string }>) =>
      context.services.eventTopics.revocationProgress(context.caller, args.jobId),
  })
  revocationProgress(
    @Root() event: RevocationEvent,
    @Arg('jobId', () => String, { description: 'Id of the revocation.' }) _jobId: string,
  ) {
    return event;
  }

  @Subscription(() => OfferEvent, {
    description: 'Offers to wallets. Partners and holders get their own, the operator all.',
    subscribe: ({ args, context }: SubscribeInput<{ after?: string }>) =>
      context.services.eventTopics.offerEvents(context.caller, args.after),
  })
  offerEvents(@Root() event: object, @Arg('after', () => ID, { nullable: true, description: AFTER }) _after?: string) {
    return event;
  }

  @Subscription(() => WebhookDisabledEvent, {
    description: 'Webhooks that the gateway disabled. Partners get their own, the operator all.',
    subscribe: ({ args, context }: SubscribeInput<{ after?: string }>) =>
      context.services.eventTopics.webhookDisabled(context.caller, args.after),
  })
  webhookDisabled(
    @Root() event: object,
    @Arg('after', () => ID, { nullable: true, description: AFTER }) _after?: string,
  ) {
    return event;
  }

  @Subscription(() => CatalogChangedEvent, {
    description: 'Entries of the catalog that were added, changed or retired. Needs no credentials.',
    subscribe: ({ args, context }: SubscribeInput<{ after?: string; types?: string[]; kinds?: string[] }>) =>
      context.services.eventTopics.catalogChanged(args, args.after),
  })
  catalogChanged(
    @Root() event: object,
    @Arg('after', () => ID, { nullable: true, description: AFTER }) _after?: string,
    @Arg('types', () => [String], {
      nullable: true,
      description: 'Only these types: catalog_entry_added, catalog_entry_changed, catalog_entry_retired.',
    })
    _types?: string[],
    @Arg('kinds', () => [String], {
      nullable: true,
      description: 'Only of these kinds: issuers, verifiers, schemas, credentials, programs.',
    })
    _kinds?: string[],
  ) {
    return event;
  }

  @Subscription(() => TractionChangedEvent, {
    description: 'New counts of a credential. Needs no credentials. A slow client gets only the newest counts.',
    subscribe: ({ args, context }: SubscribeInput<{ credentialId: string }>) =>
      context.services.eventTopics.tractionChanged(args.credentialId),
  })
  tractionChanged(
    @Root() event: object,
    @Arg('credentialId', () => String, { description: 'Id of the credential.' }) _credentialId: string,
  ) {
    return event;
  }
}
