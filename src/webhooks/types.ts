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
    DISABLED: { description: 'It answered 410; a successful test ping enables it.' },
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
  description: 'How an endpoint is.',
  valuesConfig: {
    UNTESTED: { description: 'Nothing was sent to it yet.' },
    HEALTHY: { description: 'The last attempt succeeded.' },
    FAILING: { description: 'The last attempt failed.' },
    DISABLED: { description: 'It answered 410.' },
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
    DELIVERED: { description: 'The receiver answered 2xx.' },
    DEAD: { description: 'It is not tried any more.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'How an endpoint is.' })
export class WebhookHealth {
  @Field(() => WebhookStatus, { description: 'In a word.' })
  status: WebhookStatus;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it last answered 2xx.' })
  lastSuccessAt: Date | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When an attempt last failed.' })
  lastFailureAt: Date | null;

  @Field(() => Int, { description: 'Failed attempts since the last success.' })
  consecutiveFailures: number;

  @Field(() => Int, { description: 'Deliveries that wait, counted up to 1,000.' })
  pending: number;

  @Field(() => Int, { description: 'Dead deliveries, counted up to 1,000.' })
  dead: number;
}

@ObjectType({ simpleResolvers: true, description: "An endpoint that a partner's events are delivered to." })
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
    description: 'Until when the secret before the last rotation signs too; null: only one secret signs.',
  })
  previousSecretUntil: Date | null;

  @Field(() => WebhookHealth, { description: 'How it is.' })
  health: WebhookHealth;
}

@ObjectType({ simpleResolvers: true, description: 'An attempt of a delivery.' })
export class WebhookAttempt {
  @Field(() => DateTimeScalar, { description: 'When it began.' })
  at: Date;

  @Field(() => Int, { description: 'How long it took, in milliseconds.' })
  durationMs: number;

  @Field(() => Int, { nullable: true, description: 'HTTP status of the answer; null: there was none.' })
  status: number | null;

  @Field(() => String, { nullable: true, description: 'The beginning of the answer.' })
  answer: string | null;

  @Field(() => String, { nullable: true, description: 'Why there was no answer.' })
  error: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'An event on its way to an endpoint.' })
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

  @Field(() => DateTimeScalar, { nullable: true, description: 'Not tried before; null: not tried again.' })
  nextAttemptAt: Date | null;

  @Field(() => [WebhookAttempt], { description: 'Its attempts, oldest first.' })
  attempts: WebhookAttempt[];

  @Field(() => String, { nullable: true, description: 'Why it is dead.' })
  reason: string | null;

  @Field(() => String, { description: 'The signed body.' })
  payload: string;

  @Field(() => DateTimeScalar, { description: 'When it was added.' })
  createdAt: Date;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it was delivered or died.' })
  settledAt: Date | null;
}

@InputType({ description: 'An endpoint to register.' })
export class RegisterWebhookInput {
  @Field(() => String, { description: 'An https address, at most 2,000 characters.' })
  url: string;

  @Field(() => [String], { description: 'Types of events, as GET /v1/events names them.' })
  types: string[];

  @Field(() => String, { nullable: true, description: 'A note of at most 500 characters.' })
  description?: string | null;
}

@InputType({ description: 'Which webhook.' })
export class WebhookInput {
  @Field(() => ID, { description: 'Its id.' })
  webhookId: string;
}

@InputType({ description: 'What to send again: one of the two.' })
export class RedeliverWebhookInput {
  @Field(() => ID, { nullable: true, description: 'One delivery.' })
  deliveryId?: string | null;

  @Field(() => ID, { nullable: true, description: 'All deliveries of an event.' })
  eventId?: string | null;
}

@ArgsType()
export class WebhookDeliveriesArgs {
  @Field(() => ID, { description: 'Whose deliveries.' })
  webhookId: string;

  @Field(() => WebhookDeliveryState, { nullable: true, description: 'Only these; DEAD are the dead letters.' })
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

  @Field(() => String, { description: 'The secret that signs, shown this once.' })
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
  @Field(() => [WebhookDelivery], { description: 'The deliveries, which now wait.' })
  deliveries: WebhookDelivery[];
}
