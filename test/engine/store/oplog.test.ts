// The oplog is stored in blocks, and trimmed between them: whoever has read only a part of a transaction is told that the rest is lost.
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toBytes } from '../../../src/engine/bson/codec.js';
import { type Engine, openEngine } from '../../../src/engine/engine.js';
import { withChecksum } from '../../../src/engine/store/checksum.js';
import { oplogKey } from '../../../src/engine/store/oplog-block.js';
import type { OplogEvent } from '../../../src/engine/store/oplog.js';
import { tempFolder } from '../support.js';

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
    // Each is a block.
    const ts = await append(bulky(), bulky(), bulky());
    await append(event());
    const { oplog, tables } = engine;
    // One entry is there from the start.
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
