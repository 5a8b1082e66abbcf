// The key of a cached GraphQL response is the text of its request, which is looked up before it is parsed.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../support/eventually.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';
import { CachedAnswers } from './cached-answers.js';

const LIST = '/v1/catalog/issuers';
const QUERY = '{ issuers(first: 2) { nodes { name } } }';

let gateway: TestGateway;
let answers: CachedAnswers;

beforeAll(async () => {
  gateway = await startGateway({ monitorCommands: true, env: { ENTITY_CACHE_MB: '0' } });
  answers = new CachedAnswers(gateway);
  const body = { name: 'One', issuerDid: 'did:example:one', issuerFrom: 'here' };
  expect((await gateway.admin('PUT', '/v1/admin/issuers/one', { body })).status).toBeLessThan(300);
  await until(() => gateway.app.services.catalogChanges.trusted);
});
afterAll(() => gateway.close());

async function post(text: string): Promise<{ status: number; text: string }> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${gateway.url}/graphql`, { method: 'POST', headers, body: text });
  return { status: answer.status, text: await answer.text() };
}

describe('A cached GraphQL response', () => {
  it('a cached GraphQL response is sent again to a request that names its document', async () => {
    const sha256Hash = createHash('sha256').update(QUERY).digest('hex');
    const extensions = { persistedQuery: { version: 1, sha256Hash } };
    let first = await post(JSON.stringify({ query: QUERY, extensions }));
    const named = JSON.stringify({ extensions });
    const keep = async () => {
      await answers.settled();
      first = await post(named);
    };
    const again = async () => expect(await post(named)).toEqual(first);
    expect(await answers.commands(again, keep)).toBe(0);
    expect(JSON.parse(first.text).data.issuers.nodes).toEqual([{ name: 'One' }]);
  });

  it('a cached GraphQL response is not sent to another request whose body is the key of a cached one', async () => {
    const path = `/graphql?query=${encodeURIComponent(QUERY)}`;
    await answers.withTag(() => fetch(gateway.url + path));
    await answers.withTag(() => gateway.rest('GET', LIST));
    for (const text of [`GET ${path}`, path, LIST, `GET ${LIST}`])
      expect([text, (await post(text)).status]).toEqual([text, 400]);
  });
});
