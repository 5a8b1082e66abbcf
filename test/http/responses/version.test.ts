// Operators see which version and commit runs: in health, in the metrics, and in each response to them.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildText } from '../../../src/base/version.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';
import { registerPartner } from '../../support/partner.js';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const commit = readFileSync('dist/commit', 'utf8') || 'unknown';
const HEADER = 'x-gateway-version';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

it('the version is that of the package, with the commit that was built', () => {
  // The build may be of an earlier commit.
  expect(execFileSync('git', ['cat-file', '-t', commit.replace('-dirty', '')], { encoding: 'utf8' })).toBe('commit\n');
  expect(buildText()).toBe(`${version}+${commit}`);
  expect(buildText({ version: '1.2.3', commit: 'unknown' })).toBe('1.2.3');
});

it('the version is in the health response', async () => {
  expect((await gateway.rest('GET', '/health/live')).body).toEqual({ status: 'live', version, commit });
});

it('the version is a metric', async () => {
  const { body } = await gateway.admin('GET', '/metrics');
  expect(body).toContain(`gateway_info{version="${version}",commit="${commit}"} 1\n`);
});

it('the version is in every response to operators, and in no other', async () => {
  const operator = { 'x-admin-api-key': gateway.operatorKey };
  const partner = { 'x-partner-auth': await (await registerPartner(gateway)).token() };
  const query = `/graphql?query=${encodeURIComponent('{ __typename }')}`;
  const events = { accept: 'text/event-stream' };
  const told = async (path: string, headers: Record<string, string>) =>
    (await gateway.rest('GET', path, { headers })).headers.get(HEADER);
  for (const [path, more] of [
    ['/v1/admin/issuers', {}],
    ['/v1/admin/issuers/none', {}],
    [query, {}],
    [query, events],
  ] as const) {
    expect(await told(path, { ...operator, ...more })).toBe(buildText());
    expect(await told(path, { ...partner, ...more })).toBeNull();
    expect(await told(path, more)).toBeNull();
  }
});
