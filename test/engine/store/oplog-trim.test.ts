// The oplog is trimmed between the entries of one transaction: whoever has read only a part of it is told that the rest is lost.
import { expect, it } from 'vitest';
import { openEngine } from '../../../src/engine/engine.js';
import { tempFolder } from '../support.js';

it('A position inside a transaction that is trimmed in part is refused, unless nothing after it is lost', async () => {
  const folder = tempFolder();
  const engine = await openEngine({ dataDir: folder.path });
  try {
    const { oplog, tables } = engine;
    const event = { op: 'n', ns: 'test.c', o: {} } as const;
    const ts = await tables.root.transaction(() => oplog.append([event, event, event]));
    await tables.root.transaction(() => oplog.append([event]));
    // One entry is there from the start.
    expect(await tables.root.transaction(() => oplog.trim(ts + 1n, Number.POSITIVE_INFINITY, 3))).toBe(3);
    expect([0, 1, 2].map((index) => oplog.reachesBackTo(ts, index))).toEqual([false, true, true]);
    expect(oplog.read(ts, 1, 10).map((entry) => entry.index)).toEqual([2, 0]);
  } finally {
    await engine.close();
    folder.remove();
  }
});
