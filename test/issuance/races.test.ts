// Issuance when many want the same at once: one live credential a holder, never more than the maximum, one `expired` event, and a log without holes.
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { EventLog } from '../../src/events/event-log.js';
import { eventModels } from '../../src/events/models.js';
import { expireDue } from '../../src/issuance/expiry.js';
import { Holdings } from '../../src/issuance/holdings.service.js';
import { issuanceModels } from '../../src/issuance/models.js';
import { StorageService } from '../../src/storage/storage.service.js';
import { until } from '../support/eventually.js';
import { databaseUri, type RestAnswer, startGateway, type TestGateway } from '../support/gateway.js';
import { registerIssuer, registerPartner, type TestPartner } from '../support/partner.js';

// Transactions that meet are run again, one after the other.
const HOUR = 3_600_000;
/** Two processes of one gateway: one store, one keystore, clocks that can be put forward. */
const shared = {
  MONGODB_URI: databaseUri(`test_${randomUUID().slice(0, 8)}`),
  KEYSTORE_KEY: randomBytes(32).toString('base64'),
  ZK: 'off',
};
let ahead = 0;
const clock = () => Date.now() + ahead;

let gateways: [TestGateway, TestGateway];
let gateway: TestGateway;
let partner: TestPartner;
let issuerDid: string;

beforeAll(async () => {
  gateways = [await startGateway({ env: shared, clock }), await startGateway({ env: shared, clock })];
  [gateway] = gateways;
  issuerDid = await registerIssuer(gateway, 'race');
  partner = await registerPartner(gateway, [issuerDid]);
});
afterAll(async () => {
  await gateways[1].app.close();
  await gateway.close();
});

const rows = (name: string) => gateway.app.connection.collection(name);

/** Issues through both processes in turn, all at once. */
async function atOnce(count: number, bodyOf: (index: number) => object): Promise<RestAnswer[]> {
  const headers = { 'x-partner-auth': await partner.token() };
  return Promise.all(
    Array.from({ length: count }, (_, index) => {
      const body = { issuerDid, credentialId: 'race-credential', credentialSubject: { note: 'n' }, ...bodyOf(index) };
      return (gateways[index % 2] ?? gateway).rest('POST', '/v1/credentials/issue-on-behalf', { body, headers });
    }),
  );
}

async function holderOf(email: string): Promise<string> {
  return (await partner.rest('POST', '/v1/auth/initialize-user', { email })).body.userId;
}

const statusOf = async (hash: string): Promise<string> =>
  (await gateway.rest('GET', `/v1/credentials/status?coreClaimHash=${hash}`)).body.vcStatus;

describe('twenty issuances to one holder at once', () => {
  it.each([
    ['revoke', 'a holder that is new'],
    ['ignore', 'a holder that is new'],
    ['revoke', 'a holder whose only one was revoked'],
    ['ignore', 'a holder whose only one was revoked'],
  ])(
    'twenty concurrent issuances to one holder leave exactly one live (onDuplicate %s, %s)',
    async (onDuplicate, who) => {
      const userId = await holderOf(`${randomUUID()}@example.org`);
      const events = (type: string) => rows('events').countDocuments({ type, 'viewers.holderId': userId });
      const earlier = who.includes('revoked') ? await atOnce(1, () => ({ userId })) : [];
      for (const { body } of earlier)
        await partner.rest('POST', '/v1/credentials/revoke', {
          coreClaimHash: body.coreClaimHash,
        });
      const [submitted, revoked] = [await events('submitted'), await events('revoked')];
      const answers = await atOnce(20, () => ({ userId, onDuplicate }));
      expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
      const hashes = new Set(answers.map(({ body }) => body.coreClaimHash));
      expect(hashes.size).toBe(onDuplicate === 'revoke' ? 20 : 1);
      const issued = await rows('issuances').find({ holderId: userId }).toArray();
      const total = hashes.size + earlier.length;
      expect(issued).toHaveLength(total);
      expect(issued.filter(({ live, revokedAt }) => live && revokedAt === null)).toHaveLength(1);
      expect(await rows('storedCredentials').countDocuments({ holderId: userId })).toBe(total);
      expect([(await events('submitted')) - submitted, (await events('revoked')) - revoked]).toEqual([
        hashes.size,
        hashes.size - 1,
      ]);
    },
  );
});

describe('a maximum of 10', () => {
  it('a maximum of 10 lets exactly 10 of 30 concurrent issuances through', async () => {
    const limited = { name: 'Limited', category: 'Test', issuerId: 'race', schemaId: 'race-schema' };
    const body = { ...limited, maximumIssuance: 10 };
    expect((await gateway.admin('PUT', '/v1/admin/credentials/race-limited', { body })).status).toBe(200);
    const answers = await atOnce(30, (index) => ({ credentialId: 'race-limited', email: `max-${index}@example.org` }));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(10).fill(200), ...Array(20).fill(409)]);
    expect(await rows('issuances').countDocuments({ credentialId: 'race-limited' })).toBe(10);
  });
});

it('a maximum that is set while an issuance is under way counts that one', async () => {
  const credentialId = 'race-late';
  const put = async (maximumIssuance: number | null) => {
    const body = { name: 'Late', category: 'Test', issuerId: 'race', schemaId: 'race-schema', maximumIssuance };
    expect((await gateway.admin('PUT', `/v1/admin/credentials/${credentialId}`, { body })).status).toBe(200);
  };
  const issue = async () =>
    (await atOnce(1, () => ({ credentialId, email: `${randomUUID()}@example.org` })))[0]?.status;
  await put(null);
  // From now on, this process knows that there is no count.
  ahead += 61_000;
  onTestFinished(() => {
    ahead -= 61_000;
  });
  expect(await issue()).toBe(200);
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { prepareIssued } = StorageService.prototype;
  const preparing = vi.spyOn(StorageService.prototype, 'prepareIssued').mockImplementationOnce(async function (
    this: StorageService,
    ...of
  ) {
    await released;
    return prepareIssued.apply(this, of);
  });
  onTestFinished(() => preparing.mockRestore());
  const underWay = issue();
  await until(() => preparing.mock.calls.length > 0);
  await put(3);
  expect(await issue()).toBe(200);
  release();
  expect(await underWay).toBe(200);
  expect(await issue()).toBe(409);
  expect(await rows('issuances').countDocuments({ credentialId })).toBe(3);
});

describe('a maximum that was away for a while', () => {
  const put = async (maximumIssuance: number | null) => {
    const body = { name: 'Paused', category: 'Test', issuerId: 'race', schemaId: 'race-schema', maximumIssuance };
    expect((await gateway.admin('PUT', '/v1/admin/credentials/race-paused', { body })).status).toBe(200);
  };
  const issue = async (count: number) => {
    const bodyOf = () => ({ credentialId: 'race-paused', email: `${randomUUID()}@example.org` });
    return (await atOnce(count, bodyOf)).map(({ status }) => status).sort();
  };
  const said = async (maximumIssuance: number) => {
    const body = { operation: 'issueOnBehalf', issuerDid, credentialId: 'race-paused', token: await partner.token() };
    const { checks } = (await partner.rest('POST', '/v1/why', body)).body;
    const { verdict } = checks.find(({ rule }: { rule: string }) => rule === 'credential.maximum');
    const holdings = new Holdings(issuanceModels(gateway.app.connection), clock);
    return [verdict, (await holdings.spent([{ _id: 'race-paused', maximumIssuance }])).has('race-paused')];
  };

  it('a maximum that was removed for a while counts what was issued meanwhile, also in `why`', async () => {
    await put(5);
    expect(await issue(1)).toEqual([200]);
    await put(null);
    expect(await issue(6)).toEqual(Array(6).fill(200));
    await put(5);
    expect(await said(5)).toEqual(['FORBIDDEN', true]);
    expect(await issue(1)).toEqual([409]);
    await put(10);
    expect(await said(10)).toEqual(['ALLOWED', false]);
    expect(await issue(8)).toEqual([...Array(3).fill(200), ...Array(5).fill(409)]);
    expect(await said(10)).toEqual(['FORBIDDEN', true]);
    expect(await rows('issuances').countDocuments({ credentialId: 'race-paused' })).toBe(10);
  });
});

describe('expiry', () => {
  const expiring = async (count: number, name: string): Promise<string[]> => {
    const expiresAt = new Date(clock() + HOUR / 2).toISOString();
    const answers = await atOnce(count, (index) => ({ email: `${name}-${index}@example.org`, expiresAt }));
    expect(answers.map(({ status }) => status)).toEqual(Array(count).fill(200));
    return answers.map(({ body }) => body.coreClaimHash);
  };
  const expire = () =>
    Promise.all(
      gateways.map(({ app: { connection } }) => {
        const { append: appendEvents } = new EventLog(eventModels(connection), clock);
        return expireDue({ connection, models: issuanceModels(connection), appendEvents, clock });
      }),
    );
  const events = (type: string, hash: string) => rows('events').countDocuments({ type, 'payload.coreClaimHash': hash });

  it('expiry is reported once for each issuance, whichever processes find it due at the same moment', async () => {
    const hashes = await expiring(20, 'expiring');
    ahead += HOUR;
    await expire();
    for (const hash of hashes) expect([await events('expired', hash), await statusOf(hash)]).toEqual([1, 'EXPIRE']);
    await expire();
    expect(await rows('events').countDocuments({ type: 'expired' })).toBe(20);
    ahead -= HOUR;
  });

  it('expiry happens by itself, once, with the workers of two processes', async () => {
    const [hash = ''] = await expiring(1, 'by-itself');
    ahead += HOUR;
    await until(async () => (await events('expired', hash)) > 0);
    ahead -= HOUR;
    expect(await events('expired', hash)).toBe(1);
  });

  it('a revocation replaces an expiry, before it, after it and at the same moment', async () => {
    const hashes = await expiring(9, 'revoked');
    const revoke = (hash: string) => gateway.admin('POST', '/v1/admin/revoke', { body: { coreClaimHash: hash } });
    const before = hashes.slice(0, 3);
    for (const hash of before) await revoke(hash);
    ahead += HOUR;
    await Promise.all([expire(), ...hashes.slice(3, 6).map(revoke)]);
    for (const hash of hashes.slice(6)) await revoke(hash);
    for (const hash of hashes) expect([await statusOf(hash), await events('revoked', hash)]).toEqual(['REMOVE', 1]);
    for (const hash of before) expect(await events('expired', hash)).toBe(0);
    for (const hash of hashes) expect(await events('expired', hash)).toBeLessThanOrEqual(1);
    ahead -= HOUR;
  });
});

describe('the log after all of it', () => {
  it('the log after all races has every event at its own position, without a gap', async () => {
    let places: number[] = [];
    // Workers may still add an event, which has no number for a moment.
    await until(async () => {
      places = (await rows('events').find().sort({ seq: 1 }).toArray()).map(({ seq }) => Number(seq));
      return !places.some(Number.isNaN);
    });
    expect(places).toEqual(places.map((_, index) => index + 1));
    const traction = async () => (await gateway.rest('GET', '/v1/catalog/credentials/race-limited')).body.data.traction;
    await until(async () => (await traction()).issuanceCount >= 10);
    expect(await traction()).toMatchObject({ issuanceCount: 10, holderCount: 10 });
  });
});
