// What the tests of passkeys share: a gateway with a host name, a partner with a page, and a holder's requests with a software authenticator.
import type { Authenticator, Ceremony } from '../support/authenticator.js';
import type { RestAnswer } from '../support/gateway.js';
import { startWorld, type World } from './support.js';

export const ORIGIN = 'http://wallet.gateway.localhost:4000';
export const RP_ID = 'gateway.localhost';
export const SHOP = 'https://shop.example';
export const HERE: Ceremony = { origin: ORIGIN };
export const PASSKEYS = '/v1/holders/me/passkeys';

/** Starts it. */
export async function startPasskeyWorld(): Promise<World> {
  const world = await startWorld({ PUBLIC_URL: ORIGIN, PASSKEY_RP_ID: RP_ID });
  const path = `/v1/admin/partners/${world.partnerId}`;
  const { name, jwks, scopes } = (await world.gateway.admin('GET', path)).body;
  await world.gateway.admin('PUT', path, { body: { name, jwks, scopes, allowedOrigins: [SHOP] } });
  return world;
}

/** The requests of a session. */
export function requestsOf(world: World, token: string) {
  const as = (method: string, path: string, body?: unknown) => world.asHolder(method, path, token, body);
  const creation = async () => (await as('POST', `${PASSKEYS}/options`)).body;
  return {
    as,
    creation,
    assertion: async () => (await as('POST', '/v1/holders/me/mfa/options')).body.options,
    prove: (response: unknown) => as('POST', '/v1/holders/me/mfa', { response }),
    add: async (authenticator: Authenticator, ceremony = HERE): Promise<RestAnswer> =>
      as('POST', PASSKEYS, { response: authenticator.create(await creation(), ceremony), name: 'Mine' }),
    me: async () => (await as('GET', '/v1/holders/me')).body.user,
  };
}

/** Whether a second factor is asked for. */
export const asksForProof = (answer: RestAnswer): boolean =>
  answer.status === 403 && String(answer.headers.get('www-authenticate')).includes('insufficient_user_authentication');
