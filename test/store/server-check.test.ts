// Servers on which the gateway cannot run: the start refuses them, instead of failing later.
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/base/config/config.js';
import { failureSentence } from '../../src/process/failure.js';
import { openStore } from '../../src/store/connection.js';
import { serverFault } from '../../src/store/server-check.js';
import { databaseUri } from '../support/gateway.js';
import { freePorts } from '../support/gateway-process.js';
import { startHelloServer } from '../support/mongodb-hello.js';

const PRIMARY = { isWritablePrimary: true, minWireVersion: 0, maxWireVersion: 21, maxBsonObjectSize: 16_777_216 };

async function opening(reply: object, query = '', options = {}) {
  const server = await startHelloServer(reply);
  onTestFinished(() => server.close());
  const uri = `mongodb://${server.host}/network?serverSelectionTimeoutMS=120000${query}`;
  return openStore(loadConfig({ MONGODB_URI: uri, LOG_LEVEL: 'silent' }), options);
}

const sentenceOf = (work: Promise<unknown>): Promise<string> => work.then(() => 'no failure', failureSentence);

describe('A start is refused', () => {
  it('a start is refused by a server that is no replica set', async () => {
    expect(await sentenceOf(opening(PRIMARY))).toMatch(/is not a replica set, so it has no transactions .*--replSet/);
  });

  it('a start that waits for its store is refused by a server that is no replica set', async () => {
    expect(await sentenceOf(opening(PRIMARY, '', { onUnreachable: () => {} }))).toMatch(/is not a replica set/);
  });

  it('a start is refused by a direct connection to one of several members', async () => {
    const hosts = ['db1:27017', 'db2:27017', 'db3:27017'];
    const member = { ...PRIMARY, setName: 'rs7', hosts, me: 'db1:27017', primary: 'db1:27017', setVersion: 1 };
    expect(await sentenceOf(opening(member, '&directConnection=true'))).toBe(
      'MONGODB_URI sets directConnection=true, but its server is one of 3 members: after an election no write would reach the primary. Leave directConnection out and set replicaSet=rs7.',
    );
  });

  it('a start is refused by a server that is older than 7.0', () => {
    const hello = { setName: 'rs0', hosts: ['db1'], maxWireVersion: 17, localTime: new Date() };
    expect(serverFault(hello, 'mongodb://db1/')).toMatch(/older than 7\.0/);
    expect(serverFault({ ...hello, maxWireVersion: 21 }, 'mongodb://db1/?directConnection=true')).toBeUndefined();
  });
});

it('An unfit store that becomes reachable later ends the wait with the reason', async () => {
  const [port] = await freePorts(1);
  const uri = `mongodb://127.0.0.1:${port}/network?serverSelectionTimeoutMS=100`;
  const store = await openStore(loadConfig({ MONGODB_URI: uri, LOG_LEVEL: 'silent' }), { onUnreachable: () => {} });
  onTestFinished(() => store.close());
  const again = await startHelloServer(PRIMARY, port);
  onTestFinished(() => again.close());
  expect(await sentenceOf(store.connected)).toMatch(/is not a replica set/);
});

it('A replica set is accepted', async () => {
  const store = await openStore(loadConfig({ MONGODB_URI: databaseUri('server_check'), LOG_LEVEL: 'silent' }));
  onTestFinished(() => store.close());
  await store.connected;
});
