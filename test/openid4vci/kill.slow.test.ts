// Two gateways on one store: a partner offers at one, a wallet takes the offer at the other, and either is killed with SIGKILL in the midst of it.
// Each person gets one issuance, counted once, and a wallet that asks again gets its credential. Few by default; 200 offers and 50 kills take some
// minutes: OFFERS=200 OFFER_KILLS=50 npx vitest run test/openid4vci/kill.slow.test.ts
import { randomBytes, randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Connection } from 'mongoose';
import { afterEach, expect, it } from 'vitest';
import { recount } from '../../src/cli/traction.js';
import { registerModels } from '../../src/compose/domains.js';
import { openDatabase } from '../support/database.js';
import { databaseUri } from '../support/gateway.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { persistently } from '../support/persistently.js';
import { reachOf } from '../verification/processes.js';
import type { Reach } from '../verification/world.js';
import { type Answer, newKey, TestWallet } from './wallet.js';

const PUBLIC = 'https://wallets.example';
const KILLS = Number(process.env.OFFER_KILLS ?? 3);
const OFFERS = Number(process.env.OFFERS ?? 12);
const AT_ONCE = Math.max(3, Math.floor(OFFERS / 25));

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** The place in the status list of the one credential of an answer. */
const placeOf = ({ body }: Answer): { uri: string; idx: number } =>
  JSON.parse(Buffer.from(body.credentials[0].credential.split('.')[1], 'base64url').toString()).status.status_list;

/** Offers to a person at one gateway, and takes the offer at the other, until the wallet has its credential; its place. */
async function offerTo(email: string, one: Reach, two: Reach): Promise<{ uri: string; idx: number }> {
  const at = ({ gateway }: Reach) => {
    const own = (url: string): string => url.replace(PUBLIC, gateway.url);
    return { own, wallet: new TestWallet(`${PUBLIC}/oid4vci/club`, own) };
  };
  const about = { issuerDid: one.issuerDid, credentialId: 'member', email, txCode: 'partner' };
  const offer = { ...about, credentialSubject: { level: 3, since: '2024-02-29' } };
  const dpop = randomInt(2) === 0 ? undefined : await newKey();
  const { body } = await persistently(() => one.partner.rest('POST', '/v1/offers', offer));
  const read = await persistently(() => TestWallet.offerAt(body.offerUri, at(two).own));
  // A code that was spent by a process that died before it sent the token is good for the same wallet, for a minute: either gateway has it.
  const turns = [two, one];
  const token = await persistently(() => {
    turns.reverse();
    return at(turns[1] as Reach).wallet.tokenFor(read.body, body.txCode, dpop);
  });
  expect(token).toMatchObject({ status: 200 });
  const key = await newKey();
  const ask = async ({ wallet }: ReturnType<typeof at>): Promise<Answer> => {
    const proofs = { jwt: [await wallet.proof(key, await wallet.nonce())] };
    return wallet.credential(token.body.access_token, { credential_identifier: 'member', proofs }, dpop);
  };
  const answers = [await persistently(() => ask(at(two))), await persistently(() => ask(at(one)))];
  for (const { status, body } of answers) expect({ status, body }).toMatchObject({ status: 200 });
  const [first, again] = answers.map(placeOf) as [ReturnType<typeof placeOf>, ReturnType<typeof placeOf>];
  expect(again).toEqual(first);
  return first;
}

it('after kills, each offer has one issuance, counted once, and its wallet the credential', async () => {
  const database = await openDatabase(registerModels);
  ends.push(() => database.close());
  const env = {
    MONGODB_URI: databaseUri(database.connection.name),
    KEYSTORE_KEY: randomBytes(32).toString('base64'),
    ...{ PUBLIC_URL: PUBLIC, CHAIN: 'off', ZK: 'off' },
  };
  const gateways = [new GatewayProcess(env), new GatewayProcess(env)] as const;
  ends.push(async () => {
    for (const gateway of gateways) gateway.remove();
  });
  for (const gateway of gateways) await gateway.start();
  const world = await reachOf(gateways[0]);
  const other = { ...world, gateway: gateways[1] };

  const places: { uri: string; idx: number }[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < OFFERS) {
      const at = next++;
      const [one, two] = at % 2 === 0 ? [world, other] : [other, world];
      places.push(await offerTo(`holder-${at}@example.org`, one, two));
    }
  };
  const offering = Promise.all(Array.from({ length: AT_ONCE }, lane));
  let isOver = false;
  const over = () => {
    isOver = true;
  };
  offering.then(over, over);
  for (let kill = 0; kill < KILLS && !isOver; kill += 1) {
    await delay(randomInt(50, 1_500));
    const killed = gateways[randomInt(2)] ?? gateways[0];
    await killed.stop('SIGKILL');
    await killed.start();
  }
  await offering;
  await auditOf(database.connection as never, places);
  await expect.poll(() => recount(database.connection), { interval: 500 }).toMatchObject({ sound: true });
  const { body } = await gateways[0].rest('GET', '/v1/catalog/credentials/member');
  expect(body.data.traction).toMatchObject({ issuanceCount: OFFERS, holderCount: OFFERS });
}, 3_600_000);

/** What the store holds of it: no second of anything, and nothing without the rest. */
async function auditOf(connection: Connection, places: { uri: string; idx: number }[]): Promise<void> {
  const rowsOf = (name: string, filter: object = {}) => connection.collection(name).find(filter).toArray();
  const issuances = await rowsOf('issuances');
  const hashes = issuances.map(({ coreClaimHash }) => coreClaimHash).sort();
  expect(new Set(issuances.map(({ holderId }) => holderId)).size).toBe(OFFERS);
  expect(hashes).toHaveLength(OFFERS);
  const issued = await rowsOf('offers', { state: 'issued' });
  expect(issued.map(({ coreClaimHash }) => coreClaimHash).sort()).toEqual(hashes);
  const instances = issuances.flatMap((row) => row.instances.map(({ index }: { index: number }) => index));
  expect(instances.sort()).toEqual(places.map(({ idx }) => idx).sort());
  const stored = await rowsOf('storedCredentials');
  expect(stored.map(({ coreClaimHash }) => coreClaimHash).sort()).toEqual(hashes);
  const submitted = await rowsOf('events', { type: 'submitted' });
  expect(submitted.map(({ payload }) => payload.coreClaimHash).sort()).toEqual(hashes);
  const created = await rowsOf('events', { type: 'offer_created' });
  expect(created.map(({ payload }) => payload.offerId).sort()).toEqual(
    (await rowsOf('offers')).map(({ _id }) => String(_id)).sort(),
  );
}
