// What the engine removes by itself; a failure of the removal has no other effect.
import { Long, UUID } from 'bson';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Doc } from '../../src/engine/bson/types.js';
import { CommandDispatcher } from '../../src/engine/commands/dispatch.js';
import { type Engine, openEngine } from '../../src/engine/engine.js';
import { Housekeeping } from '../../src/engine/housekeeping.js';
import { SESSION_MINUTES } from '../../src/engine/sessions/sessions.js';
import { prefixEnd, prefixOf } from '../../src/engine/store/keys.js';
import { until } from '../support/eventually.js';
import { tempFolder } from './support.js';

let folder: ReturnType<typeof tempFolder>;
let engine: Engine;
const open = async (): Promise<void> => {
  engine = await openEngine({ dataDir: folder.path, ttlSeconds: 0.02 });
};
/** Runs a command in this thread. */
const run = async (command: Doc): Promise<Doc> => {
  const reply = await new CommandDispatcher(engine).answer({ address: 'test' } as never, { ...command, $db: 'test' });
  expect(Number(reply.ok), JSON.stringify(reply)).toBe(1);
  return reply;
};
beforeEach(async () => {
  folder = tempFolder();
  await open();
});
afterEach(async () => {
  await engine.close();
  folder.remove();
});

describe('sessions in the store', () => {
  const stored = () => [...engine.tables.sessions.getKeys({})].map((key) => key.toString('hex'));
  /** Makes a retryable write, so that the store has its session. */
  const written = async (lsid: Doc): Promise<void> => {
    await run({ insert: 'rows', documents: [{}], lsid, txnNumber: Long.fromNumber(1) });
  };
  const session = () => ({ id: new UUID() });
  const keyOf = ({ id }: { id: UUID }) => Buffer.from(id.buffer).toString('hex');
  afterEach(() => vi.useRealTimers());

  it('sessions are removed from the store when they have expired, also those of an earlier run; sessions in use are not', async () => {
    const [earlier, ended, used] = [session(), session(), session()];
    await written(earlier);
    await engine.close();
    await open();
    await written(ended);
    await run({ endSessions: [ended] });
    await written(used);
    expect(stored()).toHaveLength(3);
    const housekeeping = new Housekeeping(engine);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + SESSION_MINUTES * 60_000 });
    await run({ ping: 1, lsid: used });
    await until(() => stored().length < 3);
    await housekeeping.stop();
    expect(stored()).toEqual([keyOf(used)]);
  });

  it('sessions stay in the store as long as a write may be retried', async () => {
    const one = session();
    await written(one);
    await run({ endSessions: [one] });
    const later = Date.now() + SESSION_MINUTES * 60_000;
    const { unused } = engine.sessions.storedUnused(10, undefined, later);
    expect(unused.map((key) => key.toString('hex'))).toEqual([keyOf(one)]);
    expect(engine.sessions.storedUnused(10, undefined, later - 60_000).unused).toEqual([]);
    // The session is used between the search for old sessions and their removal.
    await written(one);
    await engine.tables.root.transaction(() => engine.sessions.removeUnused(unused, later));
    expect(stored()).toEqual([keyOf(one)]);
  });
});

describe('many sessions in the store', () => {
  it('many sessions in the store are read in small parts, each once', async () => {
    for (let i = 0; i < 25; i++)
      await run({ insert: 'rows', documents: [{}], lsid: { id: new UUID() }, txnNumber: Long.fromNumber(1) });
    for (const { key } of engine.sessions.all()) engine.sessions.end(engine.sessions.get({ id: new UUID(key) }));
    const later = Date.now() + SESSION_MINUTES * 60_000;
    const sizes: number[] = [];
    const seen = new Set<string>();
    let after: Buffer | undefined;
    do {
      const { unused, last } = engine.sessions.storedUnused(10, after, later);
      for (const key of unused) seen.add(key.toString('hex'));
      sizes.push(unused.length);
      after = last;
    } while (after);
    expect([sizes, seen.size]).toEqual([[10, 10, 5], 25]);
  });
});

describe('expired documents', () => {
  it('expired documents are removed at once at a start, however short the runs are', async () => {
    await run({ createIndexes: 'old', indexes: [{ key: { at: 1 }, name: 'at', expireAfterSeconds: 0 }] });
    await run({ insert: 'old', documents: [{ at: new Date(0) }] });
    await engine.close();
    engine = await openEngine({ dataDir: folder.path, ttlSeconds: 3600 });
    const housekeeping = new Housekeeping(engine);
    await housekeeping.stop();
    expect((await run({ count: 'old' })).n).toMatchObject({ value: 0 });
  });
});

describe('what is dropped', () => {
  it('dropped data that a full disk kept is removed when the sweep starts again, and nothing else ends', async () => {
    const ID = 77_000;
    const { catalog, records, root } = engine.tables;
    const left = () => records.getKeysCount({ start: prefixOf(ID), end: prefixEnd(ID) });
    await root.transaction(() => {
      records.putSync(Buffer.concat([prefixOf(ID), Buffer.alloc(6)]), Buffer.from('x'));
      engine.garbage.mark(ID, 'records');
    });
    const said = vi.spyOn(console, 'error').mockImplementation(() => {});
    vi.spyOn(root, 'transaction').mockImplementationOnce((() => Promise.reject(new Error('ENOSPC'))) as never);
    engine.garbage.start();
    await engine.garbage.finished();
    expect([left(), said.mock.calls.length]).toEqual([1, 1]);
    vi.restoreAllMocks();
    engine.garbage.start();
    await engine.garbage.finished();
    expect([left(), catalog.getKeysCount({ start: Buffer.from('g'), end: Buffer.from('h') })]).toEqual([0, 0]);
  });
});
