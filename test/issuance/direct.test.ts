// Claims that issuers sign themselves: stored through dstorage/vcs, they have status, revocation, counts and events as what we issued.
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrateAll } from '../../src/compose/domains.js';
import { normalForm, parseCondition } from '../../src/conditions/index.js';
import { fromBase64url, publicKeyBytes, toBase64url } from '../../src/zk/index.js';
import type { RestAnswer } from '../support/gateway.js';
import { decrypt } from '../support/holder-device.js';
import { EMAIL, SCHEMA } from '../support/membership.js';
import { registerPartner, type TestPartner } from '../support/partner.js';
import { prove, verify } from '../support/prover.js';
import { type SelfSigningIssuer, type SignedBody, selfSigningIssuer } from '../support/self-signing-issuer.js';
import { type Issuing, openPackage, startIssuing } from './provable-fixture.js';

const PATH = '/v1/dstorage/vcs';
const SUBJECT = { level: 3, since: '2024-02-29', note: 'gold' };
const ISSUER = { name: 'Own', issuerFrom: 'test', issuerDid: 'did:web:own.example' };
const CREDENTIAL = { name: 'Own member', category: 'Club', issuerId: 'own', schemaId: SCHEMA.$id };

const issuer: SelfSigningIssuer = await selfSigningIssuer(ISSUER.issuerDid);
let ahead = 0;
const now = (): number => Date.now() + ahead;
let issuing: Issuing;
let partner: TestPartner;
// biome-ignore lint/suspicious/noExplicitAny: as REST gives it.
let points: any;

beforeAll(async () => {
  issuing = await startIssuing({}, { clock: now });
  await put('issuers/own', { ...ISSUER, zkKeys: [issuer.zkKey] });
  await put('credentials/own-member', CREDENTIAL);
  partner = await registerPartner(issuing.gateway, [ISSUER.issuerDid, issuing.issuerDid]);
  ({ points } = (await get(`/v1/schemas/${encodeURIComponent(SCHEMA.$id)}/versions/1/encoding`)).body);
});
afterAll(() => issuing?.gateway.close());

async function put(path: string, body: object): Promise<void> {
  const answer = await issuing.gateway.admin('PUT', `/v1/admin/${path}`, { body });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
}
const get = (path: string) => issuing.gateway.rest('GET', path);
const store = (body: object, by = partner): Promise<RestAnswer> => by.rest('POST', PATH, body);
const statusOf = async ({ claim }: SignedBody) =>
  (await get(`/v1/credentials/status?coreClaimHash=${claim.coreClaimHash}`)).body;
const rows = (name: string) => issuing.gateway.app.connection.collection(name);
const rowOf = ({ claim }: SignedBody) => rows('issuances').findOne({ coreClaimHash: claim.coreClaimHash });

async function signed(email = `${randomUUID()}@own.example`, more: { expiresAt?: string } = {}): Promise<SignedBody> {
  const initialized = await partner.rest('POST', '/v1/auth/initialize-user', { email });
  if (initialized.status !== 200) throw new Error(JSON.stringify(initialized.body));
  const holder = initialized.body;
  const { $id: schemaId } = SCHEMA;
  const facts = { credentialId: 'own-member', schemaId, schemaVersion: 1, points, credentialSubject: SUBJECT };
  return issuer.sign({ ...facts, holder, ...more });
}

async function storedOne(email?: string, more?: { expiresAt?: string }): Promise<SignedBody> {
  const body = await signed(email, more);
  expect((await store(body)).status).toBe(201);
  return body;
}

describe('A claim that its issuer signed', () => {
  it('a claim that its issuer signed has the status of an issuance', async () => {
    const body = await signed();
    const { body: answer } = await store(body);
    const { claim } = body;
    expect(await statusOf(body)).toMatchObject({
      ...{ coreClaimHash: claim.coreClaimHash, issuerDid: ISSUER.issuerDid, issuerId: 'own', schemeId: SCHEMA.$id },
      ...{ vcStatus: 'WAIT_ONCHAIN', expirationDate: null, anchor: null },
    });
    expect(`dstorage://vc/${(await statusOf(body)).vcDstorageId}`).toBe(answer.storagePath);
    const row = await rowOf(body);
    expect(row).toMatchObject({ schemaVersion: 1, live: true, toAnchor: expect.any(Date) });
    expect(row).not.toHaveProperty('statusListId');
  });

  it('a claim that its issuer signed counts, and has an event', async () => {
    const counts = async () => (await get('/v1/catalog/credentials/own-member')).body.data.traction;
    const { claim } = await storedOne();
    const events = await rows('events').find({ 'payload.coreClaimHash': claim.coreClaimHash }).toArray();
    expect(events.map(({ type }) => type).sort()).toEqual(['stored', 'submitted']);
    const { length } = await rows('issuances').find({ credentialId: 'own-member' }).toArray();
    await expect.poll(counts).toMatchObject({ holderCount: length, issuanceCount: length });
  });

  it('a claim that its issuer signed is in the history as DIRECT, before those on behalf', async () => {
    await storedOne();
    await openPackage(issuing, SUBJECT);
    const { body } = await issuing.gateway.admin('GET', '/v1/admin/issuance-history?limit=100&order=type_asc');
    const types = body.data.map(({ type }: { type: string }) => type);
    expect(new Set(types)).toEqual(new Set(['DIRECT', 'ON_BEHALF']));
    expect(types).toEqual([...types].sort());
  });

  it('a claim that its issuer signed lets its holder prove conditions under the key that the issuer registered', async () => {
    await openPackage(issuing, SUBJECT);
    await storedOne(EMAIL);
    const { key, headers = {} } = issuing.holder ?? {};
    const { body: list } = await issuing.gateway.rest('GET', '/v1/holders/me/credentials', { headers });
    const { id } = list.items.find(({ credentialId }: { credentialId: string }) => credentialId === 'own-member');
    const { body: stored } = await issuing.gateway.rest('GET', `/v1/holders/me/credentials/${id}`, { headers });
    if (key === undefined) throw new Error('the holder has its key');
    const { zk, coreClaim } = JSON.parse(decrypt(key, { ...stored, key: stored.encryptedKey }).toString());
    const { keys, proof } = (await get('/v1/issuers/own/zk-keys')).body;
    expect([keys, proof]).toEqual([[{ ...issuer.zkKey, suite: 'core-bbs-1', createdAt: expect.any(String) }], null]);

    const families = (field: string) => points.find(({ name }: { name: string }) => name === field)?.family;
    const { forms } = normalForm(['level >= 3', 'note != "x"'].map(parseCondition), families, now());
    const challenge = {
      ...{ verificationId: 'v', nonce: toBase64url(randomBytes(32)), now: new Date(now()).toISOString() },
      ...{ partnerId: 'p', programId: 'g', programVersion: 'x' },
    };
    const terms = { challenge, credentialId: 'own-member', ...zk, points, conditions: forms };
    const facts = { coreClaimHash: stored.coreClaimHash, schemaId: SCHEMA.$id, schemaVersion: 1 };
    const claim = { ...facts, credentialSubject: coreClaim.credentialSubject };
    const signature = fromBase64url(zk.signature) ?? new Uint8Array();
    const { presentation } = await prove(terms, { claim, signature });
    const publicKey = publicKeyBytes(keys[0].publicKeyMultibase) ?? new Uint8Array();
    expect(await verify(terms, publicKey, presentation)).toBe(true);
  });

  it('a claim that its issuer signed is revoked by its partner, permanently', async () => {
    const body = await storedOne();
    const { coreClaimHash, revocationNonce } = body.claim;
    const isRevoked = async () => (await get(`/v1/credentials/revocation-status/${revocationNonce}`)).body.isRevoked;
    expect(await isRevoked()).toBe(false);
    expect((await partner.rest('POST', '/v1/credentials/revoke', { coreClaimHash })).status).toBe(200);
    expect([await isRevoked(), (await statusOf(body)).vcStatus]).toEqual([true, 'REMOVE']);
  });

  it.each([
    ['9'.repeat(40), 'must have at most 20 digits'],
    ['0x1', 'must be a decimal number'],
  ])('a claim that its issuer signed cannot have a nonce %s', async (nonce, sentence) => {
    const { status, body } = await get(`/v1/credentials/revocation-status/${nonce}`);
    expect([status, body.message]).toEqual([400, `"nonce" ${sentence}.`]);
  });

  it('a claim that its issuer signed is revoked by the operator under a nonce of 64 bits', async () => {
    const { claim, ...body } = await signed();
    const nonce = String(2n ** 64n - 1n);
    expect((await store({ ...body, claim: { ...claim, revocationNonce: nonce } })).status).toBe(201);
    expect((await issuing.gateway.admin('POST', '/v1/admin/revoke', { body: { nonce } })).status).toBe(200);
  });

  it("a claim that its issuer signed revokes the same holder's earlier live one", async () => {
    const email = `${randomUUID()}@own.example`;
    const [first, second] = [await storedOne(email), await storedOne(email)];
    expect([(await statusOf(first)).vcStatus, (await statusOf(second)).vcStatus]).toEqual(['REMOVE', 'WAIT_ONCHAIN']);
  });

  it('a claim that its issuer signed expires', async () => {
    const body = await storedOne(undefined, { expiresAt: new Date(now() + 120_000).toISOString() });
    ahead += 130_000;
    expect((await statusOf(body)).vcStatus).toBe('EXPIRE');
  });

  it('a claim that its issuer signed is stored in GraphQL, too', async () => {
    const { claim, ...body } = await signed();
    const query = 'mutation ($input: StoreCredentialInput!) { storeCredential(input: $input) { stored { state } } }';
    const headers = { 'x-partner-auth': await partner.token() };
    const { errors } = await issuing.gateway.gql(query, { input: { ...body, claim } }, headers);
    expect(errors).toBeUndefined();
    expect((await statusOf({ ...body, claim })).vcStatus).toBe('WAIT_ONCHAIN');
  });
});

describe('The same externalId', () => {
  it('the same externalId gets the first response again, even if the claim would be refused by now', async () => {
    const body = await signed(undefined, { expiresAt: new Date(now() + 120_000).toISOString() });
    const first = await store(body);
    ahead += 130_000;
    expect(await store(body)).toMatchObject({ status: 201, body: first.body });
    expect(await rows('issuances').countDocuments({ coreClaimHash: body.claim.coreClaimHash })).toBe(1);
  });

  it('the same externalId gets 409 for another claim, and without a claim', async () => {
    const { claim, ...body } = await storedOne();
    const another = { ...claim, coreClaimHash: 'ab'.repeat(32) };
    expect((await store({ ...body, claim: another })).status).toBe(409);
    expect((await store(body)).status).toBe(409);
  });

  it('the same externalId is one issuance, however often it is sent at once', async () => {
    const body = await signed();
    const answers = await Promise.all(Array.from({ length: 8 }, () => store(body)));
    expect(new Set(answers.map(({ status, body: { storagePath } }) => `${status} ${storagePath}`)).size).toBe(1);
    expect(await rows('issuances').countDocuments({ coreClaimHash: body.claim.coreClaimHash })).toBe(1);
  });
});

it('of concurrent claims to one holder one is live, and every other one is revoked', async () => {
  const email = `${randomUUID()}@own.example`;
  const bodies = await Promise.all(Array.from({ length: 6 }, () => signed(email)));
  const answers = await Promise.all(bodies.map((body) => store(body)));
  expect(answers.map(({ status }) => status)).toEqual(bodies.map(() => 201));
  const statuses = await Promise.all(bodies.map(async (body) => (await statusOf(body)).vcStatus));
  expect(statuses.filter((status) => status === 'WAIT_ONCHAIN')).toHaveLength(1);
  expect(statuses.filter((status) => status === 'REMOVE')).toHaveLength(bodies.length - 1);
});

describe('A claim is refused', () => {
  const answerTo = async (change: object, more: object = {}): Promise<RestAnswer> => {
    const { claim, ...body } = await signed();
    return store({ ...body, ...more, claim: { ...claim, ...change } });
  };

  it.each<[string, number, object, object?]>([
    ['of an unknown issuer', 404, { issuerDid: 'did:web:nobody.example' }],
    ['of an unknown credential', 404, { credentialId: 'nothing' }],
    ["of another issuer's credential", 400, { credentialId: 'member' }],
    ['of another schema', 400, {}, { schemaId: 'other' }],
    ['of a version that the schema has not', 400, { schemaVersion: 7 }],
    ['with a hash in capitals', 400, { coreClaimHash: 'AB'.repeat(32) }],
    ['with a nonce beyond 64 bits', 400, { revocationNonce: String(2n ** 64n) }],
    ['with a nonce in another spelling', 400, { revocationNonce: '007' }],
    ['with a member that is none', 400, { holderDid: 'x' }],
    ['that expired', 400, {}, { expiresAt: '2020-01-01T00:00:00Z' }],
  ])('a claim is refused: %s', async (_name, status, change, more) => {
    await put('schemas/other', { title: 'O', description: '', dataPoints: [{ name: 'a', type: 'string' }] });
    expect((await answerTo(change, more)).status).toBe(status);
  });

  it('a claim of a managed issuer is refused', async () => {
    const change = { issuerDid: issuing.issuerDid, credentialId: 'member' };
    expect((await answerTo(change)).body).toEqual({ error: 409, message: expect.stringContaining('issued on behalf') });
  });

  it('a claim whose hash or nonce is taken is refused', async () => {
    const { claim } = await storedOne();
    for (const field of ['coreClaimHash', 'revocationNonce'] as const)
      expect((await answerTo({ [field]: claim[field] })).body).toEqual({
        error: 409,
        message: `Another issuance has this ${field}.`,
      });
  });

  it('a claim of a partner that may not act for the issuer is refused', async () => {
    const other = await registerPartner(issuing.gateway, []);
    expect((await store(await signed(), other)).status).toBe(403);
  });

  it('a claim outside the window, or beyond the maximum, is refused', async () => {
    await put('credentials/own-member', { ...CREDENTIAL, accessibleEnd: '2020-01-01T00:00:00Z' });
    expect((await answerTo({})).status).toBe(409);
    await put('credentials/own-member', { ...CREDENTIAL, maximumIssuance: 1 });
    expect((await answerTo({})).body.message).toContain('The maximum of 1 issuances');
    await put('credentials/own-member', CREDENTIAL);
    expect((await answerTo({})).status).toBe(201);
  });

  it('a claim is refused if the holder declined the partner', async () => {
    await openPackage(issuing, SUBJECT);
    const { headers = {} } = issuing.holder ?? {};
    const body = { consent: 'declined' };
    await issuing.gateway.rest('PUT', `/v1/holders/me/partners/${partner.partnerId}`, { body, headers });
    expect((await store(await signed(EMAIL))).status).toBe(409);
    await issuing.gateway.rest('PUT', `/v1/holders/me/partners/${partner.partnerId}`, {
      body: { consent: 'accepted' },
      headers,
    });
  });

  it('a refused claim leaves nothing behind', async () => {
    const { claim, ...body } = await signed();
    expect((await store({ ...body, claim: { ...claim, schemaVersion: 7 } })).status).toBe(400);
    expect(await rows('storedCredentials').countDocuments({ externalId: body.externalId })).toBe(0);
    expect((await store({ ...body, claim })).status).toBe(201);
  });
});

it('a store of an earlier version loses the index that allows only one row without a status list', async () => {
  const { connection } = issuing.gateway.app;
  await rows('issuances').dropIndex('statusListPlace');
  await rows('issuances').deleteMany({ direct: true });
  await rows('issuances').createIndex({ statusListId: 1, statusListIndex: 1 }, { unique: true });
  await migrateAll(connection);
  await migrateAll(connection);
  await storedOne();
  await storedOne();
  const names = (await rows('issuances').indexes()).map(({ name }) => name);
  expect(names).toContain('statusListPlace');
  expect(names).not.toContain('statusListId_1_statusListIndex_1');
});

it('a store of an earlier version loses the indexes that nothing reads, and its status lists have the revoked rows alone', async () => {
  const { connection } = issuing.gateway.app;
  await rows('issuances').dropIndex('revokedInStatusList');
  await rows('issuances').createIndex({ statusListId: 1, revokedAt: 1 });
  await rows('issuances').createIndex({ credentialId: 1, holderId: 1 });
  await rows('firstHoldings').createIndex({ scope: 1, of: 1 });
  await migrateAll(connection);
  const names = (await rows('issuances').indexes()).map(({ name }) => name);
  expect(names).toContain('revokedInStatusList');
  expect(names).not.toContain('statusListId_1_revokedAt_1');
  expect(names).not.toContain('credentialId_1_holderId_1');
  expect((await rows('firstHoldings').indexes()).map(({ name }) => name)).toEqual(['_id_']);
});
