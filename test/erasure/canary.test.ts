// An erased holder: nothing in the whole store names it any more, whatever it did before; what is counted and public stays as it was, and other
// holders keep what they have.
import { randomBytes, randomUUID } from 'node:crypto';
import type { Connection } from 'mongoose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { auditModels } from '../../src/audit/models.js';
import { verifyChain } from '../../src/audit/verify.js';
import { recount } from '../../src/cli/traction.js';
import { registerModels } from '../../src/compose/domains.js';
import { SETTLING_MS } from '../../src/erasure/worker.js';
import { verificationModels } from '../../src/verification/records/models.js';
import { Nullifiers } from '../../src/verification/records/nullifiers.js';
import { dumpOf } from '../support/database.js';
import { eventually } from '../support/eventually.js';
import { encrypt } from '../support/holder-device.js';
import { SCHEMA } from '../support/membership.js';
import { logIn } from '../support/partner.js';
import { asVerifier, PROGRAM, SUBJECT, startWorld, type World } from '../verification/world.js';
import { leaveBatch, leaveKeys, leaveLogins, leaveOffers } from './leavings.js';

const ADA = 'ada.to-be-erased@example.org';
const BEA = 'bea.stays@example.org';
const ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

let world: World;
let ahead = 0;
/** How often the work was stopped after everything was deleted, and before that was noted. */
let stops = 0;
/** What the store held of the holder, by what it is. */
const traces = new Map<string, string>();
let userId: string;
let did: string;
let session: string;
let hashes: string[];
let countsBefore: unknown;

const collection = (name: string) => world.gateway.app.connection.collection(name);

beforeAll(async () => {
  world = await startWorld({ clock: () => Date.now() + ahead });
  registerModels(world.gateway.app.connection);
  world.gateway.app.services.erasers.add({
    erase: async () => {
      if (stops > 0) return;
      stops += 1;
      throw new Error('stopped on the way');
    },
  });
  await world.partner.rest('POST', '/v1/webhooks', { url: 'http://127.0.0.1:9/', types: ['submitted', 'stored'] });
  await live(BEA, 'bea');
  const { keys, ...ada } = await live(ADA, 'ada');
  ({ userId, did, session, hashes } = ada);
  for (const [what, text] of Object.entries(keys)) traces.set(what, text);
  await besides(world.gateway.app.connection);
  await eventually(async () => expect(await collection('webhookDeliveries').countDocuments()).toBeGreaterThan(5));
  // Traction is counted in the background.
  await eventually(async () => {
    const { traction, issuances } = await counts();
    expect(traction.issuanceCount).toBe(issuances);
  });
  countsBefore = await counts();
  await collectTraces();
});
afterAll(() => world.gateway.close());

/** All that a holder can do without a chain. */
async function live(email: string, name: string) {
  const { gateway, partner, issuerDid } = world;
  const initialized = await partner.rest('POST', '/v1/auth/initialize-user', { email, partnerUserId: `crm-${name}` });
  const holder = initialized.body as { userId: string; did: string; publicKey: string };
  const token = await logIn(gateway, partner, email);
  const headers = { authorization: `Bearer ${token}` };
  const consent = { body: { consent: 'accepted' }, headers };
  await gateway.rest('PUT', `/v1/holders/me/partners/${world.partnerId}`, consent);
  const keys = await leaveKeys(gateway, headers);
  const body = { issuerDid, credentialId: 'member', credentialSubject: SUBJECT, email };
  const issued = [];
  for (const key of [`${name}-1`, `${name}-2`])
    issued.push(await partner.rest('POST', '/v1/credentials/issue-on-behalf', body, { 'idempotency-key': key }));
  const envelope = encrypt('package', holder.publicKey);
  const package_ = { holderDid: holder.did, schemaId: SCHEMA.$id, expiresAt: null, ...envelope };
  const stored = await partner.rest('POST', '/v1/dstorage/vcs', { ...package_, externalId: `file of ${email}` });
  expect(stored.status).toBe(201);
  const started = { programId: PROGRAM, userId: holder.userId };
  expect((await asVerifier(world, 'POST', '/v1/verifications', started)).status).toBe(201);
  await leaveBatch(world, email);
  await leaveOffers(world, { email, userId: holder.userId });
  await leaveLogins(world, { email, headers });
  return { ...holder, keys, session: token, hashes: issued.map((answer) => answer.body.coreClaimHash as string) };
}

/** What a chain, a CAK and a verification that ended leave. */
async function besides(connection: Connection): Promise<void> {
  const now = new Date();
  const models = verificationModels(connection);
  const nullifiers = new Nullifiers(models, world.gateway.app.services.box);
  const nullifier = await nullifiers.nullifier(PROGRAM, userId);
  traces.set('nullifier', nullifier);
  traces.set('holderKey', await nullifiers.holderKey(userId));
  const insert = (name: string, row: object) => collection(name).insertOne(row as never);
  for (const state of ['previewed', 'finished'])
    await insert('revocationJobs', { _id: state, tokenHash: state, state, filter: { userId, holderDid: did } });
  await insert('programUses', { _id: nullifier, programId: PROGRAM, taken: 1, compliant: 1 });
  const counted = { nullifier, programId: PROGRAM, credentialId: 'member', issuerId: 'club', count: 1 };
  await insert('nullifiers', { _id: `${nullifier} member`, ...counted });
  await insert('verifications', {
    ...{ _id: randomUUID(), partnerId: world.partnerId, programId: PROGRAM, programVersion: 'v', state: 'closed' },
    ...{ status: 'Compliant', reason: null, nonce: 'n', createdAt: now, expiresAt: now, decidedAt: now },
    ...{ redirectUrl: null, holderKey: await nullifiers.holderKey(userId), credentialId: 'member', issuerId: 'club' },
    ...{ proofSha256: 'p', nullifier, current: 'Compliant', receipt: `receipt-of-${nullifier}` },
  });
  const account = { abstractAccountAddress: ADDRESS, accountOwner: ADDRESS.toLowerCase() };
  await collection('holders').updateOne({ _id: userId as never }, { $set: account });
  await insert('accounts', { _id: ADDRESS.toLowerCase(), holderId: userId, address: ADDRESS, createdAt: now });
  await insert('walletChallenges', { _id: 'c', holderId: userId, address: ADDRESS, message: ADDRESS, expiresAt: now });
  await insert('accountDeployments', { _id: `1 ${ADDRESS.toLowerCase()}`, jobId: 'j' });
  const operation = { sender: ADDRESS };
  await insert('userOperations', { _id: 'o', jobId: 'j', holderId: userId, operation, createdAt: now });
  await insert('gasSpending', {
    _id: `2026-01-01 ${world.partnerId} ${userId}`,
    expiresAt: new Date(Date.now() + 1e9),
  });
  const core = {
    holderId: userId,
    account: ADDRESS,
    partnerId: 'p',
    name: 'ada.core',
    chainId: 1,
    jobId: 'j',
    minted: true,
  };
  await insert('coreIds', { _id: '0xnode', ...core });
  await insert('chainJobs', {
    kind: 'mint',
    args: { to: ADDRESS },
    holderId: userId,
    state: 'confirmed',
    createdAt: now,
  });
  const cak = {
    holderId: userId,
    issuerId: 'club',
    schemaId: 's',
    curve: 'secp256r1',
    publicKey: '02aa',
    updatedAt: now,
  };
  await insert('cakKeys', { _id: `${userId} club s`, ...cak });
  await connection.transaction((tx) =>
    world.gateway.app.services.events.append(
      [
        { type: 'cak_authorized', viewers: { partnerId: world.partnerId }, payload: { userId, schemaId: 's' } },
        { type: 'wallet_initialized', viewers: { holderId: userId }, payload: { abstractAccountAddress: ADDRESS } },
      ],
      tx,
    ),
  );
}

/** The texts by which the holder could be found, as they stand in the store. */
async function collectTraces(): Promise<void> {
  const [holder] = await collection('holders')
    .find({ _id: userId as never })
    .toArray();
  const { sealedEmail, sealedPrivateKey, emailHash, publicKey } = (holder ?? {}) as Record<string, string>;
  for (const [what, text] of Object.entries({ userId, did, emailHash, sealedEmail, publicKey }))
    traces.set(what, text ?? '');
  if (sealedPrivateKey) traces.set('sealedPrivateKey', sealedPrivateKey);
  traces.set('address', ADDRESS);
  traces.set('name', 'ada.core');
  const packages = await collection('storedCredentials').find({ holderId: userId }).toArray();
  expect(packages).toHaveLength(4);
  packages.forEach(({ data }, at) => {
    traces.set(`ciphertext ${at}`, JSON.parse(JSON.stringify(data)));
  });
  const links = await collection('holderPartners').find({ holderId: userId }).toArray();
  traces.set('partnerUserId', links[0]?.sealedPartnerUserId);
  // The partner's own names of it: plain in rows of batches and in packages.
  traces.set('e-mail', ADA);
}

async function counts() {
  const query = '{ credential(credentialId: "member") { traction { holderCount issuanceCount } } }';
  const { data } = await world.gateway.gql(query);
  const firsts = await collection('firstHoldings').countDocuments();
  const statuses = await Promise.all(
    hashes.map(async (hash) => (await world.gateway.rest('GET', `/v1/credentials/status?coreClaimHash=${hash}`)).body),
  );
  return { ...data.credential, firsts, issuances: await collection('issuances').countDocuments(), statuses };
}

/** The traces that are in the store, in any case of letters. */
async function found(): Promise<string[]> {
  const dump = (await dumpOf(world.gateway.app.connection)).toLowerCase();
  return [...traces].filter(([, text]) => dump.includes(text.toLowerCase())).map(([what]) => what);
}

const stateOf = async (erasureId: string): Promise<string> =>
  (await world.gateway.admin('GET', `/v1/admin/erasures/${erasureId}`)).body.state;

describe('The erasure of a holder', () => {
  let erasureId: string;

  it('an erasure needs an operator key with the role all, and exactly one name', async () => {
    const erase = '/v1/admin/holders/erase';
    expect((await world.partner.rest('POST', erase, { userId })).status).toBe(403);
    expect((await world.gateway.admin('POST', erase, { body: {} })).status).toBe(400);
    expect((await world.gateway.admin('POST', erase, { body: { userId, email: ADA } })).status).toBe(400);
    expect((await world.gateway.admin('POST', erase, { body: { userId: randomUUID() } })).status).toBe(404);
  });

  it('a holder with transactions in progress cannot be erased yet', async () => {
    const open = {
      kind: 'mint',
      args: {},
      holderId: userId,
      state: 'failed',
      open: true,
      createdAt: new Date(),
      tries: 0,
    };
    const { insertedId } = await collection('chainJobs').insertOne(open as never);
    const answer = await world.gateway.admin('POST', '/v1/admin/holders/erase', { body: { email: ADA } });
    expect([answer.status, answer.body.message]).toEqual([409, expect.stringContaining('in progress')]);
    await collection('chainJobs').deleteOne({ _id: insertedId });
  });

  it('an erasure ends the holder at once', async () => {
    const keys = ['publicKey', 'backup', 'wrap', 'recoveryProofHash', 'devicePublicKey', 'encryptedKey'];
    const expected = ['userId', 'did', 'sealedEmail', 'address', 'e-mail', 'ciphertext 0', 'nullifier', ...keys];
    expect(await found()).toEqual(expect.arrayContaining(expected));
    const query = 'mutation ($input: EraseHolderInput!) { eraseHolder(input: $input) { erasure { erasureId } } }';
    const headers = { 'x-admin-api-key': world.gateway.operatorKey };
    const { data, errors } = await world.gateway.gql(query, { input: { email: ` ${ADA.toUpperCase()}` } }, headers);
    expect(errors).toBeUndefined();
    ({ erasureId } = data.eraseHolder.erasure);
    const again = await world.gateway.admin('POST', '/v1/admin/holders/erase', { body: { userId } });
    expect([again.status, again.body.erasureId]).toEqual([202, erasureId]);
    const me = await world.gateway.rest('GET', '/v1/holders/me', { headers: { authorization: `Bearer ${session}` } });
    expect(me.status).toBe(403);
    const body = { issuerDid: world.issuerDid, credentialId: 'member', credentialSubject: SUBJECT, userId };
    const refused = await world.partner.rest('POST', '/v1/credentials/issue-on-behalf', body);
    expect([refused.status, refused.body.message]).toEqual([404, expect.stringContaining('userId')]);
    expect((await world.gateway.rest('GET', `/v1/dids/${did}`)).status).toBe(404);
    await eventually(async () => {
      const package_ = { holderDid: did, schemaId: SCHEMA.$id, expiresAt: null, externalId: randomUUID() };
      const envelope = encrypt('late', traces.get('publicKey') ?? '');
      const late = await world.partner.rest('POST', '/v1/dstorage/vcs', { ...package_, ...envelope });
      expect(late.status).toBe(404);
    });
  });

  it('an interrupted erasure continues and deletes what requests in progress add; then nothing in the store names the holder', async () => {
    await eventually(async () => expect(await stateOf(erasureId)).toBe('settling'));
    expect(stops).toBe(1);
    const [row] = await collection('issuances').find().limit(1).toArray();
    const late = { ...row, _id: randomUUID(), holderId: userId, holderDid: did, live: false, storedId: randomUUID() };
    const fresh = { coreClaimHash: randomBytes(32).toString('hex'), revocationNonce: '7', statusListIndex: 7_000_000 };
    await collection('issuances').insertOne({ ...late, ...fresh, jobId: undefined, rowKey: undefined } as never);
    ahead += SETTLING_MS + 1_000;
    await eventually(async () => expect(await stateOf(erasureId)).toBe('done'));
    await collection('issuances').deleteOne({ coreClaimHash: fresh.coreClaimHash });
    expect(await found()).toEqual([]);
  });

  it('an erasure changes no counts, no statuses and not the audit chain', async () => {
    expect(await counts()).toEqual(countsBefore);
    const { connection } = world.gateway.app;
    await collection('verifications').deleteMany({ status: 'Compliant' });
    await collection('nullifiers').deleteMany({});
    expect(await recount(connection)).toMatchObject({ sound: true });
    await eventually(async () => expect((await verifyChain(connection)).pending).toBe(0));
    const report = await verifyChain(connection);
    expect(report.broken).toBeUndefined();
    expect(report.erased.length).toBeGreaterThan(3);
    expect(new Set(report.erased.map((row) => row.erasureId))).toEqual(new Set([erasureId]));
    const { entries } = auditModels(connection);
    const other = await entries.findOne({ operation: 'partner.put', seq: { $exists: true } });
    await entries.updateOne({ _id: other?._id }, { $set: { after: null, erased: true } });
    expect((await verifyChain(connection)).broken).toEqual({ seq: other?.seq, what: 'changed' });
  });

  it('an erasure deletes nothing of other holders, and the address can be used by a new holder', async () => {
    // Tokens of partners are of the present.
    ahead = 0;
    const token = await logIn(world.gateway, world.partner, BEA);
    const headers = { authorization: `Bearer ${token}` };
    expect((await world.gateway.rest('GET', '/v1/holders/me/credentials', { headers })).body.items).toHaveLength(4);
    expect(await collection('events').countDocuments({ 'viewers.holderId': { $exists: true } })).toBeGreaterThan(3);
    const anew = await world.partner.rest('POST', '/v1/auth/initialize-user', { email: ADA });
    expect(anew.body.status).toBe('new');
    expect([anew.body.userId, anew.body.did]).not.toEqual([userId, did]);
  });
});
