// Reads whose results are cached see only what a majority of the servers has: if a write is rolled back, no change event would remove it from the
// cache.
import type { CommandStartedEvent } from 'mongodb';
import { expect, it, onTestFinished } from 'vitest';
import { startMembership } from '../support/membership.js';

/** The collections whose rows stay in a cache of the process. */
const CACHED = [
  'credentials',
  'issuers',
  'programs',
  'schemas',
  'verifiers',
  'partners',
  'operatorKeys',
  'schemaVersions',
];

it('reads for the caches have the read concern majority', async () => {
  const { gateway, partner } = await startMembership({ monitorCommands: true });
  onTestFinished(() => gateway.close());
  const reads: CommandStartedEvent['command'][] = [];
  gateway.app.connection.getClient().on('commandStarted', ({ command }: CommandStartedEvent) => {
    if (command.find !== undefined || command.aggregate !== undefined) reads.push(command);
  });
  const query =
    '{ credentials(first: 5) { nodes { name issuer { name } schema { title } programs { nodes { name } } } } }';
  expect((await gateway.gql(query)).errors).toBeUndefined();
  expect((await gateway.rest('GET', '/v1/catalog/search?q=member')).status).toBe(200);
  expect((await partner('GET', '/v1/events')).status).toBe(200);
  const read = reads.filter(({ find, aggregate, lsid: _ }) => CACHED.includes(String(find ?? aggregate)));
  expect(read.length).toBeGreaterThan(0);
  expect(read.filter(({ readConcern }) => readConcern?.level !== 'majority')).toEqual([]);
});
