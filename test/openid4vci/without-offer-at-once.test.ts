// Requests without an offer at two gateways at once, or again after the credential was given.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../support/eventually.js';
import { databaseUri, startGateway, type TestGateway } from '../support/gateway.js';
import { Authorizing, PUBLIC } from './authorizing.js';
import { errorOf } from './authorizing-world.js';
import { type Answer, type Key, newKey } from './wallet.js';
import { type WithoutOfferWorld, withoutOfferWorld } from './without-offer-world.js';

const SUBJECT = { level: 7, since: '2024-01-01' };
const REFUSED: [number, object] = [409, { error: 'there is one already' }];
const GIVEN: [number, object] = [200, { credentialSubject: SUBJECT }];

let first: TestGateway;
let second: TestGateway;
let world: WithoutOfferWorld;
let ahead = 0;
/** The time from which a test counts, however long its requests take. */
let start: number | undefined;
beforeAll(async () => {
  const env = { PUBLIC_URL: PUBLIC, MONGODB_URI: databaseUri(`test_${randomUUID().slice(0, 8)}`) };
  const clock = () => (start ?? Date.now()) + ahead;
  first = await startGateway({ env, clock });
  second = await startGateway({ env, clock });
  world = await withoutOfferWorld(first, () => first.url);
});
afterAll(async () => {
  await world?.close();
  await second?.app.close();
  await first?.close();
});
beforeEach(async () => {
  ahead = 0;
  start = undefined;
  await first.app.connection.collection('rateLimits').deleteMany({ expiresAt: { $gt: new Date(0) } });
});

const requests = () => first.app.connection.collection('requestedCredentials');
let people = 0;

/** A request that waits for its issuer. */
async function waiting(issuerId: 'club' | 'office', dpop?: Key) {
  const credentialId = issuerId === 'club' ? 'member' : 'identity';
  people += 1;
  world.backEnd.answer = () => [202, { interval: 60 }];
  const at = world.at(issuerId);
  const { body: token } = await world.token(at, credentialId, `ada${people}@example.org`, dpop);
  const { body } = await world.ask(at, token.access_token, credentialId, dpop ? { dpop } : {});
  const { userId } = world.backEnd.asked.at(-1)?.body ?? {};
  const deferred = ({ url }: TestGateway = first): Promise<Answer> =>
    new Authorizing(url, at.issuer).wallet.deferred(token.access_token, body.transaction_id, dpop);
  return { at, token, userId, deferred };
}

/** The issuer answers the first of two requests that are there at once with this, then the other one. */
function answersInTurn(one: [number, object], other: [number, object], meanwhile: () => Promise<unknown>): void {
  let times = 0;
  let arrived: (value?: unknown) => void = () => undefined;
  const bothAreThere = new Promise((resolve) => {
    arrived = resolve;
  });
  world.backEnd.answer = async () => {
    times += 1;
    if (times === 2) arrived();
    const isFirst = times === 1;
    await bothAreThere;
    if (isFirst) return one;
    await meanwhile();
    return other;
  };
}

describe('Of two deferred requests at once', () => {
  it.each<[string, [number, object]]>([
    ['refused', REFUSED],
    ['told what the credential contains', GIVEN],
    ['told what does not fit the schema', [200, { credentialSubject: { level: 'x' } }]],
  ])('the second is %s after the first was issued: both get copies, and the tokens stay good', async (_name, then) => {
    const dpop = await newKey();
    const { at, token, userId, deferred } = await waiting('club', dpop);
    const isIssued = { holderId: userId, coreClaimHash: { $exists: true } };
    answersInTurn(GIVEN, then, () => until(async () => (await requests().countDocuments(isIssued)) === 1));
    const answers = await Promise.all([deferred(first), deferred(second)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const refresh = { grant_type: 'refresh_token', refresh_token: token.refresh_token };
    const { body: renewed } = await at.wallet.token(refresh, dpop);
    const again = await world.ask(at, renewed.access_token, 'member', { dpop });
    expect(again.status).toBe(200);
    const issuances = first.app.connection.collection('issuances');
    expect(await issuances.countDocuments({ holderId: userId })).toBe(1);
  });

  it('one is refused before the other is issued: none is, and both wallets learn it', async () => {
    const { userId, deferred } = await waiting('club');
    answersInTurn(REFUSED, GIVEN, () =>
      until(async () => (await requests().countDocuments({ holderId: userId })) === 0),
    );
    const answers = await Promise.all([deferred(first), deferred(second)]);
    expect(answers.map(errorOf)).toEqual(['400 credential_request_denied', '400 credential_request_denied']);
    const issuances = first.app.connection.collection('issuances');
    expect(await issuances.countDocuments({ holderId: userId })).toBe(0);
    expect(errorOf(await deferred(second))).toBe('401 invalid_token');
  });
});

describe('A transaction_id that got its credentials', () => {
  const officeGives = () => {
    world.backEnd.answer = async ({ body }) => {
      const all = body.keys.map((jwk: object) => world.foreign.issue({ payload: { cnf: { jwk } } }));
      return [200, { credentials: (await Promise.all(all)).map(({ credential }) => credential) }];
    };
  };

  it.each(['club', 'office'] as const)('of %s is good for a minute more, for a lost response', async (issuerId) => {
    start = Date.now();
    const { deferred } = await waiting(issuerId);
    if (issuerId === 'club') world.backEnd.answer = () => GIVEN;
    else officeGives();
    expect((await deferred(first)).status).toBe(200);
    ahead = 55_000;
    expect((await deferred(second)).body.credentials).toHaveLength(2);
    ahead = 61_000;
    const asked = world.backEnd.asked.length;
    for (const gateway of [first, second]) expect(errorOf(await deferred(gateway))).toBe('400 invalid_transaction_id');
    expect(world.backEnd.asked).toHaveLength(asked);
  });

  it('is not void while the issuer still needs time', async () => {
    const { deferred } = await waiting('club');
    ahead = 86_400_000;
    expect((await deferred(second)).status).toBe(202);
    world.backEnd.answer = () => GIVEN;
    expect((await deferred(first)).status).toBe(200);
  });
});

it('A refresh that begins before the issuance, and ends after it, does not shorten how long the wallet may come back', async () => {
  const dpop = await newKey();
  const { at, token, userId, deferred } = await waiting('club', dpop);
  world.backEnd.answer = () => GIVEN;
  const { connection } = first.app;
  const transaction = connection.transaction.bind(connection);
  const issued = new Promise<Answer>((resolve, reject) => {
    connection.transaction = async (...all) => {
      connection.transaction = transaction;
      await deferred(second).then(resolve, reject);
      return transaction(...all);
    };
  });
  const refreshed = await at.wallet.token({ grant_type: 'refresh_token', refresh_token: token.refresh_token }, dpop);
  expect([(await issued).status, refreshed.status]).toEqual([200, 200]);
  const row = await requests().findOne({ holderId: userId });
  expect(row?.expiresAt.getTime()).toBeGreaterThan(Date.now() + 80 * 86_400_000);
});
