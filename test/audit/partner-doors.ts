// Doors through which partners write that belong together: webhooks, and revocations by filter.
import { PresentingWallet } from '../openid4vp/wallet.js';
import type { Acted, Door } from './doors.js';

/** The origin of the partner's pages. */
export const ORIGIN = 'https://app.example';

/** Requests of the partner. */
interface Partner {
  asPartner(method: string, path: string, body?: unknown, scope?: string): Promise<Acted>;
  byPartner(field: string, input: object, scope?: string): Promise<Acted>;
}

/** Registered again and again. */
const endpoint = { url: 'http://127.0.0.1:9/secret-path', types: ['stored'], allowDuplicate: true };

/** Requests of an operator. */
interface Operator {
  asOperator(method: string, path: string, body?: unknown): Promise<Acted>;
  byOperator(field: string, input: object): Promise<Acted>;
}

/** What is done to a webhook, by its partner and by operators, each at both doors. */
export function webhookDoors({ asPartner, byPartner, asOperator, byOperator }: Partner & Operator): Door[] {
  const aWebhook = async (): Promise<string> =>
    JSON.parse((await asPartner('POST', '/v1/webhooks', endpoint)).body).webhookId;
  const aDelivery = async (): Promise<string> =>
    JSON.parse((await asPartner('POST', `/v1/webhooks/${await aWebhook()}/test`)).body).deliveryId;
  const rest = async (method: string, after = '') => asPartner(method, `/v1/webhooks/${await aWebhook()}${after}`);
  const gql = async (field: string) => byPartner(field, { webhookId: await aWebhook() });
  const paused = async (): Promise<string> => {
    const webhookId = await aWebhook();
    await asOperator('POST', `/v1/admin/webhooks/${webhookId}/pause`);
    return webhookId;
  };
  const ofOperators = async (id: Promise<string>, verb: string) =>
    asOperator('POST', `/v1/admin/webhooks/${await id}/${verb}`);
  const again = async () => asPartner('POST', `/v1/webhooks/deliveries/${await aDelivery()}/redeliver`);
  return [
    ['POST /v1/webhooks', 'webhook.register', () => asPartner('POST', '/v1/webhooks', endpoint)],
    ['registerWebhook', 'webhook.register', () => byPartner('registerWebhook', endpoint)],
    ['DELETE /v1/webhooks/:id', 'webhook.delete', () => rest('DELETE')],
    ['deleteWebhook', 'webhook.delete', () => gql('deleteWebhook')],
    ['POST /v1/webhooks/:id/rotate', 'webhook.rotate', () => rest('POST', '/rotate')],
    ['rotateWebhookSecret', 'webhook.rotate', () => gql('rotateWebhookSecret')],
    ['POST /v1/webhooks/:id/test', 'webhook.test', () => rest('POST', '/test')],
    ['testWebhook', 'webhook.test', () => gql('testWebhook')],
    ['POST /v1/webhooks/deliveries/:id/redeliver', 'webhook.redeliver', again],
    [
      'redeliverWebhook',
      'webhook.redeliver',
      async () => byPartner('redeliverWebhook', { deliveryId: await aDelivery() }),
    ],
    ['POST /v1/admin/webhooks/:id/pause', 'webhook.pause', () => ofOperators(aWebhook(), 'pause')],
    ['pauseWebhook', 'webhook.pause', async () => byOperator('pauseWebhook', { webhookId: await aWebhook() })],
    ['POST /v1/admin/webhooks/:id/resume', 'webhook.resume', () => ofOperators(paused(), 'resume')],
    ['resumeWebhook', 'webhook.resume', async () => byOperator('resumeWebhook', { webhookId: await paused() })],
  ];
}

/** Offers to wallets, each at both doors. @param offer a new body each time */
export function offerDoors({ asPartner, byPartner }: Partner, offer: () => object): Door[] {
  const anOffer = async (): Promise<string> =>
    JSON.parse((await asPartner('POST', '/v1/offers', offer())).body).offerId;
  return [
    ['POST /v1/offers', 'offer.create', () => asPartner('POST', '/v1/offers', offer())],
    ['createOffer', 'offer.create', () => byPartner('createOffer', offer())],
    ['DELETE /v1/offers/:id', 'offer.withdraw', async () => asPartner('DELETE', `/v1/offers/${await anOffer()}`)],
    ['withdrawOffer', 'offer.withdraw', async () => byPartner('withdrawOffer', { offerId: await anOffer() })],
  ];
}

/** The answer of a wallet that a page of the partner got, at both doors. */
export function walletDoors({ asPartner, byPartner }: Partner): Door[] {
  const wallet = new PresentingWallet([]);
  const answer = async () => {
    const body = { programId: 'levels', wallet: { flow: 'dc_api' } };
    const started = JSON.parse((await asPartner('POST', '/v1/verifications', body, 'verify')).body);
    const { request } = await wallet.read(started.wallet.request.request);
    const response = await wallet.encrypt({ error: 'access_denied' }, request);
    return { verificationId: started.verificationId, response, origin: ORIGIN };
  };
  return [
    [
      'POST /v1/verifications/:id/wallet-answer',
      'verification.wallet-answer',
      async () => {
        const { verificationId, ...body } = await answer();
        return asPartner('POST', `/v1/verifications/${verificationId}/wallet-answer`, body, 'verify');
      },
    ],
    [
      'answerFromWallet',
      'verification.wallet-answer',
      async () => byPartner('answerFromWallet', await answer(), 'verify'),
    ],
  ];
}

/** The start of a revocation by filter, at both doors. */
export function revocationDoors({ asPartner, byPartner }: Partner, issue: () => Promise<void>): Door[] {
  const token = async (): Promise<string> => {
    await issue();
    const { body } = await asPartner('POST', '/v1/revocations/previews', { credentialId: 'member' });
    return JSON.parse(body).token;
  };
  return [
    [
      'POST /v1/revocations',
      'revocation.start',
      async () => asPartner('POST', '/v1/revocations', { token: await token() }),
    ],
    ['confirmRevocation', 'revocation.start', async () => byPartner('confirmRevocation', { token: await token() })],
  ];
}
