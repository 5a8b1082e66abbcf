// Changing KEYSTORE_KEY: everything works as before with the new key alone, and the old key decrypts nothing any more.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/base/config/config.js';
import { rotateKeys } from '../../src/cli/keys.js';
import { registerModels, sealedFields } from '../../src/compose/domains.js';
import { beginKeyChange, checkKeystoreKey } from '../../src/compose/keystore.js';
import { holderModels } from '../../src/holders/models.js';
import { processLeaseModels } from '../../src/store/process-rows.js';
import { rekey } from '../../src/store/rekey.js';
import { type SealContext, SealedBox } from '../../src/keys/sealed-box.js';
import { folderOf, runCli } from '../cli/run-cli.js';
import { device, startWorld, unwrap, type World } from '../holders/support.js';
import { openDatabase } from '../support/database.js';
import { databaseUri } from '../support/gateway.js';

const worlds: World[] = [];
afterEach(async () => {
  await Promise.all(worlds.splice(0).map((world) => world.close()));
});

const base64 = (key: Buffer): string => key.toString('base64');
const fileWith = (text: string): string => {
  const path = join(mkdtempSync(join(tmpdir(), 'keys-')), 'before');
  writeFileSync(path, text);
  return path;
};

const emailOf = (whose: string): SealContext => ({ what: 'holder-email', whose });
const sealedEmail = (box: SealedBox, id: string, email: string) => ({
  sealedEmail: box.seal(email, emailOf(id)),
  emailHash: box.blindIndex('holder-email', email),
  createdAt: new Date(),
  updatedAt: new Date(),
});

/** A store with these holders under the key `before`, and what is needed to change to the key `after`. */
async function storeOf(emails: readonly string[]) {
  const database = await openDatabase(registerModels);
  onTestFinished(() => database.close());
  const keyed = (root: Buffer) => ({ root, box: new SealedBox(root) });
  const boxes = { before: keyed(randomBytes(32)), after: keyed(randomBytes(32)) };
  await checkKeystoreKey(database.connection, boxes.before.box, sealedFields(database.connection));
  const rows = emails.map((email, index) => ({
    _id: `holder-${index}`,
    did: `did:${index}`,
    ...sealedEmail(boxes.before.box, `holder-${index}`, email),
  }));
  await holderModels(database.connection).holders.insertMany(rows);
  const env = { MONGODB_URI: databaseUri(database.connection.name), KEYSTORE_KEY: base64(boxes.after.root) };
  return { database, boxes, before: fileWith(base64(boxes.before.root)), configs: { env, after: loadConfig(env) } };
}

describe('a change of KEYSTORE_KEY', () => {
  it('after a change of KEYSTORE_KEY, holders, keys and signatures work with the new key alone', async () => {
    const [before, after] = [randomBytes(32), randomBytes(32)];
    const old = await startWorld({ KEYSTORE_KEY: base64(before) });
    const { body: recipient } = await old.initialize('rotate@example.com');
    await old.asPartner('/v1/auth/initialize-user', { email: 'rotate@example.com', partnerUserId: 'p-9' });
    const { body: jwks } = await old.gateway.rest('GET', '/.well-known/jwks.json');
    const MONGODB_URI = databaseUri(old.gateway.app.connection.name);
    const config = loadConfig({ MONGODB_URI, KEYSTORE_KEY: base64(after) });
    const change = () => rotateKeys(config, fileWith(`${base64(before)}\n`));
    // It would go on sealing with the key before.
    await expect(change()).rejects.toThrow(/^A gateway runs on this store/);
    expect((await old.initialize('later@example.com')).status).toBe(200);
    await old.gateway.app.close();
    const said = await change();
    expect(said).toMatch(/^6 values/);
    const fresh = await startWorld({ MONGODB_URI, KEYSTORE_KEY: base64(after) });
    worlds.unshift(fresh);
    expect((await fresh.initialize('rotate@example.com')).body).toEqual({ ...recipient, status: 'existing' });
    expect((await fresh.gateway.rest('GET', '/.well-known/jwks.json')).body).toEqual(jwks);
    const token = await fresh.login('rotate@example.com', {});
    const mine = device();
    const { body } = await fresh.asHolder('POST', '/v1/holders/me/key', token, { devicePublicKey: mine.hex });
    expect(unwrap(body.wrappedKey, mine.privateKey).asymmetricKeyType).toBe('x25519');
    await expect(
      rotateKeys(loadConfig({ MONGODB_URI, KEYSTORE_KEY: base64(before) }), fileWith(base64(before))),
    ).rejects.toThrow('KEYSTORE_KEY');
  });

  it('a change of KEYSTORE_KEY is refused while a gateway may stand still: its lease is over, and it will go on', async () => {
    const { database, configs, before } = await storeOf(['one@example.org']);
    const { processes } = processLeaseModels(database.connection);
    const endedSince = (ms: number) =>
      ({ _id: 'process', elects: true, expiresAt: new Date(Date.now() - ms) }) as const;
    await processes.create(endedSince(10_000));
    const dump = await database.dump();
    await expect(rotateKeys(configs.after, before)).rejects.toThrow(/^A gateway runs on this store, or was killed/);
    expect(await database.dump()).toBe(dump);
    await processes.replaceOne({ _id: 'process' }, endedSince(60_000));
    expect(await rotateKeys(configs.after, before)).toMatch(/^1 value is sealed/);
  });

  it('a change of KEYSTORE_KEY stops at its signal, and the next run continues', async () => {
    const { database, boxes } = await storeOf(['one@example.org', 'two@example.org', 'three@example.org']);
    const fields = sealedFields(database.connection);
    const both = new SealedBox(boxes.after.root, [boxes.before.root]);
    const stop = new AbortController();
    const seal = both.seal.bind(both);
    both.seal = (...value) => {
      stop.abort();
      return seal(...value);
    };
    expect(await rekey(fields, both, stop.signal)).toBe(1);
    expect(await rekey(fields, both)).toBe(2);
    expect(await rekey(fields, both)).toBe(0);
  });

  it('an interrupted change of KEYSTORE_KEY continues, and no gateway starts until it has ended', async () => {
    const { database, boxes, configs, before } = await storeOf(['one@example.org', 'two@example.org']);
    const { holders } = holderModels(database.connection);
    const both = new SealedBox(boxes.after.root, [boxes.before.root]);
    await beginKeyChange(database.connection, both);
    await holders.updateOne({ _id: 'holder-0' }, { $set: sealedEmail(boxes.after.box, 'holder-0', 'one@example.org') });
    for (const { box } of [boxes.before, boxes.after])
      await expect(checkKeystoreKey(database.connection, box, sealedFields(database.connection))).rejects.toThrow(
        'run `keys rotate` again',
      );
    const wrong = loadConfig({ ...configs.env, KEYSTORE_KEY: base64(randomBytes(32)) });
    await expect(rotateKeys(wrong, before)).rejects.toThrow(/^A change to another new KEYSTORE_KEY is in progress/);
    expect(await rotateKeys(configs.after, before)).toMatch(
      /^1 value .* \(1 was already\); the previous one can be destroyed\./,
    );
    const other = fileWith(base64(randomBytes(32)));
    for (const file of [before, other])
      expect(await rotateKeys(configs.after, file)).toMatch(
        /^0 values .* \(2 were already\); nothing was sealed under the key in \/[^;]*$/,
      );
    await checkKeystoreKey(database.connection, boxes.after.box, sealedFields(database.connection));
    await expect(
      checkKeystoreKey(database.connection, boxes.before.box, sealedFields(database.connection)),
    ).rejects.toThrow('KEYSTORE_KEY is not the key');
    for (const row of await holders.find().lean())
      expect(row.emailHash).toBe(
        boxes.after.box.blindIndex('holder-email', boxes.after.box.unseal(row.sealedEmail, emailOf(row._id))),
      );
  });

  it('a change of KEYSTORE_KEY first checks all values, and names obstacles without changing anything', async () => {
    const { database, boxes, configs, before } = await storeOf(['one@example.org', 'two@example.org']);
    const { holders } = holderModels(database.connection);
    const stray = new SealedBox(randomBytes(32));
    const twin = sealedEmail(boxes.after.box, 'twin', 'one@example.org');
    await holders.create({ _id: 'twin', did: 'did:twin', ...twin });
    await holders.create({ _id: 'stray', did: 'did:stray', ...sealedEmail(stray, 'stray', 'stray@example.org') });
    const dump = await database.dump();
    await expect(rotateKeys(configs.after, before)).rejects.toThrow(
      /^two holders have the same e-mail: holder-0, twin\ne-mails of holders that neither key opens: 1 \(stray\)\nNothing was changed: 1 value .* 2 under the previous one[^\n]*$/,
    );
    expect(await database.dump()).toBe(dump);
  });

  it('rekey reports in one sentence that the file has another key', async () => {
    const { database, configs } = await storeOf(['one@example.org']);
    const dump = await database.dump();
    const file = fileWith(base64(randomBytes(32)));
    const { MONGODB_URI, KEYSTORE_KEY } = configs.env;
    const { code, err } = await runCli(['keys', 'rotate', '--before-file', file], { MONGODB_URI, KEYSTORE_KEY });
    expect([code, err]).toEqual([1, expect.stringMatching(/^This store is sealed neither under [^\n]*\.\n$/)]);
    expect(await database.dump()).toBe(dump);
    await expect(rotateKeys(configs.after, fileWith(KEYSTORE_KEY))).rejects.toThrow('not the previous one');
  });

  it('rekey creates no key itself: without a new one, it changes nothing', async () => {
    const { configs, database, before } = await storeOf(['one@example.org']);
    const dump = await database.dump();
    const { MONGODB_URI } = configs.env;
    const DATA_DIR = folderOf();
    const { code, err } = await runCli(['keys', 'rotate', '--before-file', before], { MONGODB_URI, DATA_DIR });
    expect([code, err]).toEqual([1, expect.stringMatching(/^There is no new key: set KEYSTORE_KEY [^\n]*\.\n$/)]);
    expect([await database.dump(), readdirSync(DATA_DIR)]).toEqual([dump, []]);
    writeFileSync(join(DATA_DIR, 'keystore.key'), configs.env.KEYSTORE_KEY);
    const own = await runCli(['keys', 'rotate', '--before-file', before], { MONGODB_URI, DATA_DIR });
    expect(own).toMatchObject({ code: 0, out: expect.stringMatching(/^1 value is sealed/) });
    expect(own.out).toContain(`. Gateways find the new one in ${join(DATA_DIR, 'keystore.key')}.\n`);
  });

  it('rekey names where gateways must find the new key, and a sandbox with the old one gets a correct message', async () => {
    const { configs, database, boxes, before } = await storeOf(['one@example.org']);
    const DATA_DIR = folderOf({ 'keystore.key': base64(boxes.before.root) });
    const rotate = () => rotateKeys(loadConfig({ ...configs.env, DATA_DIR }), before);
    const file = join(DATA_DIR, 'keystore.key');
    expect(await rotate()).toContain(
      `. Start gateways with the new KEYSTORE_KEY, or write it to ${file}, which holds another one until then.`,
    );
    await expect(
      checkKeystoreKey(database.connection, boxes.before.box, sealedFields(database.connection)),
    ).rejects.toThrow(/after `keys rotate`, that file holds the key before until the new one is written to it\.$/);
    writeFileSync(file, configs.env.KEYSTORE_KEY);
    expect(await rotate()).toMatch(/\. Start gateways with the new KEYSTORE_KEY\.$/);
  });

  it('rekey needs the previous key, 32 bytes', async () => {
    const config = loadConfig({ KEYSTORE_KEY: base64(randomBytes(32)) });
    await expect(rotateKeys(config, fileWith('c2hvcnQ='))).rejects.toThrow('32 bytes');
  });
});
