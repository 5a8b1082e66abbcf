// How long an erasure's commands may take: none reads a whole collection, however large those are.
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { type CommandStartedEvent, MongoClient } from 'mongodb';
import type { Model } from 'mongoose';
import { expect, it, onTestFinished } from 'vitest';
import { databaseUri, startGateway, type TestGateway } from '../support/gateway.js';

/** Beyond the rows of one piece. */
const ROWS = 1_500;
/** A piece, and what the engine reads ahead. */
const MAX_READ = 1_000 + 256;
/** What a command has beside the session it is sent in. */
const EXPLAINED = new Set([
  ...['find', 'filter', 'projection', 'sort', 'skip', 'limit', 'hint'],
  ...['aggregate', 'pipeline', 'cursor', 'update', 'updates', 'delete', 'deletes'],
]);

it('No command of an erasure reads more rows than one piece', async () => {
  const name = `test_${randomUUID().slice(0, 8)}`;
  const gateway = await startGateway({ env: { MONGODB_URI: databaseUri(name) }, monitorCommands: true });
  const client = await new MongoClient(databaseUri(name)).connect();
  onTestFinished(async () => {
    await client.close();
    await gateway.close();
  });
  const touched = new Set((await commandsOf(gateway)).map(({ command, commandName }) => command[commandName]));
  const models = Object.values(gateway.app.connection.models).filter(({ collection }) => touched.has(collection.name));
  expect(models.length).toBeGreaterThan(15);
  for (const model of models) await fill(client, model);
  const read: [string, number][] = [];
  for (const event of await commandsOf(gateway)) {
    read.push([JSON.stringify(event.command), await rowsRead(client, event)]);
  }
  expect(read.filter(([, rows]) => rows > MAX_READ)).toEqual([]);
});

/** Rows that have what unique indexes want, and are of no one. */
async function fill(client: MongoClient, { collection, schema }: Model<unknown>): Promise<void> {
  const unique = schema.indexes().flatMap(([key, { unique: isUnique }]) => (isUnique ? Object.keys(key) : []));
  const rows = Array.from({ length: ROWS }, () => ({
    ...Object.fromEntries(unique.map((field) => [field, randomUUID()])),
    _id: randomUUID() as never,
  }));
  await client.db().collection(collection.name).insertMany(rows);
}

/** The commands that the erasure of a holder sends. */
async function commandsOf({ app: { connection, services } }: TestGateway): Promise<CommandStartedEvent[]> {
  const context = new AsyncLocalStorage<CommandStartedEvent[]>();
  connection.getClient().on('commandStarted', (event: CommandStartedEvent) => context.getStore()?.push(event));
  const names = { holderId: randomUUID(), did: 'did:none', email: 'none@example.org', addresses: ['0xabc'] };
  const holder = { ...names, at: new Date(), keyName: 'ops', erasureId: randomUUID() };
  const sent: CommandStartedEvent[] = [];
  await context.run(sent, async () => {
    for (const eraser of services.erasers.all) await eraser.erase(holder, new AbortController().signal);
  });
  return sent.filter(({ commandName }) => ['find', 'aggregate', 'update', 'delete'].includes(commandName));
}

async function rowsRead(client: MongoClient, { command }: CommandStartedEvent): Promise<number> {
  const explain = Object.fromEntries(Object.entries(command).filter(([field]) => EXPLAINED.has(field)));
  const reply = await client.db().command({ explain, verbosity: 'executionStats' });
  const { totalKeysExamined, totalDocsExamined } = (reply.stages?.[0]?.$cursor ?? reply).executionStats;
  return Math.max(totalKeysExamined, totalDocsExamined);
}
