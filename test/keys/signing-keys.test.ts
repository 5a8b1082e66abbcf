// Promises of the signing keys: one key whatever the number of processes, sealed at rest, verifiable after a rotation.
import { randomBytes } from 'node:crypto';
import { compactVerify, createLocalJWKSet } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { keyOfDidKey } from '../../src/keys/did.js';
import { ManagedIssuers } from '../../src/keys/managed-issuers.js';
import { keyModels } from '../../src/keys/models.js';
import { SealedBox } from '../../src/keys/sealed-box.js';
import { SigningKeys } from '../../src/keys/signing-keys.js';
import { openDatabase, type TestDatabase } from '../support/database.js';

const root = randomBytes(32);
const clock = { now: Date.UTC(2026, 0, 1) };
let database: TestDatabase;

beforeEach(async () => {
  database = await openDatabase(keyModels);
});
afterEach(() => database.close());

/** The signing keys as another process has them. */
const aProcess = async (key = root): Promise<SigningKeys> =>
  new SigningKeys(keyModels(await database.another()), new SealedBox(key), () => clock.now);

describe('the gateway’s own key', () => {
  it('ten processes that start at once create one signing key', async () => {
    const processes = await Promise.all(Array.from({ length: 10 }, () => aProcess()));
    const signers = await Promise.all(processes.map((keys) => keys.signer('gateway')));
    expect(new Set(signers.map(({ kid }) => kid)).size).toBe(1);
    expect(await keyModels(database.connection).signingKeys.countDocuments({})).toBe(1);
    const jwks = createLocalJWKSet(await (processes[0] as SigningKeys).jwks('gateway'));
    for (const signer of signers) {
      const { payload } = await compactVerify(await signer.sign('hello'), jwks);
      expect(Buffer.from(payload).toString()).toBe('hello');
    }
  });

  it('ten processes that rotate at once create one next generation', async () => {
    const processes = await Promise.all(Array.from({ length: 10 }, () => aProcess()));
    await processes[0]?.signer('gateway');
    await Promise.all(processes.map((keys) => keys.rotate('gateway')));
    const kids = await Promise.all(processes.map(async (keys) => (await keys.signer('gateway')).kid));
    clock.now += 10_000;
    const later = await Promise.all(processes.map(async (keys) => (await keys.signer('gateway')).kid));
    expect(new Set(later).size).toBe(1);
    expect(kids.length).toBe(10);
  });

  it('the signing key is published without its private half', async () => {
    const { keys } = await (await aProcess()).jwks('gateway');
    expect(keys).toEqual([
      {
        kty: 'EC',
        crv: 'P-256',
        x: expect.any(String),
        y: expect.any(String),
        kid: expect.any(String),
        alg: 'ES256',
        use: 'sig',
      },
    ]);
  });

  it('after a rotation the new key signs, and signatures of the old one stay verifiable', async () => {
    const keys = await aProcess();
    const before = await (await keys.signer('gateway')).sign('old');
    await keys.rotate('gateway');
    const signer = await keys.signer('gateway');
    const jwks = await keys.jwks('gateway');
    expect(jwks.keys.map(({ kid }) => kid)[0]).toBe(signer.kid);
    expect(jwks.keys).toHaveLength(2);
    for (const text of [before, await signer.sign('new')]) await compactVerify(text, createLocalJWKSet(jwks));
  });

  it('a key that another process created is found by its kid within a second', async () => {
    const [mine, other] = await Promise.all([aProcess(), aProcess()]);
    await mine.signer('gateway');
    const { kid = '' } = await other.rotate('gateway');
    clock.now += 1_000;
    expect(await mine.publicKey('gateway', kid)).toBeDefined();
    expect(await mine.publicKey('gateway', 'nobody')).toBeUndefined();
  });
});

describe('at rest', () => {
  it('no row has a private key in any readable form', async () => {
    const keys = await aProcess();
    await keys.signer('gateway');
    const stored = await keyModels(database.connection).signingKeys.findById('gateway#1').lean();
    const box = new SealedBox(root);
    const pkcs8 = box.unseal(stored?.sealedPrivateKey ?? '', { what: 'signing-key', whose: 'gateway#1' });
    const dump = await database.dump();
    for (const encoding of ['hex', 'base64', 'base64url', 'latin1'] as const) {
      // The last 32 bytes of the scalar's part: the head of PKCS#8 is the same for every key.
      expect(dump).not.toContain(pkcs8.subarray(36, 68).toString(encoding).replace(/=+$/, ''));
    }
  });

  it('signing keys cannot be opened with another KEYSTORE_KEY', async () => {
    await (await aProcess()).signer('gateway');
    await expect((await aProcess(randomBytes(32))).signer('gateway')).rejects.toThrow('KEYSTORE_KEY');
  });

  it('a private key that is moved to another owner’s row cannot be opened', async () => {
    const keys = await aProcess();
    await keys.ensure('issuer:a');
    await keys.ensure('issuer:b');
    const { signingKeys } = keyModels(database.connection);
    const a = await signingKeys.findById('issuer:a#1').lean();
    await signingKeys.updateOne({ _id: 'issuer:b#1' }, { $set: { sealedPrivateKey: a?.sealedPrivateKey } });
    await expect((await aProcess()).signer('issuer:b')).rejects.toThrow('does not belong here');
  });
});

describe('managed issuers', () => {
  it('managed issuers get a did:key of their key, the same one every time', async () => {
    const keys = await aProcess();
    const issuers = new ManagedIssuers(keys);
    const [first, again] = await Promise.all([
      issuers.create('acme'),
      new ManagedIssuers(await aProcess()).create('acme'),
    ]);
    expect(first).toEqual(again);
    const { signer, methodId } = await issuers.signer('acme', first.issuerDid);
    const text = await signer.sign('vc', { typ: 'vc+jwt', kid: methodId });
    const { protectedHeader } = await compactVerify(text, keyOfDidKey(first.issuerDid));
    expect(protectedHeader).toEqual({ alg: 'ES256', typ: 'vc+jwt', kid: methodId });
    const document = await issuers.document('acme', first.issuerDid);
    expect(document.assertionMethod).toEqual([methodId]);
    await expect(issuers.rotate('acme', first.issuerDid)).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('managed issuers get a did:web under a public https address, whose keys can be rotated', async () => {
    const issuers = new ManagedIssuers(await aProcess(), 'https://gateway.example');
    const { issuerDid } = await issuers.create('acme');
    expect(issuerDid).toBe('did:web:gateway.example:v1:issuers:acme');
    const before = await issuers.signer('acme', issuerDid);
    await issuers.rotate('acme', issuerDid);
    const after = await issuers.signer('acme', issuerDid);
    expect(after.methodId).not.toBe(before.methodId);
    expect((await issuers.document('acme', issuerDid)).assertionMethod).toEqual([after.methodId, before.methodId]);
  });

  it('reading a managed issuer without a key creates none', async () => {
    const keys = await aProcess();
    expect(await keys.jwks('issuer:stranger')).toEqual({ keys: [] });
    await expect(keys.signer('issuer:stranger')).rejects.toThrow('no signing key');
    expect(await keyModels(database.connection).signingKeys.countDocuments({})).toBe(0);
  });

  it('managed issuers get their key in the transaction that creates them, or not at all', async () => {
    const keys = await aProcess();
    const { connection } = database;
    const aborted = connection.transaction(async (session) => {
      await new SigningKeys(keyModels(connection), new SealedBox(root)).ensure('issuer:acme', session);
      throw new Error('not after all');
    });
    await expect(aborted).rejects.toThrow('not after all');
    expect(await keys.jwks('issuer:acme')).toEqual({ keys: [] });
  });
});
