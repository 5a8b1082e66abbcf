// What operators measure, as Prometheus reads it.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway({});
});
afterAll(() => gateway.close());

/** The values of a metric, by its labels in the text format. */
async function valuesOf(name: string): Promise<Record<string, number>> {
  const { body } = await gateway.admin('GET', '/metrics');
  const lines = (body as string)
    .split('\n')
    .filter((line) => line.startsWith(`gateway_${name}{`) || line.startsWith(`gateway_${name} `));
  return Object.fromEntries(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(`gateway_${name}`.length, end), Number(line.slice(end + 1))];
    }),
  );
}

it('the metrics are Prometheus text, for operators only', async () => {
  expect((await gateway.rest('GET', '/metrics')).status).toBe(401);
  const { status, body, headers } = await gateway.admin('GET', '/metrics');
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(body).toMatch(/^# HELP gateway_request_seconds .+\n# TYPE gateway_request_seconds histogram$/m);
});

it('the metrics count and time requests by route and status, not by values in the path', async () => {
  for (const id of ['a', 'b', 'c']) await gateway.rest('GET', `/v1/catalog/credentials/${id}`);
  await gateway.rest('GET', '/nowhere/at/all');
  const counts = await valuesOf('request_seconds_count');
  expect(counts['{method="GET",route="/v1/catalog/credentials/:id",status="404"}']).toBe(3);
  expect(counts['{method="GET",route="(none)",status="404"}']).toBe(1);
});

it('the metrics count a request in each bucket from its duration upwards', async () => {
  for (let at = 0; at < 5; at += 1) await gateway.rest('GET', '/v1/catalog/credentials/timed');
  const labels = 'method="GET",route="/v1/catalog/credentials/:id",status="404"';
  const [counts, sums] = [await valuesOf('request_seconds_count'), await valuesOf('request_seconds_sum')];
  const buckets = Object.entries(await valuesOf('request_seconds_bucket'))
    .filter(([written]) => written.includes(labels))
    .map(([written, count]): [string | undefined, number] => [/le="([^"]+)"/.exec(written)?.[1], count]);
  const bounds = ['0.001', '0.005', '0.01', '0.025', '0.05', '0.1', '0.25', '0.5', '1', '2.5', '10', '+Inf'];
  expect(buckets.map(([bound]) => bound)).toEqual(bounds);
  const inOrder = buckets.map(([, count]) => count);
  expect(inOrder).toEqual([...inOrder].sort((a, b) => a - b));
  expect(inOrder.at(-1)).toBe(counts[`{${labels}}`]);
  expect(sums[`{${labels}}`]).toBeGreaterThan(0);
});

it('the metrics count operations by name', async () => {
  await gateway.gql('query Newest { credentials(first: 1) { nodes { name } } }');
  await gateway.gql('query Newest { credentials(first: 2) { nodes { name } } }');
  await gateway.gql('{ __typename }');
  const counts = await valuesOf('operations_total');
  expect(counts['{type="query",name="Newest"}']).toBe(2);
  expect(counts['{type="query",name="(unnamed)"}']).toBe(1);
});

it('the metrics count at most 200 names separately, because clients choose them', async () => {
  for (let at = 0; at < 250; at += 1) await gateway.gql(`query N${at} { __typename }`);
  const counts = await valuesOf('operations_total');
  expect(Object.keys(counts).length).toBeLessThanOrEqual(201);
  expect(counts['{type="query",name="(others)"}']).toBeGreaterThanOrEqual(50);
});

it('the metrics count commands to the store, and look-ups of the caches', async () => {
  const find = '{method="find"}';
  let limit = 0;
  // This is repeated while the change stream is behind, because responses are not cached then.
  await eventually(async () => {
    limit += 1;
    const [commands, responses] = [await valuesOf('store_commands_total'), await valuesOf('cached_responses')];
    for (const _ of ['made', 'cached']) await gateway.rest('GET', `/v1/catalog/credentials?limit=${limit}`);
    expect((await valuesOf('store_commands_total'))[find]).toBeGreaterThan(commands[find] ?? 0);
    const after = await valuesOf('cached_responses');
    expect(after['{result="hits"}']).toBe((responses['{result="hits"}'] ?? 0) + 1);
    expect(after['{result="misses"}']).toBe((responses['{result="misses"}'] ?? 0) + 1);
  });
});

it('the metrics show how far events lag, and the number of subscribers', async () => {
  expect(await valuesOf('events_behind')).toEqual({ '': 0 });
  expect(Object.keys(await valuesOf('event_lag_seconds'))).toEqual(['']);
  expect(await valuesOf('clients')).toEqual({ '': 0 });
  expect(Object.keys(await valuesOf('subscriptions'))).toContain('{count="dropped"}');
});
