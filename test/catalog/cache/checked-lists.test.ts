// A cached list is checked against the rows that have changed: it stays as long as none of them is or comes into it, and is always the store's.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { comparePlaces } from '../../../src/catalog/lists/chosen-rows.js';
import { checkedList } from '../../../src/catalog/lists/list-request.js';
import { mayHave } from '../../../src/catalog/lists/may-have.js';
import { eventually } from '../../support/eventually.js';
import { databaseUri, startGateway, type TestGateway } from '../../support/gateway.js';
import { importInto } from '../admin/admin-fixture.js';
import { dice } from '../network.js';

const WORDS = ['Alder', 'Birch', 'Cedar', 'Elm'];
const ISSUERS = ['i0', 'i1', 'i2'];
const CATEGORIES = ['x', 'y'];
const COUNT = 24;
const point = { name: 'level', title: 'Level', type: 'integer', isRequired: true, description: '' };

let gateway: TestGateway;
/** Writes too: its changes reach the first one by the change stream. */
let other: TestGateway;
/** Without a cache: what the store has. */
let uncached: TestGateway;

beforeAll(async () => {
  gateway = await startGateway({ env: { RESPONSE_CACHE_MB: '0' } });
  const MONGODB_URI = databaseUri(gateway.app.connection.name);
  other = await startGateway({ env: { MONGODB_URI } });
  uncached = await startGateway({ env: { MONGODB_URI, ENTITY_CACHE_MB: '0', RESPONSE_CACHE_MB: '0' } });
  await importInto(gateway, [
    ...ISSUERS.map((id) => ({ kind: 'issuers', id, name: id, issuerDid: `did:web:${id}.example`, issuerFrom: 'here' })),
    { kind: 'schemas', id: 's', title: 'S', description: '', dataPoints: [point] },
    ...Array.from({ length: COUNT }, (_, at) => ({
      ...{ kind: 'credentials', id: `c${at}`, ...bodyOf(at, at, at) },
      traction: { holderCount: at % 7, issuanceCount: at, verificationCount: 0 },
    })),
  ]);
  for (const { app } of [gateway, other])
    await eventually(() => expect(app.services.catalogChanges.trusted).toBe(true));
  // Lists come from the cache however far the change stream of a busy machine is behind.
  vi.spyOn(gateway.app.services.catalogChanges, 'trusted', 'get').mockReturnValue(true);
});
afterAll(async () => {
  await other?.app.close();
  await uncached?.app.close();
  await gateway?.close();
});

const pick = <T>(all: readonly T[], at: number): T => all[at % all.length] as T;
const bodyOf = (word: number, issuer: number, category: number) => ({
  name: `${pick(WORDS, word)} ${pick(WORDS, word * 3 + 1)} ${word}`,
  category: pick(CATEGORIES, category),
  issuerId: pick(ISSUERS, issuer),
  schemaId: 's',
});

const LIST = `query ($where: CredentialWhere, $order: CredentialOrder, $first: Int, $last: Int, $after: String) {
  credentials(where: $where, orderBy: $order, first: $first, last: $last, after: $after) {
    nodes { credentialId name category issuer { issuerId } } totalCount pageInfo { hasNextPage hasPreviousPage endCursor } } }`;

const WHERES = [
  undefined,
  { issuerId: { eq: 'i1' } },
  { category: { eq: 'x' } },
  { issuerId: { in: ['i0', 'i2'] }, category: { eq: 'y' } },
  { name: { contains: 'cedar' } },
  { name: { contains: 'bir elm' } },
  { name: { eq: 'Elm Cedar 3' } },
  { schemaId: { eq: 's' } },
];
const ORDERS = [
  { field: 'NAME', direction: 'ASC' },
  { field: 'NAME', direction: 'DESC' },
  { field: 'POPULARITY', direction: 'DESC' },
  { field: 'CREATED', direction: 'ASC' },
];
const REQUESTS = WHERES.flatMap((where) =>
  ORDERS.flatMap((order) => [{ first: 3 }, { first: 40 }, { last: 2 }].map((size) => ({ where, order, ...size }))),
);

const ask = async (at: TestGateway, variables: object): Promise<unknown> => {
  const { data, errors } = await at.gql(LIST, variables as Record<string, unknown>);
  expect(errors).toBeUndefined();
  return data.credentials;
};
const listCounts = async (): Promise<Record<string, number>> => {
  const text = await (
    await fetch(`${gateway.url}/metrics`, { headers: { 'x-admin-api-key': gateway.operatorKey } })
  ).text();
  const found = text.matchAll(/^\w*cached_lists\{[^}]*result="(\w+)"[^}]*\} (\d+)/gm);
  return Object.fromEntries([...found].map(([, result, count]) => [result ?? '', Number(count)]));
};
const put = async (id: string, body: object, at = gateway): Promise<void> => {
  expect((await at.admin('PUT', `/v1/admin/credentials/${id}`, { body })).status).toBe(200);
};
const retire = async (id: string, at = gateway): Promise<void> => {
  await at.admin('DELETE', `/v1/admin/credentials/${id}`);
};
/** How many lists were found unchanged while a request ran. */
async function checkedBy(variables: object): Promise<number> {
  const before = await listCounts();
  await ask(gateway, variables);
  return ((await listCounts()).checked ?? 0) - (before.checked ?? 0);
}

describe('a page by name', () => {
  const page = { where: { category: { eq: 'z' } }, order: { field: 'NAME', direction: 'ASC' }, first: 2 };
  const z = (name: string) => ({ ...bodyOf(0, 0, 0), category: 'z', name });
  const shown = async () => {
    const list = (await ask(gateway, page)) as { nodes: { name: string }[]; pageInfo: { hasNextPage: boolean } };
    return [...list.nodes.map(({ name }) => name), list.pageInfo.hasNextPage];
  };
  beforeAll(async () => {
    for (const name of ['a', 'b', 'c', 'd']) await put(`z-${name}`, z(name));
  });

  /** `attempt` makes each write a change. */
  const outside: [string, (attempt: number) => Promise<void>][] = [
    ['a row after the page', (attempt) => put('z-d', z(`e${attempt}`))],
    ['a row of another category', (attempt) => put('c1', { ...bodyOf(1, 1, 1), name: `aa${attempt}` })],
    [
      'a row that leaves the list after the page',
      (attempt) => put('z-d', { ...z(`e${attempt}`), category: attempt % 2 ? 'z' : 'x' }),
    ],
    [
      'a row that comes into the list after the page',
      (attempt) => put('z-d', { ...z(`f${attempt}`), category: attempt % 2 ? 'x' : 'z' }),
    ],
  ];
  it.each(outside)('stays when %s changes', async (_, write) => {
    let attempt = 0;
    // Again if the stream reported an earlier write meanwhile.
    await eventually(async () => {
      await ask(gateway, page);
      await write(attempt++);
      expect(await checkedBy(page)).toBeGreaterThan(0);
    });
    expect(await shown()).toEqual(['a', 'b', true]);
  });

  const inside: [string, () => Promise<void>, unknown[]][] = [
    ['a row of the page changes', () => put('z-b', z('bb')), ['a', 'bb', true]],
    ['a row comes into the page', () => put('z-d', z('ab')), ['a', 'ab', true]],
    ['a row of the page leaves the list', () => put('z-d', { ...z('ab'), category: 'x' }), ['a', 'bb', true]],
    ['the last row after the page leaves the list', () => put('z-c', { ...z('c'), category: 'x' }), ['a', 'bb', false]],
    ['a row comes after a page that was the last', () => put('z-c', z('c')), ['a', 'bb', true]],
    ['a row of the page is retired', () => retire('z-a'), ['bb', 'c', false]],
    ['a retired row returns', () => put('z-a', z('a')), ['a', 'bb', true]],
  ];
  it.each(inside)('is another one when %s', async (_, write, expected) => {
    await ask(gateway, page);
    await write();
    expect(await shown()).toEqual(expected);
  });
});

it('lists are those of the store after any writes, here and in another gateway', async () => {
  const roll = dice(7);
  const before = await listCounts();
  for (let round = 0; round < 12; round += 1) {
    for (let write = 0; write < 2; write += 1) {
      const at = round % 3 === 2 ? other : gateway;
      const id = `c${roll(COUNT)}`;
      if (roll(6) === 0) await retire(id, at);
      else await put(id, bodyOf(roll(40), roll(3), roll(2)), at);
    }
    const some = REQUESTS.filter(() => roll(4) === 0);
    for (const request of some) {
      const stored = await ask(uncached, request);
      await eventually(async () => expect(await ask(gateway, request), JSON.stringify(request)).toEqual(stored));
    }
  }
  expect((await listCounts()).checked).toBeGreaterThan((before.checked ?? 0) + 5);
});

describe('mayHave', () => {
  const record = { name: 'Elm Cedar', sortName: 'elm cedar', category: 'x', popularity: 5, createdAt: new Date(5) };
  const byName = { field: 'NAME', direction: 'ASC' } as const;
  const has = (where: object, next?: object) =>
    mayHave(checkedList('credentials', { where: where as never, orderBy: byName }), 'c', record, next as never);

  it.each([
    [{ category: { eq: 'x' } }, true],
    [{ category: { eq: 'y' } }, false],
    [{ category: { in: ['y', 'x'] } }, true],
    [{ name: { contains: 'ced' } }, true],
    [{ name: { contains: 'edar' } }, false],
    [{ name: { contains: 'ced el' } }, true],
    [{ name: { eq: 'Elm cedar' } }, false],
    [{ name: { eq: 'Elm Cedar' } }, true],
  ])('compares texts and beginnings of words: %j', (where, expected) => {
    expect(has(where)).toBe(expected);
  });

  it('compares the place with the row after the page, ids last', () => {
    const next = (sortName: string, _id: string) => ({ sortName, _id });
    expect(has({}, next('elm d', 'a'))).toBe(true);
    expect(has({}, next('elm b', 'z'))).toBe(false);
    expect(has({}, next('elm cedar', 'd'))).toBe(true);
    expect(has({}, next('elm cedar', 'b'))).toBe(false);
    expect(comparePlaces({ value: new Date(5), id: 'a' }, { value: 5, id: 'b' })).toBeLessThan(0);
  });
});
