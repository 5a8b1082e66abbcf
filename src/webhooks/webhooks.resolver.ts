// Webhooks in GraphQL: the same functions as REST.
import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { Caller } from '../base/callers/caller.js';
import { requirePartner } from '../base/callers/rights.js';
import { argsType, inputType, objectType } from '../graphql/shapes/from-zod.js';
import { parseArgs } from '../graphql/shapes/parse-args.js';
import { connectionOf } from '../graphql/shapes/relay.js';
import type { WebhookDeliveries } from './deliveries.js';
import { deliveriesArgs, redeliverWebhookInput, registerWebhookInput, webhookInput } from './request.js';
import {
  deleteWebhookPayload,
  redeliverWebhookPayload,
  testWebhookPayload,
  type WebhookWithSecret,
  webhook,
  webhookDelivery,
  webhookSecretPayload,
} from './types.js';
import type { Webhooks } from './webhooks.js';

interface WebhooksContext {
  caller: Caller;
  services: { webhooks: Webhooks; webhookDeliveries: WebhookDeliveries };
}

const Webhook = objectType(webhook);
const WebhookSecretPayload = objectType(webhookSecretPayload);
const WebhookArgs = argsType(webhookInput);
const DeliveriesArgs = argsType(deliveriesArgs);
const RegisterWebhookInput = inputType(registerWebhookInput);
const WebhookInput = inputType(webhookInput);
const DeleteWebhookPayload = objectType(deleteWebhookPayload);
const TestWebhookPayload = objectType(testWebhookPayload);
const RedeliverWebhookPayload = objectType(redeliverWebhookPayload);
const RedeliverWebhookInput = inputType(redeliverWebhookInput);
const WebhookDelivery = objectType(webhookDelivery);
const DeliveryPage = connectionOf('WebhookDelivery', 'deliveries', () => WebhookDelivery);

const idOf = (args: unknown): string => parseArgs(webhookInput, args).webhookId;
const withSecret = ({ secret, ...webhook }: WebhookWithSecret) => ({ webhook, secret });

@Resolver()
class WebhooksResolver {
  @Query(() => [Webhook], { description: "The partner's own webhooks, oldest first; at most 20." })
  webhooks(@Ctx() { services, caller }: WebhooksContext) {
    return services.webhooks.list(requirePartner(caller, 'webhooks'));
  }

  @Query(() => Webhook, { description: "One of the partner's own webhooks." })
  webhook(@Args(() => WebhookArgs) args: object, @Ctx() { services, caller }: WebhooksContext) {
    return services.webhooks.get(requirePartner(caller, 'webhooks'), idOf(args));
  }

  @Query(() => DeliveryPage.Connection, { description: 'Deliveries of a webhook with their attempts, newest first.' })
  webhookDeliveries(@Args(() => DeliveriesArgs) args: object, @Ctx() { services, caller }: WebhooksContext) {
    const partner = requirePartner(caller, 'webhooks');
    const { first: limit, ...page } = parseArgs(deliveriesArgs, args);
    return services.webhookDeliveries.page(partner, { ...page, limit });
  }

  @Mutation(() => WebhookSecretPayload, {
    description: 'Registers an endpoint, which receives events from now on. Partners.',
  })
  async registerWebhook(
    @Arg('input', () => RegisterWebhookInput, { description: 'Where, and which events.' }) input: object,
    @Ctx() { services, caller }: WebhooksContext,
  ) {
    const partner = requirePartner(caller, 'webhooks');
    return withSecret(await services.webhooks.register(partner, parseArgs(registerWebhookInput, input)));
  }

  @Mutation(() => DeleteWebhookPayload, { description: 'Deletes a webhook and its deliveries. Partners.' })
  async deleteWebhook(
    @Arg('input', () => WebhookInput, { description: 'Which one.' }) input: object,
    @Ctx() { services, caller }: WebhooksContext,
  ) {
    const partner = requirePartner(caller, 'webhooks');
    const webhookId = idOf(input);
    await services.webhooks.delete(partner, webhookId);
    return { webhookId };
  }

  @Mutation(() => WebhookSecretPayload, {
    description: 'Creates a new secret for a webhook. For 24 hours, the previous one also signs. Partners.',
  })
  async rotateWebhookSecret(
    @Arg('input', () => WebhookInput, { description: 'Which one.' }) input: object,
    @Ctx() { services, caller }: WebhooksContext,
  ) {
    return withSecret(await services.webhooks.rotate(requirePartner(caller, 'webhooks'), idOf(input)));
  }

  @Mutation(() => TestWebhookPayload, { description: 'Sends a test ping now, without retries. Partners.' })
  async testWebhook(
    @Arg('input', () => WebhookInput, { description: 'Which one.' }) input: object,
    @Ctx() { services, caller }: WebhooksContext,
  ) {
    return { delivery: await services.webhookDeliveries.ping(requirePartner(caller, 'webhooks'), idOf(input)) };
  }

  @Mutation(() => RedeliverWebhookPayload, {
    description: 'Sends one delivery again, or all deliveries of an event. They may arrive out of order. Partners.',
  })
  async redeliverWebhook(
    @Arg('input', () => RedeliverWebhookInput, { description: 'Which ones.' }) input: object,
    @Ctx() { services, caller }: WebhooksContext,
  ) {
    const partner = requirePartner(caller, 'webhooks');
    const which = parseArgs(redeliverWebhookInput, input);
    return { deliveries: await services.webhookDeliveries.redeliver(partner, which) };
  }
}

export const webhookResolvers = [WebhooksResolver, DeliveryPage.ConnectionResolver] as const;
