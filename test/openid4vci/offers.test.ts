// Repeats of offers under an idempotency key, lists of offers, and offers that are not needed.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Offers } from '../../src/openid4vci/offers.js';
import { type Membership, SCHEMA, startMembership } from '../support/membership.js';
import { type Answer, TestWallet } from './wallet.js';

const SUBJECT = { level: 7, since: '2024-01-01' };
const PUBLIC = 'http://wallets.localhost:4000';
let world: Membership;
let wallet: TestWallet;
const own = (url: string): string => url.replace(PUBLIC, world.gateway.url);
beforeAll(async () => {
  world = await startMembership({ env: { PUBLIC_URL: PUBLIC } });
  wallet = new TestWallet(`${PUBLIC}/oid4vci/club`, own);
});
afterAll(() => world?.gateway.close());

let next = 0;
const body = (more: object = {}): object => ({
  ...{ issuerDid: world.issuerDid, credentialId: 'member', credentialSubject: SUBJECT, txCode: 'partner' },
  ...{ email: `holder${next++}@example.org`, ...more },
});
const send = async (sent: object, key?: string) => {
  const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
  return world.gateway.rest('POST', '/v1/offers', { body: sent, headers: { ...headers, ...(await authorization()) } });
};
const authorization = async () => ({ 'x-partner-auth': await world.token({ scope: 'issue' }) });
const offerAt = (uri: string): Promise<Answer> => TestWallet.offerAt(uri, own);
const rows = (name: string) => world.gateway.app.connection.collection(name);

describe('An offer that is sent again with its idempotency key', () => {
  it('is the same offer with a new address and transaction code; the old ones are void', async () => {
    const [key, sent] = [randomUUID(), body()];
    const first = await send(sent, key);
    const old = (await offerAt(first.body.offerUri)).body;
    const again = await send(sent, key);
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.body).toMatchObject({ offerId: first.body.offerId, state: 'open', expiresAt: first.body.expiresAt });
    expect(again.body.offerUri).not.toBe(first.body.offerUri);
    expect((await offerAt(first.body.offerUri)).status).not.toBe(200);
    expect((await wallet.tokenFor(old, first.body.txCode)).body.error).toBe('invalid_grant');
    const { answer } = await wallet.take((await offerAt(again.body.offerUri)).body, { txCode: again.body.txCode });
    expect(answer.status).toBe(200);
    expect(await rows('offers').countDocuments({ holderId: first.body.userUuid })).toBe(1);
  });

  it('is refused with another subject, recipient or transaction code', async () => {
    const [key, sent] = [randomUUID(), body()];
    await send(sent, key);
    const others = [
      { credentialSubject: { ...SUBJECT, level: 8 } },
      { email: 'other@example.org' },
      { txCode: 'mail' },
    ];
    for (const other of others) expect((await send({ ...sent, ...other }, key)).status).toBe(422);
  });

  it('is refused for another recipient whom the token alone names', async () => {
    const [key, { email: _none, ...sent }] = [randomUUID(), body() as { email?: string }];
    const named = async (email: string) => {
      const headers = { 'idempotency-key': key, 'x-partner-auth': await world.token({ scope: 'issue', email }) };
      return world.gateway.rest('POST', '/v1/offers', { body: sent, headers });
    };
    const first = await named('ada@claims.example');
    expect(first.status).toBe(201);
    expect((await named('bob@claims.example')).status).toBe(422);
    expect((await named('ada@claims.example')).body.offerId).toBe(first.body.offerId);
  });

  it('has no address once it is claimed, issued or withdrawn, but its state', async () => {
    const [key, sent] = [randomUUID(), body()];
    const { offerUri, txCode, offerId } = (await send(sent, key)).body;
    const offer = (await offerAt(offerUri)).body;
    const { answer } = await wallet.take(offer, { txCode });
    expect(answer.status).toBe(200);
    const issued = await send(sent, key);
    expect(issued).toMatchObject({ status: 200, body: { offerId, offerUri: null, txCode: null, state: 'issued' } });
    expect(issued.body.coreClaimHash).toMatch(/^[0-9a-f]{64}$/);
    const [claimedKey, claimedBody] = [randomUUID(), body()];
    const claimed = (await send(claimedBody, claimedKey)).body;
    await wallet.tokenFor((await offerAt(claimed.offerUri)).body, claimed.txCode);
    expect(await send(claimedBody, claimedKey)).toMatchObject({
      status: 200,
      body: { state: 'claimed', offerUri: null },
    });
    const [closedKey, closedBody] = [randomUUID(), body()];
    const closed = (await send(closedBody, closedKey)).body;
    await world.partner('DELETE', `/v1/offers/${closed.offerId}`);
    expect(await send(closedBody, closedKey)).toMatchObject({ status: 200, body: { state: 'closed', offerUri: null } });
  });

  it('at the same time ten times is one offer', async () => {
    const [key, sent] = [randomUUID(), body({ email: 'ten@example.org' })];
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(sent, key)));
    const ids = answers.filter(({ status }) => status === 201).map(({ body: { offerId } }) => offerId);
    expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true);
    expect(new Set(ids).size).toBe(1);
    expect(
      await rows('offers').countDocuments({ holderId: answers.find(({ status }) => status === 201)?.body.userUuid }),
    ).toBe(1);
  });

  it('needs a key that nobody guesses', async () => {
    for (const key of ['order-17', 'x'.repeat(19)]) expect((await send(body(), key)).status).toBe(400);
    expect((await send(body(), 'x'.repeat(20))).status).toBe(201);
  });

  it('leaves nothing by which the store and KEYSTORE_KEY tell a subject', async () => {
    await rows('idempotencyKeys').deleteMany({});
    const [keys, sent] = [[randomUUID(), randomUUID()], body()];
    for (const key of keys) await send(sent, key);
    const stored = await rows('idempotencyKeys').find({}).toArray();
    for (const key of keys) expect(JSON.stringify(stored)).not.toContain(key);
    // Under KEYSTORE_KEY alone, equal bodies have equal hashes, and guesses can be compared with them.
    expect(new Set(stored.map(({ bodyHash }) => bodyHash)).size).toBe(2);
  });
});

describe('With onDuplicate ignore and a live credential', () => {
  it('there is no offer, and the answer is 200, also again', async () => {
    const sent = body();
    const { offerUri, txCode, userUuid } = (await send(sent)).body;
    await wallet.take((await offerAt(offerUri)).body, { txCode });
    const [key, ignoring] = [randomUUID(), { ...sent, onDuplicate: 'ignore' }];
    for (const answer of [await send(ignoring), await send(ignoring, key), await send(ignoring, key)])
      expect(answer).toMatchObject({
        status: 200,
        body: { offerId: null, offerUri: null, userUuid, coreClaimHash: expect.stringMatching(/^[0-9a-f]{64}$/) },
      });
  });
});

describe('The list of offers', () => {
  it('has pages, newest first, by credential and by state, in REST and in GraphQL', async () => {
    const put = { name: 'Guest', category: 'Club', issuerId: 'club', schemaId: SCHEMA.$id };
    await world.gateway.admin('PUT', '/v1/admin/credentials/guest', { body: put });
    const ids: string[] = [];
    for (let at = 0; at < 5; at++) ids.unshift((await send(body({ credentialId: 'guest' }))).body.offerId);
    await world.partner('DELETE', `/v1/offers/${ids[1]}`);
    const seen: string[] = [];
    for (let after = ''; ; ) {
      const path = `/v1/offers?credentialId=guest&limit=2${after && `&after=${after}`}`;
      const { items, hasMore, nextCursor } = (await world.partner('GET', path)).body;
      seen.push(...items.map(({ offerId }: { offerId: string }) => offerId));
      if (!hasMore) break;
      after = nextCursor;
    }
    expect(seen).toEqual(ids);
    const open = await world.partner('GET', '/v1/offers?credentialId=guest&state=open');
    expect(open.body.items.map(({ offerId }: { offerId: string }) => offerId)).toEqual(
      ids.filter((id) => id !== ids[1]),
    );
    for (const bad of ['limit=101', 'limit=0', 'after=x', 'state=gone'])
      expect((await world.partner('GET', `/v1/offers?${bad}`)).status).toBe(400);
    const query =
      '{ offers(credentialId: "guest", first: 2) { totalCount nodes { offerId } pageInfo { hasNextPage } } }';
    const { data } = await world.gateway.gql(query, {}, await authorization());
    expect(data.offers).toEqual({
      totalCount: 5,
      nodes: ids.slice(0, 2).map((offerId) => ({ offerId })),
      pageInfo: { hasNextPage: true },
    });
  });
});

describe('An offered credential', () => {
  it('is marked once by first offers at the same time, which are all made', async () => {
    const put = { name: 'Pass', category: 'Club', issuerId: 'club', schemaId: SCHEMA.$id };
    await world.gateway.admin('PUT', '/v1/admin/credentials/pass', { body: put });
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(body({ credentialId: 'pass' }))));
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201));
    expect(await rows('credentials').findOne({ _id: 'pass' as never })).toMatchObject({ offered: true });
  });

  it('shows its type in GraphQL: its own, or the address of its metadata', async () => {
    const put = { name: 'Typed', category: 'Club', issuerId: 'club', schemaId: SCHEMA.$id, vct: 'urn:club:typed' };
    await world.gateway.admin('PUT', '/v1/admin/credentials/a%20b', { body: { ...put, vct: undefined } });
    await world.gateway.admin('PUT', '/v1/admin/credentials/typed', { body: put });
    const typeOf = async (id: string) =>
      (await world.gateway.gql('query ($id: String!) { credential(credentialId: $id) { vct } }', { id })).data
        .credential?.vct;
    expect(await typeOf('member')).toBe(`${PUBLIC}/vct/member`);
    expect(await typeOf('typed')).toBe('urn:club:typed');
    const { body: metadata } = await wallet.metadata();
    expect(metadata.credential_configurations_supported.member.vct).toBe(await typeOf('member'));
  });
});

it('An offer that is closed while it is being withdrawn is withdrawn', async () => {
  const { offerId } = (await send(body())).body;
  const { close } = Offers.prototype;
  const closing = vi.spyOn(Offers.prototype, 'close').mockImplementationOnce(async function (this: Offers, ...of) {
    // Another gateway is faster.
    expect(await close.apply(this, of)).toBe(true);
    return close.apply(this, of);
  });
  onTestFinished(() => closing.mockRestore());
  expect((await world.partner('DELETE', `/v1/offers/${offerId}`)).status).toBe(204);
});
