// A partner that verifies, an issuer of ours, and wallets with its credentials.
import { PresentingWallet } from '../../openid4vp/wallet.js';
import { TestWallet } from '../../openid4vci/wallet.js';
import type { GatewayOptions, RestAnswer } from '../../support/gateway.js';
import { EMAIL } from '../../support/membership.js';
import { asVerifier, type Reach, startWorld, type World } from '../world.js';

export const PUBLIC = 'https://wallets.example';
export const SUBJECT = { level: 3, since: '2024-02-29', note: 'gold canary' };

export type MemberWallet = PresentingWallet & { coreClaimHash: string };

/** What tests do with wallets at a gateway. */
export interface Wallets {
  /** The address of a page of the gateway, here. */
  own(url: string): string;
  /** Issues `member` into a new wallet. */
  walletWith(subject?: object, email?: string): Promise<MemberWallet>;
  /** Starts a verification for a wallet. */
  start(more?: object): Promise<RestAnswer>;
}

export type WalletWorld = World & Wallets;

/** @param publicUrl the gateway's PUBLIC_URL, and `url` its address here, now */
export function walletsOf(reach: Reach, publicUrl: string, url: () => string): Wallets {
  const own = (address: string): string => address.replace(publicUrl, url());
  const issuing = new TestWallet(`${publicUrl}/oid4vci/club`, own);
  return {
    own,
    async walletWith(credentialSubject = SUBJECT, email = EMAIL) {
      const offered = { issuerDid: reach.issuerDid, credentialId: 'member', credentialSubject, email };
      const { status, body } = await reach.partner.rest('POST', '/v1/offers', { ...offered, txCode: 'partner' });
      if (status !== 201) throw new Error(JSON.stringify(body));
      const offer = (await TestWallet.offerAt(body.offerUri, own)).body;
      const { answer, keys } = await issuing.take(offer, { txCode: body.txCode });
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
      const { coreClaimHash } = (await reach.partner.rest('GET', `/v1/offers/${body.offerId}`)).body;
      const held = [{ credential: answer.body.credentials[0].credential, key: keys[0] as never }];
      return Object.assign(new PresentingWallet(held, own), { coreClaimHash });
    },
    start: (more = {}) =>
      asVerifier(reach, 'POST', '/v1/verifications', {
        programId: 'level-three',
        wallet: { flow: 'cross_device' },
        ...more,
      }),
  };
}

/** Starts a gateway with the credential `member` and the program `level-three`. */
export async function startWalletWorld(options: GatewayOptions = {}): Promise<WalletWorld> {
  const world = await startWorld({ ...options, env: { PUBLIC_URL: PUBLIC, ...options.env } });
  return { ...world, ...walletsOf(world, PUBLIC, () => world.gateway.url) };
}
