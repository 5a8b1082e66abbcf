// The oplog is stored in blocks, and whole blocks are removed from it. A reader that has read only a part of a transaction gets an error when the
// rest is removed.
import { randomBytes } from 'node:crypto';
import { crc32, deflateRawSync } from 'node:zlib';
import { Binary } from 'bson';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toBytes } from '../../../src/engine/bson/codec.js';
import { type Engine, openEngine } from '../../../src/engine/engine.js';
import { withChecksum } from '../../../src/engine/store/checksum.js';
import { joinEntries, oplogKey, packBlock, unpackBlock } from '../../../src/engine/store/oplog-block.js';
import type { OplogEvent } from '../../../src/engine/store/oplog.js';
import { tempFolder } from '../support.js';

it('a block is read that an earlier version compressed against all of its history', () => {
  const history = randomBytes(16 * 1024);
  const entry = { ts: 5n, index: 2, bson: toBytes({ o: new Binary(history.subarray(2_000, 4_000)) }) };
  const plain = joinEntries([entry]);
  const pieces = packBlock(plain, entry, history);
  expect(unpackBlock(pieces, history)).toEqual(plain);
  // Only the part of the history that is not used any more has what the entry repeats.
  const body = deflateRawSync(plain, { level: 6, memLevel: 7, windowBits: 14, dictionary: history });
  expect(body.length).toBeLessThan(200);
  const earlier = Buffer.concat([pieces[0]?.subarray(0, 21) ?? Buffer.alloc(0), body]);
  earlier.writeUInt8(3, 0);
  earlier.writeUInt32BE(earlier.length, 1);
  earlier.writeUInt32BE(crc32(body), 17);
  expect(unpackBlock([earlier], history)).toEqual(plain);
});

describe('the oplog', () => {
  let folder: ReturnType<typeof tempFolder>;
  let engine: Engine;
  beforeEach(async () => {
    folder = tempFolder();
    engine = await openEngine({ dataDir: folder.path });
  });
  afterEach(async () => {
    await engine.close();
    folder.remove();
  });

  const event = (o: OplogEvent['o'] = {}): OplogEvent => ({ op: 'n', ns: 'test.c', o });
  const bulky = (): OplogEvent => event({ bytes: randomBytes(70_000) });
  const append = (...events: OplogEvent[]): Promise<bigint> =>
    engine.tables.root.transaction(() => {
      const ts = engine.oplog.append(events);
      engine.oplog.store();
      return ts;
    });
  const again = async (): Promise<void> => {
    await engine.close();
    engine = await openEngine({ dataDir: folder.path });
  };

  it('the oplog refuses a position inside a partly trimmed transaction, unless nothing after it is lost', async () => {
    // Each entry is so large that it has a block of its own.
    const ts = await append(bulky(), bulky(), bulky());
    await append(event());
    const { oplog, tables } = engine;
    // The oplog has one entry from the start.
    expect(await tables.root.transaction(() => oplog.trim(ts + 1n, Number.POSITIVE_INFINITY, 3))).toBe(3);
    expect([0, 1, 2].map((index) => oplog.reachesBackTo(ts, index))).toEqual([false, true, true]);
    expect(oplog.read(ts, 1, 10).map((entry) => entry.index)).toEqual([2, 0]);
  });

  it('the oplog can be read from any entry of a block, also after a restart', async () => {
    const sizes = [0, 10, 500, 5_000, 30_000, 70_000, 1];
    const ts = await append(...sizes.map((size) => event({ bytes: randomBytes(size) })));
    const next = await append(event({ last: true }));
    for (const from of ['memory', 'disk']) {
      if (from === 'disk') await again();
      for (let at = 0; at < sizes.length; at += 1) {
        const read = engine.oplog.read(ts, at, 100);
        const lengths = read.map(({ doc }) => (doc.o as { bytes?: { length(): number } }).bytes?.length());
        expect(lengths, `${from}, after ${at}`).toEqual([...sizes.slice(at + 1), undefined]);
        expect(engine.oplog.read(ts, at, 1)).toHaveLength(1);
      }
      expect(engine.oplog.read(next, 0, 10)).toEqual([]);
      expect(engine.oplog.lastTs()).toBe(next);
      expect(engine.oplog.clock.last).toBe(next);
    }
  });

  it('the oplog has no more entries on disk than were committed', async () => {
    const before = engine.oplog.lastTs();
    engine.oplog.append([event()]);
    engine.commitFailed();
    const ts = await append(event({ kept: true }));
    expect(engine.oplog.read(before, 0, 10).map(({ doc }) => doc.o)).toEqual([{ kept: true }]);
    expect(engine.oplog.lastTs()).toBe(ts);
  });

  it('the oplog reads and trims entries of format 4 and earlier, which were stored one by one', async () => {
    const { tables } = engine;
    const [older, old] = [engine.oplog.clock.tick(), engine.oplog.clock.tick()];
    await tables.root.transaction(() => {
      for (const [ts, index] of [
        [older, 0],
        [older, 1],
        [old, 0],
      ] as const)
        tables.oplog.putSync(oplogKey(ts, index), withChecksum(toBytes({ op: 'n', ns: 'test.c', o: { index } })));
    });
    await again();
    expect(engine.oplog.lastTs()).toBe(old);
    const ts = await append(event({ index: 9 }));
    const indexes = (afterTs: bigint, index: number) =>
      engine.oplog.read(afterTs, index, 10).map(({ doc }) => Number(Object(doc.o).index));
    expect(indexes(older, 0)).toEqual([1, 0, 9]);
    expect(indexes(old, 0)).toEqual([9]);
    const { oplog } = engine;
    await engine.tables.root.transaction(() => oplog.trim(old, Number.POSITIVE_INFINITY, 100));
    expect([oplog.reachesBackTo(older, 0), oplog.reachesBackTo(older, 1)]).toEqual([false, true]);
    expect(oplog.read(0n, 0, 10).map((entry) => entry.ts)).toEqual([old, ts]);
  });

  it('the oplog compresses small blocks against those before them, and can be read from any of them', async () => {
    const ids = Array.from({ length: 60 }, () => randomBytes(500));
    // Each repeats the one before it, as the events of one change do.
    const stamps: bigint[] = [];
    for (const [i, id] of ids.entries()) stamps.push(await append(event({ i, id, before: ids[i - 1] ?? null })));
    const bytes = [...engine.tables.oplog.getRange({})].reduce((sum, { value }) => sum + value.length, 0);
    expect(bytes).toBeLessThan(60 * 650);
    for (const from of ['memory', 'disk'])
      for (const at of [58, 0, 30]) {
        if (from === 'disk') await again();
        const read = engine.oplog.read(stamps[at] ?? 0n, 0, 100).map(({ doc }) => Number(Object(doc.o).i));
        expect(read, `${from}, after ${at}`).toEqual(Array.from({ length: 59 - at }, (_, i) => at + 1 + i));
      }
    // A restart begins a group, which does not need the one before it.
    const last = await append(event({ i: 60 }));
    await again();
    const { oplog, tables } = engine;
    const trim = (most: number): Promise<number> =>
      tables.root.transaction(() => oplog.trim(last, Number.POSITIVE_INFINITY, most));
    expect(oplog.needsTrim(last, Number.POSITIVE_INFINITY)).toBe(true);
    expect(await trim(1)).toBe(61);
    expect(oplog.reachesBackTo(stamps[58] ?? 0n, 0)).toBe(false);
    expect(oplog.read(0n, 0, 10).map(({ ts }) => ts)).toEqual([last]);
    expect(await trim(1)).toBe(0);
  });

  it('the oplog keeps a group of blocks until all of it may go', async () => {
    const old = await append(event({ i: 0 }));
    const ts = await append(event({ i: 1 }));
    const { oplog, tables } = engine;
    expect(await tables.root.transaction(() => oplog.trim(ts, 0, 100))).toBe(0);
    expect(oplog.read(old - 1n, 0, 10)).toHaveLength(2);
    // A long block begins another group, so the ones before it are not needed any more.
    const long = await append(bulky());
    expect(await tables.root.transaction(() => oplog.trim(long, Number.POSITIVE_INFINITY, 100))).toBe(3);
    expect(oplog.read(0n, 0, 10).map((entry) => entry.ts)).toEqual([long]);
  });

  it('the oplog detects a changed byte of a block', async () => {
    const ts = await append(event({ text: 'abc'.repeat(1_000) }));
    await again();
    const { tables } = engine;
    const [row] = [...tables.oplog.getRange({ start: oplogKey(ts, 0), limit: 1 })];
    if (!row) throw new Error('a row');
    const changed = Buffer.from(row.value);
    changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
    await tables.root.transaction(() => tables.oplog.putSync(row.key, changed));
    expect(() => engine.oplog.read(ts - 1n, 0, 10)).toThrowError(expect.objectContaining({ code: 366 }));
  });
});
