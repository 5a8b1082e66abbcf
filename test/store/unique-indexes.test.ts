// A gateway on a MongoDB whose unique indexes are missing is refused: two that write at once would make two holders of one address.
import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/base/config/config.js';
import { createApp } from '../../src/compose/app.js';
import { registerModels } from '../../src/compose/domains.js';
import { failureSentence } from '../../src/process/failure.js';
import { openDatabase } from '../support/database.js';
import { databaseUri } from '../support/gateway.js';

const start = async (name: string) => {
  const config = loadConfig({
    MONGODB_URI: databaseUri(name),
    DATA_DIR: '/nowhere',
    LOG_LEVEL: 'silent',
    KEYSTORE_KEY: Buffer.alloc(32, 7).toString('base64'),
    CHAIN: 'off',
  });
  const app = await createApp(config, { requiresIndexes: true });
  onTestFinished(() => app.close());
};

describe('A gateway on a MongoDB', () => {
  it('a gateway on a MongoDB on which migrate has not run does not start, writes nothing, and says what to run', async () => {
    const name = `test_${randomUUID().slice(0, 8)}`;
    const sentence = await start(name).then(() => 'no failure', failureSentence);
    expect(sentence).toMatch(
      /^The store at MONGODB_URI has no unique indexes yet for \w+, \w+, \w+ and \d+ more, .* migrate` with this version, then start it again\.$/,
    );
    const database = await openDatabase(() => {});
    onTestFinished(() => database.close());
    const { databases } = await database.connection.getClient().db().admin().listDatabases({ nameOnly: true });
    expect(databases.map((each) => each.name).filter((each) => each.endsWith(name))).toEqual([]);
  });

  it('a gateway on a MongoDB starts once migrate has run, and not with a version that has one unique index more', async () => {
    const database = await openDatabase(registerModels);
    onTestFinished(() => database.close());
    await start(database.connection.name);
    await database.connection.collection('holders').dropIndex('emailHash_1');
    await expect(start(database.connection.name)).rejects.toThrow(/ for holders, so /);
  });
});
