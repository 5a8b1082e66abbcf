// Whatever a client sends, the response says in one sentence with a code what is wrong; it is never a stack trace or an
// internal error.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { encodeCursor } from '../../src/catalog/lists/cursor.js';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { makeNetwork, writeNetwork } from './network.js';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startGateway();
  await writeNetwork(gateway.app.connection, makeNetwork(20));
});
afterAll(() => gateway.close());

const foreign = encodeCursor({ list: 'programs', order: 'POPULARITY', direction: 'DESC' }, { value: 1, id: 'x' });
const forged = Buffer.from('["credentials POPULARITY DESC",{"$gt":""},{"$ne":null}]').toString('base64url');
const list = (args: string) => `{ credentials(${args}) { nodes { credentialId } totalCount } }`;

it.each<[string, string, RegExp]>([
  ['a page that is too large', list('first: 1000'), /"first".*1 to 100/],
  ['a page of nothing', list('first: 0'), /"first"/],
  ['a negative page', list('last: -5'), /"last"/],
  ['both ends at once', list('first: 1, last: 1'), /not both/],
  ['a number beyond integers', list('first: 99999999999'), /whole number from/],
  ['a text for a number', list('first: "ten"'), /whole number/],
  ['a cursor of nothing', list('after: ""'), /"after"/],
  ['a forged cursor', list(`after: "${forged}"`), /"after"/],
  ['a cursor of another list', list(`after: "${foreign}"`), /another list/],
  ['a cursor of another list, backward', list(`last: 2, before: "${foreign}"`), /"before"/],
  ['a very long cursor', list(`after: "${'A'.repeat(5000)}"`), /"after"/],
  ['an unknown order', list('orderBy: { field: LUCK }'), /CredentialOrderField/],
  ['an unknown filter', list('where: { luck: { eq: "x" } }'), /luck/],
  ['an operator for a filter', list('where: { _where: { eq: "x" } }'), /_where/],
  ['an unknown operator', list('where: { category: { ne: "x" } }'), /ne/],
  ['an object for a value', list('where: { category: { eq: { gt: "" } } }'), /"where.category.eq" must be a string/],
  [
    'an order that a range cannot come in',
    list('where: { holderCount: { gt: 1 } }, orderBy: { field: NAME }'),
    /only be in the order POPULARITY, not/,
  ],
  ['two ranges of two orders', list('where: { holderCount: { gt: 1 }, createdAt: { gt: "2024-01-01" } }'), /only/],
  [
    'a moment that is none',
    list('where: { createdAt: { gt: "yesterday" } }'),
    /"where.createdAt.gt" must be a date-time/,
  ],
  ['words without a letter', list('where: { name: { contains: "?!" } }'), /letter/],
  ['a relation page that is too large', '{ issuers { nodes { credentials(first: 101) { totalCount } } } }', /"first"/],
  [
    'a forged cursor in a relation',
    `{ issuers { nodes { credentials(after: "${forged}") { totalCount } } } }`,
    /"after"/,
  ],
])('bad input is refused: %s', async (_, query, message) => {
  const { status, errors } = await gateway.gql(query);
  expect(status).toBeLessThan(500);
  expect(errors?.length).toBeGreaterThan(0);
  for (const error of errors ?? []) {
    expect(error.message).toMatch(message);
    expect(['BAD_USER_INPUT', 'GRAPHQL_VALIDATION_FAILED']).toContain(error.extensions.code);
    expect(JSON.stringify(error)).not.toContain('node_modules');
  }
});

it('a filter in a variable is checked like one in the document', async () => {
  const query = 'query ($where: CredentialWhere) { credentials(where: $where) { totalCount } }';
  for (const where of [
    { category: { eq: { $gt: '' } } },
    { $where: 'sleep(1)' },
    { category: { $ne: 'x' } },
    'x',
    [1, 2],
  ]) {
    const { status, errors } = await gateway.gql(query, { where });
    expect(status).toBeLessThan(500);
    expect(errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
  }
});

it('a filter that is null counts as absent, and an operator that is null is refused', async () => {
  const query = `query ($category: String, $name: NameFilter) {
    credentials(where: { category: { eq: $category }, name: $name }, orderBy: { field: NAME }) { totalCount }
    all: credentials { totalCount } }`;
  const unset = await gateway.gql(query, { category: null, name: null });
  expect(unset.errors?.[0]).toMatchObject({ extensions: { code: 'BAD_USER_INPUT' }, message: /category/ });
  const all = await gateway.gql(
    'query ($name: NameFilter) { credentials(where: { name: $name }) { totalCount } all: credentials { totalCount } }',
    { name: null },
  );
  expect(all.data.credentials).toEqual(all.data.all);
});

it('operators inside values are treated as plain text', async () => {
  const query = 'query ($text: String) { credentials(where: { category: { eq: $text } }) { totalCount } }';
  for (const text of ['$where', '{"$gt":""}', '$ne', 'function(){return true}', '\u0000']) {
    expect(await gateway.gql(query, { text })).toMatchObject({ data: { credentials: { totalCount: 0 } } });
  }
});
