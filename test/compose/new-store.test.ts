// Building the indexes of a new store, and of a store with rows of earlier versions.
import { randomBytes, randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import mongoose, { type Connection } from 'mongoose';
import { afterEach, describe, expect, it } from 'vitest';
import { ensureKeystoreKey } from '../../src/compose/keystore.js';
import { loadConfig } from '../../src/base/config/config.js';
import { migrateAll, registerModels, sealedFields } from '../../src/compose/domains.js';
import { SealedBox } from '../../src/keys/sealed-box.js';
import { databaseUri } from '../support/gateway.js';

const open: Connection[] = [];
afterEach(async () => {
  for (const connection of open.splice(0)) {
    await connection.dropDatabase();
    await connection.close();
  }
});

/** A database without collections, and the commands that are sent to it. */
async function newStore() {
  const uri = databaseUri(`new_${randomUUID().slice(0, 8)}`);
  const options = { serverApi: { version: '1', strict: true }, autoIndex: false, autoCreate: false } as const;
  const connection = await mongoose.createConnection(uri, { ...options, monitorCommands: true }).asPromise();
  open.push(connection);
  registerModels(connection);
  const commands: string[] = [];
  connection.getClient().on('commandStarted', ({ commandName, command }) => {
    commands.push(`${commandName} ${String(command[commandName])}`);
  });
  return { connection, commands };
}

const updates = [
  'holders have owners of accounts',
  'issuances wait for anchors',
  'offers have due times',
  'offers of one secret are closed',
  'terms refolded',
];
const checkpointsOf = async (connection: Connection): Promise<string[]> =>
  (await connection.collection('checkpoints').find().toArray()).map(({ _id }) => String(_id)).sort();

describe('a new store', () => {
  it('is not searched for indexes or rows of earlier versions', async () => {
    const { connection, commands } = await newStore();
    await migrateAll(connection);
    expect(commands.filter((name) => /^(listIndexes|find|update) /.test(name))).toEqual(['update checkpoints']);
    expect(await checkpointsOf(connection)).toEqual(updates);
  });

  it('is not searched for sealed values', async () => {
    const { connection, commands } = await newStore();
    const box = new SealedBox(randomBytes(32));
    await ensureKeystoreKey(connection, { box, config: loadConfig({}) }, sealedFields(connection));
    expect(new Set(commands.filter((name) => name.startsWith('find ')))).toEqual(new Set(['find keystore']));
  });

  it('which has only the row of a process and the check of the key, gets all checkpoints', async () => {
    const { connection } = await newStore();
    await connection.collection('processes').insertOne({});
    await connection.collection('keystore').insertOne({});
    await migrateAll(connection);
    expect(await checkpointsOf(connection)).toEqual(updates);
  });
});

describe('a store of an earlier version', () => {
  it('has its rows updated once, though it has no checkpoint', async () => {
    const { connection } = await newStore();
    const row = { _id: 'i' as never, name: 'Łódź', terms: ['łodz'], live: true };
    await connection.collection('issuers').insertOne(row);
    await migrateAll(connection);
    const terms = async () => (await connection.collection('issuers').findOne({ _id: 'i' as never }))?.terms;
    expect(await terms()).toContain('lodz');
    expect(await checkpointsOf(connection)).toEqual(updates);
    await connection.collection('issuers').updateOne({ _id: 'i' as never }, { $set: { terms: ['łodz'] } });
    await migrateAll(connection);
    expect(await terms()).toEqual(['łodz']);
  });

  it('loses the sparse index that a partial one replaces', async () => {
    const { connection } = await newStore();
    const client = await new MongoClient(databaseUri(connection.name)).connect();
    await client.db().collection('events').createIndex({ seq: 1 }, { name: 'seq_1', unique: true, sparse: true });
    await client.close();
    await migrateAll(connection);
    const names = (await connection.collection('events').indexes()).map(({ name }) => name);
    expect(names).toContain('rowsWith_seq');
    expect(names).not.toContain('seq_1');
  });

  it.each([
    ['events', { channels: 1, seq: 1 }, {}, 'channels_1_seq_1'],
    ['storedCredentials', { coreClaimHash: 1 }, { name: 'rowsWith_coreClaimHash' }, 'rowsWith_coreClaimHash'],
    ['firstHoldings', { scope: 1, of: 1 }, {}, 'scope_1_of_1'],
  ] as const)('loses an index of %s that nothing reads', async (collection, key, options, name) => {
    const { connection } = await newStore();
    const rows = connection.collection(collection);
    await rows.createIndex(key, options);
    expect((await rows.indexes()).map((index) => index.name)).toContain(name);
    await migrateAll(connection);
    expect((await rows.indexes()).map((index) => index.name)).not.toContain(name);
  });

  it('that has sealed values and no check of the key takes no other key', async () => {
    const { connection } = await newStore();
    const sealed = new SealedBox(randomBytes(32)).seal('secret', { what: 'api-key', whose: 'i' });
    await connection.collection('issuers').insertOne({ _id: 'i' as never, apiKeySealed: sealed });
    const core = { box: new SealedBox(randomBytes(32)), config: loadConfig({}) };
    await expect(ensureKeystoreKey(connection, core, sealedFields(connection))).rejects.toThrow(/KEYSTORE_KEY is not/);
    expect(await connection.collection('keystore').countDocuments()).toBe(0);
  });
});
