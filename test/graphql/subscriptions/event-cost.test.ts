// What one event costs other users of the gateway: many distinct operations are executed in turns, and no response contains too many events.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../../support/gateway.js';
import { RawSocket } from './raw-socket.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { SOCKET_OPERATIONS: '500' } });
});
afterAll(() => gateway.close());

const verifiers = (name: string, count: number): string =>
  Array.from({ length: count }, (_, index) =>
    JSON.stringify({
      kind: 'verifiers',
      id: `${name}-${index}`,
      name: `${name} ${index}`,
      verifierDid: `did:example:${name}-${index}`,
    }),
  ).join('\n');

async function importLines(body: string): Promise<void> {
  const headers = { 'content-type': 'application/x-ndjson' };
  const { status, body: answer } = await gateway.admin('POST', '/v1/admin/import', { body, headers });
  expect([status, String(answer).includes('refused')]).toEqual([200, false]);
}

it('500 distinct operations of an anonymous client delay no one else while they are executed', async () => {
  const socket = await RawSocket.open(gateway, { init: {} });
  const count = 500;
  for (let index = 0; index < count; index += 1)
    socket.subscribe(
      String(index),
      `subscription { a${index}: catalogChanged { id changes { entryId node { id } } } }`,
    );
  await socket.settled();
  const { executions } = gateway.app.subscriptions.counters;
  const executed = () => gateway.app.subscriptions.counters.executions - executions;
  await importLines(verifiers('spread', 1));
  await socket.message(({ type }) => type === 'next');
  for (let asked = 0; asked < 5; asked += 1) expect((await gateway.rest('GET', '/health/live')).status).toBe(200);
  expect(executed()).toBeLessThan(count);
  for (let id = 0; id < count; id += 1) await socket.results(String(id), 1);
  expect(executed()).toBe(count);
  socket.close();
});

it('an operation is measured by the most entries that a result can have', async () => {
  const socket = await RawSocket.open(gateway, { init: {} });
  const query = (fields: string): string =>
    `subscription { catalogChanged { changes { node { ... on Issuer { credentials(first: 100) { nodes { ${fields} } } } } } } }`;
  socket.subscribe('small', query('name category'));
  socket.subscribe('large', query('name category credentialId schema { title description }'));
  const { id, payload } = await socket.message(({ type }) => type === 'error');
  expect([id, payload[0].extensions.code]).toEqual(['large', 'QUERY_TOO_LARGE']);
  await socket.settled();
  expect(socket.messages.filter(({ type }) => type === 'error')).toHaveLength(1);
  socket.close();
});

it('a result has at most 100 entries, and all entries arrive in order', async () => {
  const query = 'subscription ($after: ID) { catalogChanged(after: $after) { id changes { entryId } } }';
  const socket = await RawSocket.open(gateway, { init: {} });
  socket.subscribe('1', query);
  await socket.settled();
  await importLines(verifiers('many', 250));
  const entriesOf = (payloads: { data: { catalogChanged: { changes: { entryId: string }[] } } }[]): string[][] =>
    payloads.map(({ data }) => data.catalogChanged.changes.map(({ entryId }) => entryId));
  const expected = Array.from({ length: 250 }, (_, index) => `many-${index}`);
  const live = await socket.results('1', 3);
  expect(entriesOf(live).map(({ length }) => length)).toEqual([100, 100, 50]);
  expect(entriesOf(live).flat()).toEqual(expected);
  socket.subscribe('2', query, { after: live[0].data.catalogChanged.id });
  expect(entriesOf(await socket.results('2', 2)).flat()).toEqual(expected.slice(100));
  socket.close();
});
