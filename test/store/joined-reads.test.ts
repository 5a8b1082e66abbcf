// Reads of several requests become one command.
import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommandStartedEvent } from 'mongodb';
import { relationRequest } from '../../src/catalog/lists/relation-requests.js';
import type { HolderCaller } from '../../src/base/callers/caller.js';
import { JoinedReads } from '../../src/store/joined-reads.js';
import { makeNetwork, writeNetwork } from '../catalog/network.js';
import { startGateway, type TestGateway } from '../support/gateway.js';

/** Reads that return each id in upper case; `sent` has the ids of each command. */
function recorded(fails: (ids: readonly string[]) => boolean = () => false) {
  const sent: (readonly string[])[] = [];
  const reads = new JoinedReads<string>(async (ids) => {
    sent.push(ids);
    if (fails(ids)) throw new Error('the store cannot');
    return new Map(ids.map((id) => [id, id.toUpperCase()]));
  });
  return { reads, sent };
}

describe('joined reads', () => {
  it('reads of one turn are one command, which reads each id once', async () => {
    const { reads, sent } = recorded();
    const all = await Promise.all([reads.load(['a', 'b']), reads.load(['b', 'c']), reads.load(['d'])]);
    expect(sent).toEqual([['a', 'b', 'c', 'd']]);
    expect(all.map((rows) => rows.get('b'))).toEqual(['B', 'B', 'B']);
  });

  it('a read that is asked for after a command began is not part of it', async () => {
    const { reads, sent } = recorded();
    const first = reads.load(['a']);
    await setImmediate();
    const second = reads.load(['a']);
    await Promise.all([first, second]);
    expect(sent).toEqual([['a'], ['a']]);
  });

  it('a command that fails fails those that are joined in it, and no later one', async () => {
    const { reads } = recorded((ids) => ids.includes('bad'));
    const [bad, joined] = await Promise.allSettled([reads.load(['bad']), reads.load(['a'])]);
    expect([bad.status, joined.status]).toEqual(['rejected', 'rejected']);
    expect((await reads.load(['a'])).get('a')).toBe('A');
  });

  it('a command has a bounded number of ids of others, and one request is never split', async () => {
    const { reads, sent } = recorded();
    const ids = (from: number, count: number) => Array.from({ length: count }, (_, at) => String(from + at));
    await Promise.all([
      reads.load(ids(0, 499)),
      reads.load(ids(1_000, 100)),
      reads.load(ids(2_000, 700)),
      reads.load(['x']),
    ]);
    expect(sent.map(({ length }) => length)).toEqual([599, 700, 1]);
  });
});

describe('the catalog', () => {
  let gateway: TestGateway;
  let ids: string[];
  const context = new AsyncLocalStorage<string[]>();
  /** Reads, and the commands for credentials that this sends. The search index reads them meanwhile. */
  async function sentBy<T>(read: () => Promise<T>): Promise<{ result: T; sent: string[] }> {
    const sent: string[] = [];
    return { result: await context.run(sent, read), sent };
  }
  beforeAll(async () => {
    gateway = await startGateway({ monitorCommands: true, env: { ENTITY_CACHE_MB: '0' } });
    const network = makeNetwork(60, 5);
    await writeNetwork(gateway.app.connection, network);
    ids = network.credentials.filter(({ live, demandCount }) => live && demandCount > 0).map(({ _id }) => _id);
    gateway.app.connection.getClient().on('commandStarted', ({ commandName, command }: CommandStartedEvent) => {
      const sentTo = `${commandName} ${command[commandName]}`;
      if (/^(find|aggregate) credentials$/.test(sentTo)) context.getStore()?.push(sentTo);
    });
  });
  afterAll(() => gateway.close());

  it('rows and lists that several requests miss are read by one command, and each gets its own', async () => {
    const { catalog } = gateway.app.services;
    expect(ids.length).toBeGreaterThan(9);
    const asked = await sentBy(() => Promise.all(ids.map((id) => catalog.for().byIds('credentials', [id, 'none']))));
    const found = asked.result.map((rows) => rows.map((row) => row?.credentialId ?? null));
    expect(found).toEqual(ids.map((id) => [id, null]));
    expect(asked.sent).toEqual(['find credentials']);
    const request = relationRequest('credentialPrograms', { first: 2 }).request;
    const alone = await sentBy(async () => {
      const lists = [];
      for (const id of ids) lists.push(...(await catalog.relationRows('credentialPrograms', [id], request)));
      return lists;
    });
    expect(alone.sent).toHaveLength(ids.length);
    const pages = await sentBy(() =>
      Promise.all(ids.map((id) => catalog.for().relationRows('credentialPrograms', [id], request))),
    );
    expect(pages.sent).toEqual(['aggregate credentials']);
    expect(pages.result.flat()).toEqual(alone.result);
    expect(alone.result.some(({ rows }) => rows.length > 0)).toBe(true);
  });

  it('what several issuances ask for is read by one command of each kind, and each gets its own', async () => {
    const { issuingCatalog, holders } = gateway.app.services;
    const read = (all: readonly string[]) => Promise.all(all.map((id) => issuingCatalog.credential(id)));
    const several = await sentBy(() => read([...ids.slice(0, 5), 'none', ids[0] ?? '']));
    const rows = several.result;
    expect(rows.map((row) => row?._id ?? null)).toEqual([...ids.slice(0, 5), null, ids[0]]);
    expect(several.sent).toEqual(['find credentials']);
    expect(rows[0]).toEqual(await issuingCatalog.credential(ids[0] ?? ''));
    const retired = ids[1] ?? '';
    await gateway.app.connection
      .collection('credentials')
      .updateOne({ _id: retired as never }, { $set: { live: false } });
    expect((await read([retired, ids[2] ?? ''])).map((row) => row?._id ?? null)).toEqual([null, ids[2]]);
    const people = await Promise.all(['a', 'b'].map((name) => holders.provision(`${name}@example.org`, true)));
    const found = people.map(({ holder }) => holder);
    const byId = await Promise.all([...found.map(({ _id }) => _id), 'none'].map((id) => holders.byId(id)));
    expect(byId).toEqual([...found, undefined]);
    const [first, second] = found.map(({ _id }) => _id);
    await holders.setConsent({ kind: 'holder', holderId: first ?? '' } as HolderCaller, 'partner', 'declined');
    const decisions = [first, second, first].map((id) => holders.consentOf(id ?? '', 'partner'));
    expect(await Promise.all(decisions)).toEqual(['declined', undefined, 'declined']);
  });

  it('lists of other sizes and orders are not joined', async () => {
    const { catalog } = gateway.app.services;
    const requests = [
      relationRequest('credentialPrograms', { first: 1 }).request,
      relationRequest('credentialPrograms', { first: 2 }).request,
      relationRequest('credentialPrograms', { first: 2, orderBy: { field: 'NAME' } }).request,
    ];
    const { result: pages, sent } = await sentBy(() =>
      Promise.all(requests.map((request) => catalog.relationRows('credentialPrograms', ids.slice(0, 3), request))),
    );
    expect(sent).toHaveLength(3);
    expect(pages[0]?.every(({ rows }) => rows.length <= 1)).toBe(true);
  });
});
