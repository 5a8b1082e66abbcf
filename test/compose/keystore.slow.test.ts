// Promises of KEYSTORE_KEY: the first start ties it to the store, and no process goes on with another one.
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { registerModels, sealedFields } from '../../src/compose/domains.js';
import { checkKeystoreKey, KeystoreKeyError } from '../../src/compose/keystore.js';
import { serveEngine } from '../../src/engine/index.js';
import { keyModels } from '../../src/keys/models.js';
import { SealedBox } from '../../src/keys/sealed-box.js';
import { SigningKeys } from '../../src/keys/signing-keys.js';
import { openCutProxy } from '../support/cut-proxy.js';
import { openDatabase, type TestDatabase } from '../support/database.js';
import { fileEnd, runProcess, scratchFolder, startProcess } from '../support/process.js';

const key = () => randomBytes(32).toString('base64');
const WRONG = /^KEYSTORE_KEY is not the key [^\n]*\.\n$/;

let database: TestDatabase;

/** Compares over a connection of its own, as a process would. */
async function checkOn(box: SealedBox): Promise<boolean> {
  const connection = await database.another();
  registerModels(connection);
  return checkKeystoreKey(connection, box, sealedFields(connection)).then(
    () => true,
    (error: unknown) => {
      if (error instanceof KeystoreKeyError) return false;
      throw error;
    },
  );
}

describe('The check of KEYSTORE_KEY', () => {
  beforeEach(async () => {
    database = await openDatabase(registerModels);
  });
  afterEach(() => database.close());

  it('the check of KEYSTORE_KEY is written once by ten processes that start at once, and applies to all of them', async () => {
    const root = randomBytes(32);
    const verdicts = await Promise.all(Array.from({ length: 10 }, () => checkOn(new SealedBox(root))));
    expect(verdicts).toEqual(Array(10).fill(true));
    expect(await keyModels(database.connection).keystore.countDocuments()).toBe(1);
  });

  it('the check of KEYSTORE_KEY accepts one key when ten processes with two keys start at once', async () => {
    const boxes = [new SealedBox(randomBytes(32)), new SealedBox(randomBytes(32))] as const;
    const verdicts = await Promise.all(Array.from({ length: 10 }, (_, index) => checkOn(boxes[index % 2] ?? boxes[0])));
    const [first, second] = [0, 1].map((which) => new Set(verdicts.filter((_, index) => index % 2 === which)));
    expect([...(first ?? []), ...(second ?? [])].sort()).toEqual([false, true]);
  });

  it("the check of KEYSTORE_KEY is created for an older store, only under that store's key", async () => {
    const [own, other] = [new SealedBox(randomBytes(32)), new SealedBox(randomBytes(32))];
    await new SigningKeys(keyModels(database.connection), own).signer('gateway');
    expect(await checkOn(other)).toBe(false);
    expect(await keyModels(database.connection).keystore.countDocuments()).toBe(0);
    expect([await checkOn(own), await checkOn(other)]).toEqual([true, false]);
  });
});

// Several processes start in each; the second test goes on with the store of the first one.
describe('A gateway with another KEYSTORE_KEY', () => {
  const { atEnd, end } = fileEnd();
  const DATA_DIR = scratchFolder(atEnd);
  const right = { DATA_DIR, KEYSTORE_KEY: key(), SAMPLE_CATALOG: 'false' };
  afterAll(end);

  it('a gateway with a wrong KEYSTORE_KEY does not start, explains it in one sentence, and starts with the right one', async () => {
    // A busy machine may cut its end off, which is another's promise.
    await (await startProcess(right)).end('SIGTERM');
    const wrong = await runProcess({ ...right, KEYSTORE_KEY: key() });
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringMatching(WRONG)]);
    await (await startProcess(right)).end('SIGTERM');
  });

  it('a gateway without KEYSTORE_KEY does not start either, and creates none', async () => {
    const { KEYSTORE_KEY: _key, ...without } = right;
    const { code, err } = await runProcess(without);
    expect([code, err]).toEqual([1, expect.stringMatching(/^KEYSTORE_KEY is not set, [^\n]*\.\n$/)]);
    expect(readdirSync(DATA_DIR)).not.toContain('keystore.key');
  });

  it('a gateway with a wrong KEYSTORE_KEY ends when a store that was unreachable at its start responds', async () => {
    const engine = await serveEngine({ dataDir: DATA_DIR, port: 0 });
    // A port that is free meanwhile may be another's when it is needed again.
    const proxy = await openCutProxy(engine.uri);
    proxy.hold();
    const wrong = await startProcess({
      ...right,
      MONGODB_URI: proxy.uri,
      DATA_DIR: scratchFolder(),
      KEYSTORE_KEY: key(),
    });
    proxy.release();
    const { code, err } = await wrong.ended;
    expect([code, err]).toEqual([1, expect.stringMatching(WRONG)]);
    await proxy.close();
    await engine.close();
  });
});
