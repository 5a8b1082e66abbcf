// `store copy`: the move between a data folder and MongoDB, in both directions, loses nothing or says so.
import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Decimal128, Double, EJSON, Int32, Long, ObjectId } from 'bson';
import { type Db, MongoClient } from 'mongodb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/base/config/config.js';
import { openStore } from '../../src/store/connection.js';
import { copyStore } from '../../src/store/copy.js';
import { databaseUri, startGateway } from '../support/gateway.js';
import { EMAIL, startMembership } from '../support/membership.js';
import { folderOf, runCli } from './run-cli.js';

/** The address of a new database, which is gone after the test. */
async function newDatabase(): Promise<{ uri: string; db: Db }> {
  const uri = databaseUri(`copy_${randomUUID().slice(0, 8)}`);
  const client = await new MongoClient(uri).connect();
  const db = client.db();
  onTestFinished(async () => {
    await db.dropDatabase();
    await client.close();
  });
  return { uri, db };
}

/** Every document with its types and every index, by collection. */
async function contentOf(db: Db): Promise<Record<string, unknown>> {
  const names = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name).sort();
  const content: Record<string, unknown> = {};
  for (const name of names) {
    const documents = await db
      .collection(name)
      .find({}, { sort: { _id: 1 }, promoteValues: false })
      .toArray();
    const indexes = (await db.collection(name).indexes()).map((index) => JSON.stringify(index)).sort();
    content[name] = { documents: EJSON.stringify(documents, { relaxed: false }), indexes };
  }
  return content;
}

const copy = (from: string, to: string) => runCli(['store', 'copy', '--from', from, '--to', to]);
const labelOf = (uri: string): string => uri.replace(/\?.*/, '');

/** A store in which a partner has issued, revoked and registered a webhook, and whose gateway has ended. */
async function usedStore() {
  const { uri, db } = await newDatabase();
  const { gateway, issuerDid, partner } = await startMembership({ env: { MONGODB_URI: uri } });
  const issue = (email: string) =>
    partner('POST', '/v1/credentials/issue-on-behalf', {
      issuerDid,
      credentialId: 'member',
      email,
      credentialSubject: { level: 3, since: '2026-01-01' },
    });
  const hashes: string[] = [];
  for (const email of [EMAIL, 'bob@example.org', 'eve@example.org'])
    hashes.push((await issue(email)).body.coreClaimHash);
  await partner('POST', '/v1/credentials/revoke', { coreClaimHash: hashes[2] });
  const webhook = { url: 'http://127.0.0.1:9/hooks', types: ['submitted'] };
  expect((await partner('POST', '/v1/webhooks', webhook)).status).toBe(201);
  const statusOf = async (from: typeof gateway) =>
    Promise.all(
      hashes.map(async (hash) => (await from.rest('GET', `/v1/credentials/status?coreClaimHash=${hash}`)).body),
    );
  const statuses = await statusOf(gateway);
  const counted = async () => (await gateway.rest('GET', '/v1/catalog/credentials/member')).body.data.traction;
  await expect.poll(counted).toMatchObject({ issuanceCount: 3 });
  await gateway.app.close();
  return { uri, db, statuses, statusOf };
}

describe('store copy', () => {
  it('store copy copies a used store to a data folder and on to another database, equal each time, and a gateway continues there', async () => {
    const { uri, db, statuses, statusOf } = await usedStore();
    const before = await contentOf(db);
    const folder = join(folderOf(), 'data');
    const out = await copy(uri, folder);
    expect(out).toMatchObject({ code: 0, err: '' });
    expect(out.out).toMatch(/^issuances: 3 documents, sha256 [0-9a-f]{16}…$/m);
    expect(out.out).toMatch(/ documents of \d+ collections, equal on both sides\n$/);
    const { uri: back, db: copied } = await newDatabase();
    expect(await copy(folder, back)).toMatchObject({ code: 0, err: '' });
    expect(await contentOf(copied)).toEqual(before);
    const verified = await runCli(['traction', 'verify'], { MONGODB_URI: back });
    expect(verified).toMatchObject({ code: 0, out: expect.stringContaining('all as stored') });
    const again = await startGateway({ env: { MONGODB_URI: back } });
    expect(await statusOf(again)).toEqual(statuses);
    await again.app.close();
  });

  it('store copy keeps every type, also of ids', async () => {
    const [{ uri, db }, { uri: to, db: copied }] = [await newDatabase(), await newDatabase()];
    const values = [new Int32(5), new Double(5), Long.fromNumber(5), Decimal128.fromString('5.00'), /a/i, null];
    const ids = [1, 2.5, 'a', new ObjectId(), true, new Date(5), Buffer.from('x'), { k: 1 }];
    await db.collection<{ _id: unknown }>('things').insertMany(ids.map((_id) => ({ _id, values })));
    await db.collection('things').createIndex({ values: 1 }, { unique: false, name: 'by_value' });
    expect(await copy(uri, to)).toMatchObject({ code: 0 });
    expect(await contentOf(copied)).toEqual(await contentOf(db));
  });

  it('store copy refuses a target with data, and changes nothing there', async () => {
    const [{ uri, db }, { uri: to, db: other }] = [await newDatabase(), await newDatabase()];
    await db.collection('things').insertOne({ a: 1 });
    await other.collection('kept').insertOne({ b: 1 });
    const before = await contentOf(other);
    const { code, err } = await copy(uri, to);
    expect(code).toBe(1);
    expect(err).toBe(`The target ${labelOf(to)} is not empty: it has data in the database ${other.databaseName}.\n`);
    expect(await contentOf(other)).toEqual(before);
  });

  it('store copy refuses a source on which a gateway is running', async () => {
    const { uri } = await newDatabase();
    const gateway = await startGateway({ env: { MONGODB_URI: uri } });
    const { code, err } = await copy(uri, join(folderOf(), 'data'));
    await gateway.app.close();
    const sentence = `A gateway runs on ${labelOf(uri)}, or was killed less than a minute ago: stop it first.\n`;
    expect([code, err]).toEqual([1, sentence]);
  });

  it('store copy refuses a source whose gateway may stand still: its lease is over, and it will go on', async () => {
    const { uri, db } = await newDatabase();
    const expiresAt = new Date(Date.now() - 10_000);
    await db.collection<{ _id: string }>('processes').insertOne({ _id: 'process', elects: true, expiresAt } as never);
    expect(await copy(uri, join(folderOf(), 'data'))).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^A gateway runs on /),
    });
  });

  it('store copy reports an empty source, and creates no folder for a missing one', async () => {
    const [{ uri, db }, folder] = [await newDatabase(), folderOf()];
    const { err } = await copy(uri, join(folder, 'data'));
    expect(err).toContain(`There is nothing to copy in the database ${db.databaseName} of ${labelOf(uri)}.`);
    expect((await copy(join(folder, 'absent'), uri)).err).toBe(`There is no store in ${join(folder, 'absent')}.\n`);
    expect(readdirSync(folder)).toEqual(['data']);
  });

  it('store copy names the store that does not respond', async () => {
    const { uri } = await newDatabase();
    const away = 'mongodb://user:secret@127.0.0.1:1/x?serverSelectionTimeoutMS=200';
    expect((await copy(uri, away)).err).toBe('The store mongodb://127.0.0.1:1/x does not respond.\n');
  });

  it('store copy refuses the same store twice and a connection string that weakens it, without printing its password', async () => {
    const { uri } = await newDatabase();
    expect((await copy(uri, `${uri}&appName=x`)).err).toBe('--from and --to name the same store.\n');
    const secret = 'mongodb://user:secret@127.0.0.1:1/x?readPreference=secondary';
    const { err } = await copy(secret, folderOf());
    expect(err).toMatch(/^--from must not set readPreference=secondary: /);
    expect(err).not.toContain('secret@');
  });
});

describe('A copy that was interrupted', () => {
  /** Copies until 3,000 documents are read. */
  async function interrupted() {
    const [{ uri, db }, { uri: to, db: copied }] = [await newDatabase(), await newDatabase()];
    const ids = Array.from({ length: 2_500 }, (_, at) => at);
    await db.collection<{ _id: unknown }>('things').insertMany([...ids, ...ids.map(String)].map((_id) => ({ _id })));
    const work = copyStore({ db, label: labelOf(uri) }, { db: copied, label: labelOf(to) }, (done) => {
      if (done >= 3_000) throw new Error('interrupted');
    });
    await expect(work).rejects.toThrow('interrupted');
    return { uri, db, to, copied };
  }

  it('an interrupted copy continues where the target ends, also with ids of other types', async () => {
    const { uri, db, to, copied } = await interrupted();
    expect(await copied.collection('things').countDocuments()).toBe(3_000);
    expect(await copy(uri, to)).toMatchObject({ code: 0, err: '' });
    expect(await contentOf(copied)).toEqual(await contentOf(db));
  });

  it('an interrupted copy cannot be used by a gateway, or as the target of another source', async () => {
    const { uri, to } = await interrupted();
    await expect(openStore(loadConfig({ MONGODB_URI: to, LOG_LEVEL: 'silent' }))).rejects.toThrow(
      `A copy into this store has not ended: run \`store copy\` again, from ${labelOf(uri)}.`,
    );
    const { uri: other, db } = await newDatabase();
    await db.collection('things').insertOne({ a: 1 });
    expect((await copy(other, to)).err).toBe(
      `A copy into ${labelOf(to)} was begun from ${labelOf(uri)}, not from ${labelOf(other)}.\n`,
    );
  });

  it('store copy names the collection that differs in the end', async () => {
    const { uri, copied, to } = await interrupted();
    await copied.collection<{ _id: number }>('things').updateOne({ _id: 7 }, { $set: { changed: true } });
    const { code, err } = await copy(uri, to);
    expect(code).toBe(1);
    expect(err).toMatch(/^things differs: 5000 documents in .*, 5000 in .* Empty the target and copy again\.\n$/);
  });
});
