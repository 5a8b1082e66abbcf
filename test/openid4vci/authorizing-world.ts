// Two gateways on one store, between which a wallet goes step by step, and offers to people who were mailed no codes yet.
import { randomUUID } from 'node:crypto';
import { databaseUri, startGateway } from '../support/gateway.js';
import { type Membership, startMembership } from '../support/membership.js';
import { Authorizing, newPkce, PUBLIC } from './authorizing.js';
import { type Answer, TestWallet } from './wallet.js';

/** A request for an offer: its parameters, and what belongs to them. */
export interface Requested {
  email: string;
  offerId: string;
  verifier: string;
  /** What a wallet reads at its address. */
  offer: Answer['body'];
  parameters: Record<string, string>;
}

export interface AuthorizingWorld {
  world: Membership;
  first: Authorizing;
  second: Authorizing;
  /** Sets the gateways' clock this far ahead, milliseconds. */
  ahead(ms: number): void;
  /** Allows as many requests as at the beginning: an address may send 60 in a minute. */
  resetLimits(): Promise<unknown>;
  /** A new offer, and a request for it. */
  requested(more?: Record<string, string>): Promise<Requested>;
  close(): Promise<void>;
}

export async function startAuthorizingWorld(): Promise<AuthorizingWorld> {
  const env = { MONGODB_URI: databaseUri(`test_${randomUUID().slice(0, 8)}`), PUBLIC_URL: PUBLIC };
  let now = 0;
  const clock = () => Date.now() + now;
  const world = await startMembership({ env, clock });
  const other = await startGateway({ env, clock });
  const first = new Authorizing(world.gateway.url);
  let people = 0;
  return {
    ...{ world, first, second: new Authorizing(other.url) },
    ahead: (ms) => {
      now = ms;
    },
    resetLimits: () =>
      world.gateway.app.connection.collection('rateLimits').deleteMany({ expiresAt: { $gt: new Date(0) } }),
    async requested(more = {}) {
      const email = `ada.canary.${++people}@example.org`;
      const { body } = await world.partner('POST', '/v1/offers', {
        ...{ issuerDid: world.issuerDid, credentialId: 'member', email, txCode: 'partner' },
        credentialSubject: { level: 7, since: '2024-01-01', note: 'canary note' },
      });
      const { body: offer } = await TestWallet.offerAt(body.offerUri, first.own);
      const { verifier, challenge } = newPkce();
      const { issuer_state } = offer.grants.authorization_code;
      return {
        email,
        offerId: body.offerId,
        ...{ verifier, offer },
        parameters: first.parameters(challenge, { issuer_state, ...more }),
      };
    },
    async close() {
      await other.app.close();
      await world.gateway.close();
    },
  };
}

/** Status and code of a refusal. */
export const errorOf = ({ status, body }: { status: number; body: { error?: string } }): string =>
  `${status} ${body.error}`;
