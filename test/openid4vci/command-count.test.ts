// What a wallet's request for credentials costs the store: as many commands for ten copies as for one, and nothing is read again after issuing.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Membership, startMembership } from '../support/membership.js';
import { type RequestCommands, requestCommandsOf } from '../support/request-commands.js';
import { newKey, TestWallet } from './wallet.js';

const PUBLIC = 'http://wallets.localhost:4000';
/** In memory for some seconds, then read again; and what counts requests. */
const CACHED: ReadonlySet<string> = new Set(['signingKeys', 'certificates', 'zkKeys', 'partners', 'rateLimits']);

let world: Membership;
let wallet: TestWallet;
let commands: RequestCommands;
let holders = 0;
const own = (url: string): string => url.replace(PUBLIC, world.gateway.url);
beforeAll(async () => {
  world = await startMembership({ env: { PUBLIC_URL: PUBLIC }, monitorCommands: true });
  wallet = new TestWallet(`${PUBLIC}/oid4vci/club`, own);
  commands = requestCommandsOf(world.gateway, (collection) => !CACHED.has(collection));
  vi.spyOn(world.gateway.app.services.catalogChanges, 'trusted', 'get').mockReturnValue(true);
});
afterAll(() => world?.gateway.close());

/** The commands of a request for so many copies of a new issuance, and of another request for as many. */
async function costsOf(copies: number): Promise<{ first: string[]; more: string[] }> {
  const about = {
    issuerDid: world.issuerDid,
    credentialId: 'member',
    email: `holder-${holders++}@example.org`,
    txCode: 'none',
  };
  const offer = { ...about, credentialSubject: { level: 7, since: '2024-01-01', note: 'a note' } };
  const { body } = await world.partner('POST', '/v1/offers', { ...offer, expiresIn: 600 });
  const token = await wallet.tokenFor((await TestWallet.offerAt(body.offerUri, own)).body);
  const cost = async (): Promise<string[]> => {
    const nonce = await wallet.nonce();
    const jwt = await Promise.all(Array.from({ length: copies }, async () => wallet.proof(await newKey(), nonce)));
    const asked = { credential_identifier: 'member', proofs: { jwt } };
    const { result, commands: sent } = await commands.of(() => wallet.credential(token.body.access_token, asked));
    expect(result.body.credentials).toHaveLength(copies);
    return sent;
  };
  return { first: await cost(), more: await cost() };
}

/** The smallest costs of four times: the first reads what is then cached, and places in lists are drawn several at once. */
async function leastCostsOf(copies: number): Promise<{ first: string[]; more: string[] }> {
  const all = [await costsOf(copies), await costsOf(copies), await costsOf(copies), await costsOf(copies)];
  const least = (of: 'first' | 'more') => all.map((one) => one[of]).sort((a, b) => a.length - b.length)[0] ?? [];
  return { first: least('first'), more: least('more') };
}

/** A request reads an issuance. Another such command looks places up, for all requests of a second. */
const FIND = 'find issuances';
const withoutPlaces = (sent: readonly string[]): string[] => sent.filter((command) => command !== FIND).toSorted();

describe("A wallet's request", () => {
  it('costs as many commands for ten copies as for one, and reads nothing again after it has issued', async () => {
    const [one, ten] = [await leastCostsOf(1), await leastCostsOf(10)];
    expect(withoutPlaces(ten.first)).toEqual(withoutPlaces(one.first));
    expect(withoutPlaces(ten.more)).toEqual(withoutPlaces(one.more));
    const after = one.first.slice(one.first.lastIndexOf('insert auditEntries') + 1);
    expect(after).toEqual([]);
    expect(one.first.filter((command) => command === 'find issuers')).toHaveLength(1);
    for (const sent of [one.first, ten.first, one.more, ten.more])
      expect(sent.filter((command) => command === FIND).length).toBeLessThanOrEqual(2);
  });
});
