// Webhooks in GraphQL: the same functions as REST.
import { Arg, Args, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import type { Caller } from '../base/callers/caller.js';
import { parseInput } from '../base/input.js';
import { requirePartner } from '../base/callers/rights.js';
import { connectionOf } from '../graphql/shapes/relay.js';
import type { WebhookDeliveries } from './deliveries.js';
import { deliveriesArgs, redeliverBody, webhookBody, webhookParams } from './request.js';
import {
  DeleteWebhookPayload,
  RedeliverWebhookInput,
  RedeliverWebhookPayload,
  RegisterWebhookInput,
  TestWebhookPayload,
  Webhook,
  WebhookDeliveriesArgs,
  WebhookDelivery,
  WebhookInput,
  WebhookSecretPayload,
} from './types.js';
import type { Webhooks, WebhookWithSecret } from './webhooks.js';

interface WebhooksContext {
  caller: Caller;
  services: { webhooks: Webhooks; webhookDeliveries: WebhookDeliveries };
}

const DeliveryPage = connectionOf('WebhookDelivery', 'deliveries', () => WebhookDelivery);

/** Input without the members that are null. */
const withoutNulls = (input: object): object =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null));
const idOf = (webhookId: string): string => parseInput(webhookParams, { id: webhookId }).id;
const withSecret = ({ secret, ...webhook }: WebhookWithSecret) => ({ webhook, secret });

@Resolver()
class WebhooksResolver {
  @Query(() => [Webhook], { description: "The partner's own webhooks, oldest first; at most 20." })
  webhooks(@Ctx() { services, caller }: WebhooksContext) {
    return services.webhooks.list(requirePartner(caller, 'webhooks'));
  }

  @Query(() => Webhook, { description: "One of the partner's own webhooks." })
  webhook(
    @Arg('webhookId', () => ID, { description: 'Its id.' }) webhookId: string,
    @Ctx() { services, caller }: WebhooksContext,
  ) {
    return services.webhooks.get(requirePartner(caller, 'webhooks'), idOf(webhookId));
  }

  @Query(() => DeliveryPage.Connection, { description: 'Deliveries of a webhook with their attempts, newest first.' })
  webhookDeliveries(
    @Args(() => WebhookDeliveriesArgs) args: WebhookDeliveriesArgs,
    @Ctx() { services, caller }: WebhooksContext,
  ) {
    const partner = requirePartner(caller, 'webhooks');
    const { first: limit, ...page } = parseInput(deliveriesArgs, withoutNulls(args));
    return services.webhookDeliveries.page(partner, { ...page, limit });
  }

  @Mutation(() => WebhookSecretPayload, {
    description: 'Registers an endpoint, which receives events from now on. Partners.',
  })
  async registerWebhook(
    @Arg('input', () => RegisterWebhookInput, { description: 'Where, and which events.' }) input: RegisterWebhookInput,
    @Ctx() { services, caller }: WebhooksContext,
  ) {
    const partner = requirePartner(caller, 'webhooks');
    return withSecret(await services.webhooks.register(partner, parseInput(webhookBody, withoutNulls(input))));
  }

  @Mutation(() => DeleteWebhookPayload, { description: 'Deletes a webhook and its deliveries. Partners.' })
  async deleteWebhook(
    @Arg('input', () => WebhookInput, { description: 'Which one.' }) { webhookId }: WebhookInput,
    @Ctx() { services, caller }: WebhooksContext,
  ) {
    await services.webhooks.delete(requirePartner(caller, 'webhooks'), idOf(webhookId));
    return { webhookId };
  }

  @Mutation(() => WebhookSecretPayload, {
    description: 'Creates a new secret for a webhook. For 24 hours, the previous one also signs. Partners.',
  })
  async rotateWebhookSecret(
    @Arg('input', () => WebhookInput, { description: 'Which one.' }) { webhookId }: WebhookInput,
    @Ctx() { services, caller }: WebhooksContext,
  ) {
    return withSecret(await services.webhooks.rotate(requirePartner(caller, 'webhooks'), idOf(webhookId)));
  }

  @Mutation(() => TestWebhookPayload, { description: 'Sends a test ping now, without retries. Partners.' })
  async testWebhook(
    @Arg('input', () => WebhookInput, { description: 'Which one.' }) { webhookId }: WebhookInput,
    @Ctx() { services, caller }: WebhooksContext,
  ) {
    return { delivery: await services.webhookDeliveries.ping(requirePartner(caller, 'webhooks'), idOf(webhookId)) };
  }

  @Mutation(() => RedeliverWebhookPayload, {
    description: 'Sends one delivery again, or all deliveries of an event. They may arrive out of order. Partners.',
  })
  async redeliverWebhook(
    @Arg('input', () => RedeliverWebhookInput, { description: 'Which ones.' }) input: RedeliverWebhookInput,
    @Ctx() { services, caller }: WebhooksContext,
  ) {
    const partner = requirePartner(caller, 'webhooks');
    return {
      deliveries: await services.webhookDeliveries.redeliver(partner, parseInput(redeliverBody, withoutNulls(input))),
    };
  }
}

export const webhookResolvers = [WebhooksResolver, DeliveryPage.ConnectionResolver] as const;
