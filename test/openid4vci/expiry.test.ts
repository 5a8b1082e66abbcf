// Offers end: those that no wallet takes in time, and the subjects that no token opens any more. The type of an offered credential is fixed.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DUE_TIMES } from '../../src/openid4vci/expiry.js';
import { updateRows } from '../../src/store/row-updates.js';
import { eventually } from '../support/eventually.js';
import { EMAIL, type Membership, startMembership } from '../support/membership.js';
import { newKey, TestWallet } from './wallet.js';

let now = Date.now();
let world: Membership;
let wallet: TestWallet;
const PUBLIC = 'http://wallets.localhost:4000';
const own = (url: string): string => url.replace(PUBLIC, world.gateway.url);
beforeAll(async () => {
  world = await startMembership({ env: { PUBLIC_URL: PUBLIC }, clock: () => now });
  wallet = new TestWallet(`${PUBLIC}/oid4vci/club`, own);
});
afterAll(() => world?.gateway.close());

async function create(email = EMAIL, more: object = {}) {
  const about = {
    issuerDid: world.issuerDid,
    credentialId: 'member',
    credentialSubject: { level: 1, since: '2024-01-01' },
  };
  return (await world.partner('POST', '/v1/offers', { ...about, email, txCode: 'none', expiresIn: 60, ...more })).body;
}
const row = (offerId: string) => world.gateway.app.connection.collection('offers').findOne({ _id: offerId as never });
const offerAt = async (uri: string) => (await TestWallet.offerAt(uri, own)).body;
const passes = (seconds: number) => {
  now += seconds * 1_000;
};
const reasonOf = async (offerId: string) => (await row(offerId))?.reason;

describe('An offer', () => {
  it('that nobody takes is closed, once, with an event, and its subject is gone', async () => {
    const { offerId } = await create();
    expect(await row(offerId)).toMatchObject({ state: 'open' });
    passes(61);
    await eventually(async () => expect(await reasonOf(offerId)).toBe('expired'));
    expect(await row(offerId)).not.toHaveProperty('sealedSubject');
    const events = world.gateway.app.connection.collection('events');
    const closed = await events.find({ type: 'offer_closed' }).toArray();
    expect(closed).toMatchObject([{ payload: { offerId, reason: 'expired' } }]);
  });

  it('that a wallet claims without asking for the credential is closed when the access token ends', async () => {
    const { offerId, offerUri } = await create();
    expect((await wallet.tokenFor(await offerAt(offerUri))).status).toBe(200);
    passes(120);
    const other = await create('grace@example.org');
    passes(61);
    await eventually(async () => expect(await reasonOf(other.offerId)).toBe('expired'));
    expect(await row(offerId)).toMatchObject({ state: 'claimed' });
    passes(600);
    await eventually(async () => expect(await reasonOf(offerId)).toBe('expired'));
  });
});

describe('Offers of earlier versions', () => {
  it('end too: they get a due time when the store is migrated, once', async () => {
    now = Date.now();
    const [open, claimed, issued] = [await create('a@example.org'), await create('b@example.org'), await create()];
    expect((await wallet.tokenFor(await offerAt(claimed.offerUri))).status).toBe(200);
    expect((await wallet.take(await offerAt(issued.offerUri))).answer.status).toBe(200);
    const { connection } = world.gateway.app;
    const created = [open, claimed, issued].map(({ offerId }) => offerId);
    await connection.collection('offers').updateMany({ _id: { $in: created as never[] } }, { $unset: { due: 1 } });
    await connection.collection('checkpoints').deleteMany({ _id: 'offers have due times' as never });
    await updateRows(connection, [DUE_TIMES]);
    const due = await Promise.all(created.map(async (offerId) => (await row(offerId))?.due));
    expect(due[0]).toEqual((await row(open.offerId))?.expiresAt);
    const DAY_S = 86_400;
    const seconds = (at: number) => Math.round((due[at].getTime() - now) / 1_000);
    expect(seconds(1)).toBeGreaterThanOrEqual(600);
    expect(seconds(1)).toBeLessThan(DAY_S);
    expect(seconds(2)).toBeGreaterThanOrEqual(90 * DAY_S);
    await connection.collection('checkpoints').deleteMany({ _id: 'offers have due times' as never });
    await updateRows(connection, [DUE_TIMES]);
    expect(await Promise.all(created.map(async (offerId) => (await row(offerId))?.due))).toEqual(due);
    passes(61);
    await eventually(async () => expect(await reasonOf(open.offerId)).toBe('expired'));
    expect(await row(claimed.offerId)).toMatchObject({ state: 'claimed' });
    passes(91 * DAY_S);
    await eventually(async () => expect(await row(issued.offerId)).not.toHaveProperty('sealedSubject'));
    await eventually(async () => expect(await reasonOf(claimed.offerId)).toBe('expired'));
    expect(await row(issued.offerId)).toMatchObject({ state: 'issued' });
  });
});

describe('The subject of an issued offer', () => {
  it('goes with the access token, and stays for a wallet that may renew it', async () => {
    // Tokens and DPoP proofs have the time of this process.
    now = Date.now();
    const plain = await create('lin@example.org');
    expect((await wallet.take(await offerAt(plain.offerUri))).answer.status).toBe(200);
    const renewable = await create('ida@example.org');
    expect((await wallet.take(await offerAt(renewable.offerUri), { dpop: await newKey() })).answer.status).toBe(200);
    expect(await row(plain.offerId)).toHaveProperty('sealedSubject');
    passes(3_600);
    await eventually(async () => expect(await row(plain.offerId)).not.toHaveProperty('sealedSubject'));
    expect(await row(renewable.offerId)).toHaveProperty('sealedSubject');
    for (const { offerId } of [plain, renewable]) expect(await row(offerId)).toMatchObject({ state: 'issued' });
  });
});

describe('Once a claim has ended, the subject of its offer and the refresh token are gone', () => {
  const taken = async (email: string, more: object = {}) => {
    now = Date.now();
    const dpop = await newKey();
    const { offerId, offerUri } = await create(email, more);
    const { token } = await wallet.take(await offerAt(offerUri), { dpop });
    return { offerId, dpop, token, coreClaimHash: (await row(offerId))?.coreClaimHash as string };
  };
  const refresh = async ({ token, dpop }: Awaited<ReturnType<typeof taken>>) =>
    (await wallet.token({ grant_type: 'refresh_token', refresh_token: token.refresh_token }, dpop)).body.error;
  const goes = async ({ offerId }: { offerId: string }) => {
    await eventually(async () => expect(await row(offerId)).not.toHaveProperty('sealedSubject'));
    expect(await row(offerId)).toMatchObject({ state: 'issued' });
    const tokens = world.gateway.app.connection.collection('walletTokens');
    await eventually(async () => expect(await tokens.countDocuments({ offerId, kind: 'refresh' })).toBe(0));
  };

  it('if it was revoked; its access token gets no copies, and those of others do', async () => {
    const [ended, other] = [await taken('rev@example.org'), await taken('stay@example.org')];
    const { coreClaimHash } = ended;
    expect((await world.partner('POST', '/v1/credentials/revoke', { coreClaimHash })).status).toBe(200);
    await goes(ended);
    expect(await refresh(ended)).toBe('invalid_grant');
    const proofs = { jwt: [await wallet.proof(await newKey(), await wallet.nonce())] };
    const asked = { credential_identifier: 'member', proofs };
    expect((await wallet.credential(ended.token.access_token, asked, ended.dpop)).body).toEqual({
      error: 'credential_request_denied',
      error_description: 'The credential was revoked or has expired.',
    });
    expect(await row(other.offerId)).toHaveProperty('sealedSubject');
    expect(await refresh(other)).toBeUndefined();
  });

  it('if another one replaced it', async () => {
    const first = await taken('again@example.org');
    const second = await taken('again@example.org', { onDuplicate: 'revoke' });
    await goes(first);
    expect(await row(second.offerId)).toHaveProperty('sealedSubject');
  });

  it('if it has expired', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const ended = await taken('short@example.org', { expiresAt });
    expect(await row(ended.offerId)).toHaveProperty('sealedSubject');
    passes(3_601);
    await goes(ended);
    now = Date.now();
    expect(await refresh(ended)).toBe('invalid_grant');
  });
});

describe('A credential that was offered', () => {
  it('keeps its type; one that was not may change it', async () => {
    const put = async (credentialId: string, vct: string | null) => {
      const body = {
        name: 'Pass',
        category: 'Club',
        issuerId: 'club',
        schemaId: 'https://schemas.example/membership.json',
        vct,
      };
      return (await world.gateway.admin('PUT', `/v1/admin/credentials/${credentialId}`, { body })).status;
    };
    expect([await put('other', 'urn:a'), await put('other', 'urn:b'), await put('other', null)]).toEqual([
      200, 200, 200,
    ]);
    expect([await put('member', 'urn:a'), await put('member', null)]).toEqual([409, 200]);
  });
});
