// A document that was accepted before is answered without being validated again, with a byte for byte equal response.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeNetwork, writeNetwork } from '../../catalog/network.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
  await writeNetwork(gateway.app.connection, makeNetwork(40, 5));
});
afterAll(() => gateway.close());

interface Answer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/**
 * Complete responses to the same request, the first of which was for an unknown document; without members that always
 * differ.
 */
async function answers(body: object, headers: Record<string, string> = {}, times = 4): Promise<Answer[]> {
  const made: Answer[] = [];
  for (let at = 0; at < times; at += 1) {
    const answer = await fetch(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    const id = answer.headers.get('x-request-id') ?? 'none';
    const kept = [...answer.headers].filter(([name]) => !['date', 'x-request-id'].includes(name));
    made.push({
      status: answer.status,
      headers: Object.fromEntries(kept),
      text: (await answer.text()).replaceAll(id, 'the request'),
    });
  }
  return made;
}

const PAGE = `query Page($n: Int, $on: Boolean = true) {
  credentials(first: $n) { totalCount nodes { name issuer @include(if: $on) { name } programs(first: 2) { nodes { name } } } }
}`;
const TWO = 'query A { __typename } query B { issuers(first: 1) { nodes { name } } }';

const CASES: Record<string, object> = {
  'a page': { query: PAGE, variables: { n: 5 } },
  'a page without a part of it': { query: PAGE, variables: { n: 5, on: false } },
  'no variables': { query: '{ schemas { nodes { title dataPoints { name } } } }' },
  'null for what may be left out': { query: '{ issuers { totalCount } }', variables: null, operationName: null },
  'one of two operations': { query: TWO, operationName: 'B' },
  'none of two operations': { query: TWO },
  'an operation that is not there': { query: TWO, operationName: 'C' },
  'a variable that does not fit': { query: PAGE, variables: { n: 'many' } },
  'a page that is too large': { query: PAGE, variables: { n: 5_000 } },
  'more nodes than are allowed': { query: PAGE, variables: { n: 10_001 } },
  'variables that are no object': { query: PAGE, variables: [5] },
  'an extension that nobody knows': { query: PAGE, variables: { n: 2 }, extensions: { some: 'thing' } },
  'a mutation without a key': { query: 'mutation { retireIssuer(input: { issuerId: "a" }) { retiredId } }' },
  'a page size that is no number': { query: PAGE, variables: { n: 'x'.repeat(60_000) } },
  'a text that is not GraphQL': { query: '{ issuers(' },
  'a field that is not there': { query: '{ nothing }' },
};

describe('A document that comes again is answered as the first time', () => {
  it.each(Object.entries(CASES))(
    'a repeated document gets the same response as the first time: %s',
    async (_, body) => {
      // If the query has variables, it is accepted with other values before.
      await answers({ query: PAGE, variables: { n: 3 } }, {}, 1);
      const [first, ...later] = await answers(body);
      for (const answer of later) expect(answer).toEqual(first);
    },
  );

  it('a repeated document does not get the response to variables that only look alike', async () => {
    const deep = `query($n: Int = 100) { issuers(first: $n) { nodes { credentials(first: $n) { nodes { programs(first: $n) { nodes { id } } } } } } }`;
    const none = await answers({ query: deep, variables: { n: null } });
    expect(none.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    // Without the argument, the page has 100 entries.
    for (const { status, text } of await answers({ query: deep })) {
      expect([status, JSON.parse(text).errors?.[0].extensions.code]).toEqual([400, 'QUERY_TOO_LARGE']);
    }
  });

  it('a repeated document with a number that is too large does not get the response to null', async () => {
    await answers({ query: PAGE, variables: { n: null } });
    for (const number of ['1e999', '-1e999', '1e400']) {
      const body = JSON.stringify({ query: PAGE, variables: { n: 0 } }).replace('"n":0', `"n":${number}`);
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`${gateway.url}/graphql`, { method: 'POST', headers, body });
      expect([number, answer.status]).toEqual([number, 400]);
    }
  });

  it('a repeated document gets the same response with undeclared variables, as deep as a body may be', async () => {
    const query = 'query ($n: Int) { issuers(first: $n) { nodes { name } } }';
    const deep = `${'['.repeat(120)}${']'.repeat(120)}`;
    for (let at = 0; at < 4; at += 1) {
      const body = `{"query":${JSON.stringify(query)},"variables":{"x":${deep}}}`;
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`${gateway.url}/graphql`, { method: 'POST', headers, body });
      expect([answer.status, await answer.json()]).toMatchObject([200, { data: { issuers: {} } }]);
    }
  });

  it('a repeated document gets a response in the media type that the client prefers', async () => {
    const body = { query: PAGE, variables: { n: 5 } };
    const [first, ...later] = await answers(body, { accept: 'application/graphql-response+json, application/json' });
    expect(first?.headers['content-type']).toMatch(/^application\/graphql-response\+json/);
    for (const answer of later) expect(answer).toEqual(first);
  });
});

describe('Freshness', () => {
  const body = { query: PAGE, variables: { n: 2 } };

  it('freshness is in every response that requests it, repeated or not', async () => {
    const before = Date.now();
    for (const { text } of await answers(body, { 'x-include': 'cost, freshness' })) {
      const { asOf, lagMs } = JSON.parse(text).extensions.freshness;
      expect(lagMs).toBeGreaterThanOrEqual(0);
      expect(new Date(asOf).toISOString()).toBe(asOf);
      expect(Date.parse(asOf) + lagMs).toBeGreaterThanOrEqual(before);
    }
  });

  it('freshness is not in a response that does not request it', async () => {
    for (const { text } of await answers(body)) expect(JSON.parse(text)).not.toHaveProperty('extensions');
  });
});
