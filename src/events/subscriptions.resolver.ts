// The subscription fields: `subscribe` returns the topic, the field returns the root value that the topic makes of events.
import { Arg, ID, Resolver, Root, Subscription } from 'type-graphql';
import type { Caller } from '../base/caller.js';
import type { EventTopics, IssuanceWhere } from './topics.service.js';
import {
  BatchEvent,
  CatalogChangedEvent,
  CredentialStatusChangedEvent,
  IssuanceEvent,
  IssuanceEventWhere,
  SdkEvent,
  TractionChangedEvent,
} from './types.js';

export interface EventsContext {
  caller: Caller;
  services: { eventTopics: EventTopics };
}

/** What type-graphql gives to `subscribe`; the arguments were checked against the schema. */
interface SubscribeInput<A> {
  args: A;
  context: EventsContext;
}

const AFTER = 'Everything behind the event of this id first, then on; without it from now on.';

@Resolver()
export class EventsResolver {
  @Subscription(() => SdkEvent, {
    description: "The holder's own session events. Needs a session token.",
    subscribe: ({ args, context }: SubscribeInput<{ after?: string }>) =>
      context.services.eventTopics.sdkEvents(context.caller, args.after),
  })
  sdkEvents(
    @Root() event: typeof SdkEvent,
    @Arg('after', () => ID, { nullable: true, description: AFTER }) _after?: string,
  ) {
    return event;
  }

  @Subscription(() => IssuanceEvent, {
    description: 'What happens to issuances: a partner’s own, a holder’s own, all for the operator.',
    subscribe: ({ args, context }: SubscribeInput<{ after?: string; where?: IssuanceWhere }>) =>
      context.services.eventTopics.issuanceEvents(context.caller, args.where ?? {}, args.after),
  })
  issuanceEvents(
    @Root() event: IssuanceEvent,
    @Arg('after', () => ID, { nullable: true, description: AFTER }) _after?: string,
    @Arg('where', () => IssuanceEventWhere, { nullable: true, description: 'Which ones; all when not given.' })
    _where?: IssuanceEventWhere,
  ) {
    return event;
  }

  @Subscription(() => CredentialStatusChangedEvent, {
    description: 'What changes the public status of an issuance; for anyone.',
    subscribe: ({ args, context }: SubscribeInput<{ coreClaimHash: string; after?: string }>) =>
      context.services.eventTopics.credentialStatusChanged(args.coreClaimHash, args.after),
  })
  credentialStatusChanged(
    @Root() event: CredentialStatusChangedEvent,
    @Arg('coreClaimHash', () => String, { description: 'Hash of the claim.' }) _coreClaimHash: string,
    @Arg('after', () => ID, { nullable: true, description: AFTER }) _after?: string,
  ) {
    return event;
  }

  @Subscription(() => BatchEvent, {
    description:
      'How far a batch is, first as it was last told. Completes when the batch has finished; after a retry it can be asked for again. A partner’s own, with the scope issue; any for the operator.',
    subscribe: ({ args, context }: SubscribeInput<{ jobId: string }>) =>
      context.services.eventTopics.batchProgress(context.caller, args.jobId),
  })
  batchProgress(
    @Root() event: BatchEvent,
    @Arg('jobId', () => String, { description: 'Which batch.' }) _jobId: string,
  ) {
    return event;
  }

  @Subscription(() => CatalogChangedEvent, {
    description: 'Entries of the catalog that are added, changed or retired; for anyone.',
    subscribe: ({ args, context }: SubscribeInput<{ after?: string; types?: string[]; kinds?: string[] }>) =>
      context.services.eventTopics.catalogChanged(args, args.after),
  })
  catalogChanged(
    @Root() event: CatalogChangedEvent,
    @Arg('after', () => ID, { nullable: true, description: AFTER }) _after?: string,
    @Arg('types', () => [String], {
      nullable: true,
      description: 'Only these: catalog_entry_added, catalog_entry_changed, catalog_entry_retired.',
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
    description: 'New counts of a credential; for anyone. A client that does not keep up gets the newest only.',
    subscribe: ({ args, context }: SubscribeInput<{ credentialId: string }>) =>
      context.services.eventTopics.tractionChanged(args.credentialId),
  })
  tractionChanged(
    @Root() event: TractionChangedEvent,
    @Arg('credentialId', () => String, { description: 'Which credential.' }) _credentialId: string,
  ) {
    return event;
  }
}
