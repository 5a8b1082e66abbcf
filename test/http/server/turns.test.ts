// The gate in front of a real store: the commands of an anonymous caller's requests wait in it, and other callers
// notice nothing.
import type { CommandStartedEvent } from 'mongodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeNetwork, writeNetwork } from '../../catalog/network.js';
import { type CutProxy, openCutProxy } from '../../support/cut-proxy.js';
import { eventually, until } from '../../support/eventually.js';
import { databaseUri, PATIENT_DRIVER, startGateway, type TestGateway } from '../../support/gateway.js';

/**
 * More connections than commands at the same time: a store that hangs accepts no new ones. Each of the gateway's own
 * loops (about twenty: jobs, leases, change streams) keeps one while the store is held.
 */
const CONNECTIONS = 40;

let proxy: CutProxy;
let gateway: TestGateway;
let started = 0;

beforeAll(async () => {
  proxy = await openCutProxy(databaseUri(`test_gate_${process.pid}`));
  gateway = await startGateway({
    monitorCommands: true,
    env: {
      // A store that is held must not count as unavailable, however long it takes until all requests have arrived.
      MONGODB_URI: `${proxy.uri}&minPoolSize=${CONNECTIONS}&${new URLSearchParams(PATIENT_DRIVER)}`,
      REQUEST_TIMEOUT_SECONDS: '300',
      ENTITY_CACHE_MB: '0',
      RESPONSE_CACHE_MB: '0',
      ANONYMOUS_STORE_COMMANDS: '8',
    },
  });
  await writeNetwork(gateway.app.connection, makeNetwork(40, 11));
  await gateway.app.services.search.search({ query: 'any', page: 1, limit: 1 });
  gateway.app.connection.getClient().on('commandStarted', ({ commandName, command }: CommandStartedEvent) => {
    if (command[commandName] === 'verifiers') started += 1;
  });
});
afterAll(async () => {
  proxy.release();
  await gateway.close();
  await proxy.close();
});
beforeEach(async () => {
  await until(() => proxy.connections >= CONNECTIONS);
  started = 0;
});
afterEach(() => proxy.release());

/** Each request has another text, so that none gets a cached response. */
const listOf = (at: number) => `query Q${at} { verifiers(first: ${at + 1}) { nodes { name } } }`;

function asking(query: string, signal?: AbortSignal, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${gateway.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query }),
    ...(signal ? { signal } : {}),
  });
}

describe('While the store takes its time', () => {
  it('while the store is slow, two commands of one address run, the others wait, and all get their response', async () => {
    proxy.hold();
    const answers = Array.from({ length: 20 }, (_, at) => asking(listOf(at)));
    await eventually(() => expect(started).toBe(2));
    // The operator at the same address does not wait.
    const mine = asking(listOf(50), undefined, { 'x-admin-api-key': gateway.operatorKey });
    await eventually(() => expect(started).toBe(3));
    proxy.release();
    for (const answer of await Promise.all(answers)) expect(answer.status).toBe(200);
    expect((await mine).status).toBe(200);
    expect(started).toBe(21);
  });

  it('while the store is slow, aliases of one request wait like requests', async () => {
    proxy.hold();
    const aliases = Array.from({ length: 12 }, (_, at) => `a${at}: verifiers(first: ${at + 1}) { nodes { name } }`);
    const answer = asking(`{ ${aliases.join(' ')} }`);
    await eventually(() => expect(started).toBe(2));
    proxy.release();
    expect((await answer).status).toBe(200);
    expect(started).toBe(12);
  });

  it('requests whose clients disconnect leave the queue and never reach the store', async () => {
    proxy.hold();
    const leaving = new AbortController();
    const answers = Array.from({ length: 20 }, (_, at) => asking(listOf(at), leaving.signal).catch(() => undefined));
    await eventually(() => expect(started).toBe(2));
    leaving.abort();
    await Promise.all(answers);
    const last = asking(listOf(60));
    await eventually(() => expect(gateway.app.requestsUnderWay()).toHaveLength(1));
    proxy.release();
    expect((await last).status).toBe(200);
    expect(started).toBeLessThanOrEqual(3);
  });
});

describe('A stranger who asks as much as it can', () => {
  it('a stranger with very many requests delays neither readiness nor the operator', async () => {
    const stopping = new AbortController();
    const query = `{ ${Array.from({ length: 8 }, (_, at) => `a${at}: credentials(first: 1, where: { name: { contains: "a" } }) { totalCount nodes { name } }`).join(' ')} }`;
    let answered = 0;
    const flood = Array.from({ length: 40 }, async (_, at) => {
      for (; !stopping.signal.aborted; answered += 1)
        await asking(`query Q${at} ${query}`, stopping.signal).then(
          (answer) => answer.text(),
          () => {},
        );
    });
    // The store must respond to the readiness check within 1.5 s: on a busy machine, a second attempt may be needed.
    for (let round = 0; round < 5; round += 1) {
      await eventually(async () => expect((await gateway.rest('GET', '/health/ready')).status).toBe(200));
      expect((await gateway.admin('GET', '/v1/admin/verifiers')).status).toBe(200);
    }
    stopping.abort();
    await Promise.all(flood);
    expect(answered).toBeGreaterThan(0);
  });
});
