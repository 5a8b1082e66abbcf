// GraphQL types of webhooks.
import { ArgsType, Field, ID, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { DateTimeScalar } from '../graphql/shapes/scalars.js';

export enum WebhookState {
  ENABLED = 'enabled',
  DISABLED = 'disabled',
}
registerEnumType(WebhookState, {
  name: 'WebhookState',
  description: 'Whether an endpoint is called.',
  valuesConfig: {
    ENABLED: { description: 'It is called.' },
    DISABLED: {
      description: 'It responded with 410, or failed for three days. A successful test ping enables it again.',
    },
  },
});

export enum WebhookStatus {
  UNTESTED = 'untested',
  HEALTHY = 'healthy',
  FAILING = 'failing',
  DISABLED = 'disabled',
}
registerEnumType(WebhookStatus, {
  name: 'WebhookStatus',
  description: 'The health of an endpoint.',
  valuesConfig: {
    UNTESTED: { description: 'Nothing has been sent to it yet.' },
    HEALTHY: { description: 'The last attempt succeeded.' },
    FAILING: { description: 'The last attempt failed.' },
    DISABLED: { description: 'It is not called: see `disabledReason`.' },
  },
});

export enum WebhookDisabledReason {
  GONE = 'gone',
  FAILING = 'failing',
}
registerEnumType(WebhookDisabledReason, {
  name: 'WebhookDisabledReason',
  description: 'Why an endpoint is disabled.',
  valuesConfig: {
    GONE: { description: 'It responded with 410.' },
    FAILING: { description: 'Every attempt of three days failed.' },
  },
});

export enum WebhookDeliveryState {
  PENDING = 'pending',
  DELIVERED = 'delivered',
  DEAD = 'dead',
}
registerEnumType(WebhookDeliveryState, {
  name: 'WebhookDeliveryState',
  description: 'The state of a delivery.',
  valuesConfig: {
    PENDING: { description: 'It waits for its first or next attempt.' },
    DELIVERED: { description: 'The receiver responded with 2xx.' },
    DEAD: { description: 'It is not tried again.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'The health of an endpoint.' })
export class WebhookHealth {
  @Field(() => WebhookStatus, { description: 'The health in one word.' })
  status: WebhookStatus;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it last responded with 2xx.' })
  lastSuccessAt: Date | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When an attempt last failed.' })
  lastFailureAt: Date | null;

  @Field(() => Int, { description: 'Failed attempts since the last success.' })
  consecutiveFailures: number;

  @Field(() => Int, { description: 'Pending deliveries, counted up to 1,000.' })
  pending: number;

  @Field(() => Int, { description: 'Dead deliveries, counted up to 1,000.' })
  dead: number;

  @Field(() => DateTimeScalar, { nullable: true, description: 'The first of the failures in a row.' })
  failingSince: Date | null;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'Nothing is sent before, unless a test ping succeeds; null: it is not paused.',
  })
  pausedUntil: Date | null;

  @Field(() => WebhookDisabledReason, { nullable: true, description: 'Why it is disabled; null: it is not.' })
  disabledReason: WebhookDisabledReason | null;
}

@ObjectType({ simpleResolvers: true, description: "An endpoint that receives a partner's events." })
export class Webhook {
  @Field(() => ID, { description: 'Its id.' })
  webhookId: string;

  @Field(() => String, { description: 'Where deliveries go.' })
  url: string;

  @Field(() => [String], { description: 'Which types of events are delivered.' })
  types: readonly string[];

  @Field(() => String, { nullable: true, description: "The partner's own note." })
  description: string | null;

  @Field(() => WebhookState, { description: 'Whether it is called.' })
  state: WebhookState;

  @Field(() => DateTimeScalar, { description: 'When it was registered.' })
  createdAt: Date;

  @Field(() => DateTimeScalar, {
    nullable: true,
    description: 'Until when the secret from before the last rotation also signs; null: only one secret signs.',
  })
  previousSecretUntil: Date | null;

  @Field(() => WebhookHealth, { description: 'Its health.' })
  health: WebhookHealth;
}

@ObjectType({ simpleResolvers: true, description: 'An attempt of a delivery.' })
export class WebhookAttempt {
  @Field(() => DateTimeScalar, { description: 'When it began.' })
  at: Date;

  @Field(() => Int, { description: 'How long it took, in milliseconds.' })
  durationMs: number;

  @Field(() => Int, { nullable: true, description: 'HTTP status of the response; null: there was none.' })
  status: number | null;

  @Field(() => String, { nullable: true, description: 'The beginning of the response.' })
  answer: string | null;

  @Field(() => String, { nullable: true, description: 'Why there was no response.' })
  error: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'The delivery of an event to an endpoint.' })
export class WebhookDelivery {
  @Field(() => ID, { description: 'Its id, which is sent as webhook-id.' })
  deliveryId: string;

  @Field(() => ID, { description: 'The webhook.' })
  webhookId: string;

  @Field(() => ID, { nullable: true, description: 'The event; null: a test ping.' })
  eventId: string | null;

  @Field(() => String, { description: 'Type of the event, or ping.' })
  type: string;

  @Field(() => WebhookDeliveryState, { description: 'Its state.' })
  state: WebhookDeliveryState;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When the next attempt is due; null: there is none.' })
  nextAttemptAt: Date | null;

  @Field(() => [WebhookAttempt], { description: 'Its attempts, oldest first.' })
  attempts: WebhookAttempt[];

  @Field(() => String, { nullable: true, description: 'Why it is dead.' })
  reason: string | null;

  @Field(() => String, { description: 'The signed body.' })
  payload: string;

  @Field(() => DateTimeScalar, { description: 'When it was added.' })
  createdAt: Date;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it was delivered or became dead.' })
  settledAt: Date | null;
}

@InputType({ description: 'An endpoint to register.' })
export class RegisterWebhookInput {
  @Field(() => String, { description: 'An https address, at most 2,000 characters.' })
  url: string;

  @Field(() => [String], { description: 'Event types, as in GET /v1/events.' })
  types: string[];

  @Field(() => String, { nullable: true, description: 'A note of at most 500 characters.' })
  description?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Whether another webhook may send some of the types to this address already; default false.',
  })
  allowDuplicate?: boolean | null;
}

@InputType({ description: 'Which webhook.' })
export class WebhookInput {
  @Field(() => ID, { description: 'Its id.' })
  webhookId: string;
}

@InputType({ description: 'What to send again: either field.' })
export class RedeliverWebhookInput {
  @Field(() => ID, { nullable: true, description: 'One delivery.' })
  deliveryId?: string | null;

  @Field(() => ID, { nullable: true, description: 'All deliveries of an event.' })
  eventId?: string | null;
}

@ArgsType()
export class WebhookDeliveriesArgs {
  @Field(() => ID, { description: 'Id of the webhook.' })
  webhookId: string;

  @Field(() => WebhookDeliveryState, {
    nullable: true,
    description: 'Only in this state; DEAD lists the dead letters.',
  })
  state?: WebhookDeliveryState | null;

  @Field(() => Int, { nullable: true, description: 'How many: 1 to 100, default 25.' })
  first?: number | null;

  @Field(() => String, { nullable: true, description: 'Only entries after this cursor.' })
  after?: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'A webhook and its new secret.' })
export class WebhookSecretPayload {
  @Field(() => Webhook, { description: 'The webhook.' })
  webhook: Webhook;

  @Field(() => String, { description: 'The signing secret. It is shown only in this response.' })
  secret: string;
}

@ObjectType({ simpleResolvers: true, description: 'Response of deleteWebhook.' })
export class DeleteWebhookPayload {
  @Field(() => ID, { description: 'The deleted webhook.' })
  webhookId: string;
}

@ObjectType({ simpleResolvers: true, description: 'Response of testWebhook.' })
export class TestWebhookPayload {
  @Field(() => WebhookDelivery, { description: 'The ping.' })
  delivery: WebhookDelivery;
}

@ObjectType({ simpleResolvers: true, description: 'Response of redeliverWebhook.' })
export class RedeliverWebhookPayload {
  @Field(() => [WebhookDelivery], { description: 'The deliveries, which are now pending.' })
  deliveries: WebhookDelivery[];
}
