// A gateway with a partner and a managed issuer, and what wallets need to meet it: its address, and whom to trust.
import { X509Certificate } from 'node:crypto';
import type { AppOverrides } from '../../src/compose/app.js';
import type { RestAnswer } from '../support/gateway.js';
import { freePorts } from '../support/gateway-process.js';
import { type Membership, startMembership } from '../support/membership.js';

export const SUBJECT = { level: 3, since: '2020-01-01', note: 'canary' };

export interface World extends Membership {
  /** The address that wallets see. */
  url: string;
  /** The sandbox's root, PEM. */
  root: string;
  roots: X509Certificate[];
  /** Offers `member`. `changes` are members of the request. */
  offer(changes?: object): Promise<RestAnswer>;
  /** The last code mailed to an address. */
  codeFor(email: string): Promise<string>;
}

export async function startWorld(env: Record<string, string> = {}, overrides: AppOverrides = {}): Promise<World> {
  const [port] = await freePorts(1);
  const url = `http://localhost:${port}`;
  const membership = await startMembership({ env: { PORT: String(port), PUBLIC_URL: url, ...env }, ...overrides });
  const { gateway, partner, issuerDid } = membership;
  const { body: root } = await gateway.rest('GET', '/v1/sandbox/root.pem');
  return {
    ...membership,
    url,
    root,
    roots: [new X509Certificate(root)],
    offer: (changes = {}) =>
      partner('POST', '/v1/offers', {
        issuerDid,
        credentialId: 'member',
        credentialSubject: SUBJECT,
        email: 'ada@example.org',
        ...changes,
      }),
    async codeFor(email) {
      const { body } = await gateway.admin('GET', `/v1/sandbox/mailbox?email=${encodeURIComponent(email)}`);
      return body.messages.at(-1).code;
    },
  };
}
