// An issuer that states claims with the credentials that it signs, and wallets that ask for them.
import { randomBytes } from 'node:crypto';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { PUBLIC } from './authorizing.js';
import type { Answer, Key } from './wallet.js';
import { OFFICE, type WithoutOfferWorld, withoutOfferWorld } from './without-offer-world.js';

export interface Claim {
  issuerDid: string;
  credentialId: string;
  coreClaimHash: string;
  revocationNonce: string;
}

/** A claim of the office. */
export const newClaim = (more: object = {}): Claim => ({
  ...{ issuerDid: OFFICE, credentialId: 'identity', coreClaimHash: randomBytes(32).toString('hex') },
  revocationNonce: randomBytes(8).readBigUInt64BE().toString(),
  ...more,
});

let people = 0;
/** An address that nobody had. */
export const somebody = (): string => {
  people += 1;
  return `ada${people}@example.org`;
};

/** The world, with short words for what tests of claims do. */
export async function claimsWorld() {
  const gateway: TestGateway = await startGateway({ env: { PUBLIC_URL: PUBLIC } });
  const world: WithoutOfferWorld = await withoutOfferWorld(gateway, () => gateway.url);
  const rows = (name: string) => gateway.app.connection.collection(name);
  return {
    ...{ gateway, world, rows },
    async tokenFor(email = somebody(), dpop?: Key): Promise<Answer['body']> {
      return (await world.token(world.at('office'), 'identity', email, dpop)).body;
    },
    ask: (token: Answer['body'], by: { dpop?: Key; keys?: Key[] } = {}) =>
      world.ask(world.at('office'), token.access_token, 'identity', by),
    /** The office states this claim. */
    states: (claim: unknown, payload: object = {}) => world.officeGives({ payload: { ...payload } }, { claim }),
    issuanceOf: ({ coreClaimHash }: Claim) => rows('issuances').findOne({ coreClaimHash }),
    eventsOf: async ({ coreClaimHash }: Claim): Promise<string[]> =>
      (await rows('events').find({ 'payload.coreClaimHash': coreClaimHash }).toArray()).map(({ type }) => type),
    statusOf: async ({ coreClaimHash }: Claim) =>
      (await gateway.rest('GET', `/v1/credentials/status?coreClaimHash=${coreClaimHash}`)).body,
    /** Of the first question since the last `calm`. */
    holderId: (): string => world.backEnd.asked[0]?.body.userId,
    async put(path: string, body: object): Promise<void> {
      const answer = await gateway.admin('PUT', `/v1/admin/${path}`, { body });
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    },
    /** Forgets questions and counted requests. */
    async calm(): Promise<void> {
      world.backEnd.asked.length = 0;
      await rows('rateLimits').deleteMany({ expiresAt: { $gt: new Date(0) } });
    },
    async close(): Promise<void> {
      await world.close();
      await gateway.close();
    },
  };
}
export type ClaimsWorld = Awaited<ReturnType<typeof claimsWorld>>;
