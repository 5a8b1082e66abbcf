// The connection string: an operator's settings in it are used, except where the gateway's guarantees need another
// value.
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/base/config/config.js';
import { openStore } from '../../src/store/connection.js';
import { databaseUri } from '../support/gateway.js';
import { standStill } from '../support/stand-still.js';

async function optionsOf(uri: string) {
  const store = await openStore(loadConfig({ MONGODB_URI: uri, LOG_LEVEL: 'silent' }));
  onTestFinished(() => store.close());
  return store.connection.getClient().options;
}

const without = (...names: string[]): URL => {
  const uri = new URL(databaseUri('connection_strings'));
  for (const name of names) uri.searchParams.delete(name);
  return uri;
};

describe('The connection string', () => {
  it('a connection string replaces the default time limits and name, in any spelling', async () => {
    const uri = without('serverSelectionTimeoutMS');
    uri.searchParams.set('serverselectiontimeoutms', '61000');
    uri.searchParams.set('heartbeatFrequencyMS', '62000');
    uri.searchParams.set('appName', 'campus');
    expect(await optionsOf(uri.toString())).toMatchObject({
      serverSelectionTimeoutMS: 61_000,
      heartbeatFrequencyMS: 62_000,
      appName: 'campus',
    });
  });

  it('without these options in the connection string, the defaults apply', async () => {
    const uri = without('serverSelectionTimeoutMS', 'heartbeatFrequencyMS', 'connectTimeoutMS', 'waitQueueTimeoutMS');
    expect(await optionsOf(uri.toString())).toMatchObject({
      serverSelectionTimeoutMS: 5_000,
      heartbeatFrequencyMS: 5_000,
      connectTimeoutMS: 5_000,
      waitQueueTimeoutMS: 5_000,
      appName: 'credential-gateway',
    });
  });

  it('a connection string cannot weaken writes', async () => {
    const uri = without();
    uri.searchParams.set('w', '1');
    expect((await optionsOf(uri.toString())).writeConcern?.w).toBe('majority');
  });
});

it('a store is within reach although the gateway stood still while it responded', async () => {
  const store = await openStore(loadConfig({ MONGODB_URI: databaseUri('connection_strings'), LOG_LEVEL: 'silent' }));
  onTestFinished(() => store.close());
  await store.connected;
  const response = store.ping();
  standStill(2_000);
  await expect(response).resolves.toBeUndefined();
});
