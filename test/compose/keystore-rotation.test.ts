// A change of KEYSTORE_KEY: which keys a gateway starts and seals with at each step, and that an address keeps its one holder. While gateways
// run: keystore-rotation.slow.test.ts.
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rotationFinding } from '../../src/cli/doctor-store.js';
import { registerModels, sealedFields } from '../../src/compose/domains.js';
import {
  announceKey,
  checkKeystoreKey,
  endRotation,
  KeystoreKeyError,
  rotationOf,
  useNextKey,
} from '../../src/compose/keystore.js';
import { rotationWorkers } from '../../src/compose/keystore-rotation.js';
import { Holders } from '../../src/holders/holders.service.js';
import { holderModels } from '../../src/holders/models.js';
import { SealedBox } from '../../src/keys/sealed-box.js';
import type { OfferRow } from '../../src/openid4vci/models.js';
import { rekey } from '../../src/store/rekey.js';
import { walletModels } from '../../src/verification/wallets/models.js';
import { openDatabase, type TestDatabase } from '../support/database.js';
import { openElections } from '../support/elections.js';
import { eventually } from '../support/eventually.js';

const [old, next] = [randomBytes(32), randomBytes(32)] as const;

let database: TestDatabase;
beforeEach(async () => {
  database = await openDatabase(registerModels);
});
afterEach(() => database.close());

describe('While the key changes', () => {
  const check = (box: SealedBox): Promise<string> =>
    checkKeystoreKey(database.connection, box, sealedFields(database.connection)).then(
      () => box.sealing,
      (error: unknown) => (error instanceof KeystoreKeyError ? 'refused' : Promise.reject(error)),
    );

  it("while the key changes, a gateway starts with the keys that it needs, and seals with the store's key", async () => {
    const { connection } = database;
    const [ofOld, both, ofNext] = [
      () => new SealedBox(old),
      () => new SealedBox(next, [old]),
      () => new SealedBox(next),
    ];
    const [oldId, nextId] = [ofOld().sealing, ofNext().sealing];
    expect([await check(ofOld()), await check(both()), await check(ofNext())]).toEqual([oldId, oldId, 'refused']);
    await announceKey(connection, both());
    expect([await check(ofOld()), await check(both()), await check(ofNext())]).toEqual(['refused', oldId, 'refused']);
    await useNextKey(connection);
    expect([await check(ofOld()), await check(both()), await check(ofNext())]).toEqual(['refused', nextId, 'refused']);
    await endRotation(connection, new Date());
    expect([await check(ofOld()), await check(both()), await check(ofNext())]).toEqual(['refused', nextId, nextId]);
  });

  it('while the key changes, two gateways that hash with different keys create one holder for one address', async () => {
    const services = [old, next].map((sealing) => {
      const box = new SealedBox(next, [old]);
      box.sealWith(new SealedBox(sealing).sealing);
      const parts = {
        recordWrites: async () => {},
        didPrefix: 'did:core:id:testnet:',
        didType: Buffer.from('03d2', 'hex'),
      };
      return new Holders({ ...parts, models: holderModels(database.connection), box, clock: Date.now });
    });
    for (let round = 0; round < 10; round += 1) {
      const email = `both-${round}@example.org`;
      const made = await Promise.all(
        services.flatMap((each) => [each.provision(email, true), each.provision(email, true)]),
      );
      expect(new Set(made.map(({ holder }) => holder._id)).size).toBe(1);
    }
    expect(await database.connection.collection('holders').countDocuments()).toBe(10);
  });
});

it('what a request sealed before the key changed, and wrote after everything was sealed again, is sealed again too', async () => {
  const { connection } = database;
  const [clock, fields, box] = [{ now: Date.now() }, sealedFields(connection), new SealedBox(next, [old])];
  await checkKeystoreKey(connection, new SealedBox(old), fields);
  await checkKeystoreKey(connection, box, fields);
  const onError = (error: unknown): void => void failures.push(error);
  const failures: unknown[] = [];
  const processLease = { others: async () => [{ keys: box.keyIds, sealing: box.sealing }] };
  const parts = { connection, processLease, box, fields, onError, clock: () => clock.now };
  const workers = rotationWorkers({ ...openElections(connection, onError), ...parts });
  for (const worker of workers) worker.start();
  const resealed = async () => expect((await rotationOf(connection, box))?.resealedAt).toBeInstanceOf(Date);
  await eventually(resealed);
  const { holders } = holderModels(connection);
  const context = { what: 'holder-email', whose: 'slow' } as const;
  const sealedEmail = new SealedBox(old).seal('slow@example.org', context);
  const at = { createdAt: new Date(), updatedAt: new Date() };
  await holders.create({ _id: 'slow', did: 'did:slow', emailHash: 'old', ...at, sealedEmail });
  clock.now += 11 * 60_000;
  await eventually(async () => {
    const row = await holders.findById('slow').lean();
    expect(new SealedBox(next).opens(row?.sealedEmail ?? '', context)).toBe(true);
    expect(row?.emailHash).toBe(new SealedBox(next).blindIndex('holder-email', 'slow@example.org'));
  });
  for (const worker of workers) await worker.stop();
  expect(failures).toEqual([]);
});

describe('What waits for a wallet', () => {
  const DAY_MS = 86_400_000;
  const daysFromNow = (days: number): Date => new Date(Date.now() + days * DAY_MS);

  it('after the key has changed, responses to open requests for presentations are opened with the new key alone', async () => {
    const context = { what: 'wallet-response-key', whose: 'request-1' } as const;
    const { walletRequests } = walletModels(database.connection);
    await walletRequests.insertMany([
      {
        ...{
          _id: context.whose,
          verificationId: 'v',
          verifierId: 'v',
          flow: 'cross_device',
          asked: '{}',
          certificate: 'c',
        },
        ...{
          publicJwk: '{}',
          tries: 0,
          expireAt: daysFromNow(1),
          sealedKey: new SealedBox(old).seal('private', context),
        },
      },
    ]);
    expect(await rekey(sealedFields(database.connection), new SealedBox(next, [old]))).toBe(1);
    const row = await walletRequests.findById(context.whose).lean();
    expect(new SealedBox(next).unsealText(row?.sealedKey ?? '', context)).toBe('private');
  });

  it('doctor keeps the previous key until the offers with transaction codes from before have ended', async () => {
    const { connection } = database;
    const box = new SealedBox(next, [old]);
    await checkKeystoreKey(connection, new SealedBox(old), sealedFields(connection));
    await announceKey(connection, box);
    await useNextKey(connection);
    await endRotation(connection, daysFromNow(-2));
    const finding = () => rotationFinding(connection, box);
    const offer = async (_id: string, more: Partial<OfferRow>) => {
      const secrets = { tokenHash: _id, codeHash: _id, txCodeHash: _id };
      const times = { createdAt: daysFromNow(-3), expiresAt: daysFromNow(3), due: daysFromNow(3) };
      await connection.collection<OfferRow>('offers').insertOne({
        ...({ _id, state: 'open', ...secrets, ...times, ...more } as OfferRow),
      });
    };
    await offer('later', { createdAt: daysFromNow(-1) });
    await offer('taken', { state: 'issued' });
    await offer('ended', { due: daysFromNow(-1), expiresAt: daysFromNow(-1) });
    await offer('without', { txCodeHash: undefined });
    await connection.collection<OfferRow>('offers').updateOne({ _id: 'without' }, { $unset: { txCodeHash: 1 } });
    expect(await finding()).toMatchObject({ state: 'warn', says: 'KEYSTORE_KEY_PREVIOUS is not needed any more.' });
    const due = daysFromNow(4);
    await offer('earlier', { due, expiresAt: due });
    const says = `everything is sealed under the new KEYSTORE_KEY; keep KEYSTORE_KEY_PREVIOUS until ${due.toISOString()}`;
    expect(await finding()).toMatchObject({ state: 'ok', says });
  });
});
