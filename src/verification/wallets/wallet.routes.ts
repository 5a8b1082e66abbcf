// The routes that wallets call for presentations (OpenID4VP 1.0, contract §36): they fetch the request, and post the response.
import { ProtocolError } from '../../http/protocols/protocol-error.js';
import type { ProtocolRoute } from '../../http/protocols/protocol-routes.js';
import type { RouteAnswer } from '../../http/routes/route.js';
import { REQUEST_MEDIA_TYPE } from '../../openid4vp/requests.service.js';
import type { WalletAnswers } from './answer.js';
import type { WalletRequests } from './requests.js';

export interface WalletRouteServices {
  walletRequests: WalletRequests;
  walletAnswers: WalletAnswers;
}

const REQUEST = '/oid4vp/requests/:id';
/** Of a signature, and of a decryption with three checks of signatures. */
const REQUEST_POINTS = 20;
const RESPONSE_POINTS = 60;
const MAX_NONCE = 500;

const object = (body: string): RouteAnswer => ({ body, contentType: REQUEST_MEDIA_TYPE });

/** All routes for wallets that present. */
export const walletPresentationRoutes = ({ walletRequests, walletAnswers }: WalletRouteServices): ProtocolRoute[] => [
  {
    ...{ method: 'GET', path: REQUEST, points: REQUEST_POINTS },
    handle: async ({ params }) => object(await walletRequests.fetch(params.id ?? '')),
  },
  {
    ...{ method: 'POST', path: REQUEST, points: REQUEST_POINTS },
    handle: async ({ params, body }) => object(await walletRequests.fetch(params.id ?? '', walletNonceOf(body))),
  },
  {
    ...{ method: 'POST', path: '/oid4vp/responses/:id', points: RESPONSE_POINTS },
    handle: async ({ params, body, address }) => ({ body: await walletAnswers.post(params.id ?? '', body, address) }),
  },
];

/** @throws ProtocolError invalid_request. */
function walletNonceOf({ wallet_nonce: nonce }: Readonly<Record<string, unknown>>): string | undefined {
  if (nonce === undefined || (typeof nonce === 'string' && nonce.length <= MAX_NONCE)) return nonce;
  throw new ProtocolError('invalid_request', `"wallet_nonce" must be a text of at most ${MAX_NONCE} characters.`);
}
