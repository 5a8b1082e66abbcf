// Documents are packed with a dictionary of their collection, which has no values, and read beside documents of earlier versions.
import { randomUUID } from 'node:crypto';
import { ABORT } from 'lmdb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { toBytes } from '../../../src/engine/bson/codec.js';
import { insertDocument } from '../../../src/engine/commands/modify.js';
import { type Engine, openEngine } from '../../../src/engine/engine.js';
import { engineCheck, engineCompact } from '../../../src/engine/maintenance/index.js';
import type { CollectionInfo } from '../../../src/engine/store/catalog.js';
import { withChecksum } from '../../../src/engine/store/checksum.js';
import { dropCollection } from '../../../src/engine/store/ddl.js';
import { DICTIONARY_TAG, recordKey } from '../../../src/engine/store/keys.js';
import { runSlices, type SlicedBody } from '../../../src/engine/store/slices.js';
import { DirectWriter } from '../../../src/engine/store/writer.js';
import { tempFolder } from '../support.js';

const NS = 'test.c';

describe('a stored document', () => {
  let folder: ReturnType<typeof tempFolder>;
  let engine: Engine;
  beforeEach(async () => {
    folder = tempFolder();
    engine = await openEngine({ dataDir: folder.path });
  });
  afterEach(async () => {
    if (!engine.closing) await engine.close();
    folder.remove();
  });
  const again = async (): Promise<void> => {
    if (!engine.closing) await engine.close();
    engine = await openEngine({ dataDir: folder.path });
  };

  /** Names that no other field repeats, so that only a dictionary makes them shorter. */
  const doc = (n: number) => ({
    _id: n,
    holderIdentifier: randomUUID(),
    secretOfHolder: `only here ${n}`,
    issuedByAuthority: true,
    nested: { expirationDate: null, revocationDate: null },
  });
  const insert = async (from: number, to: number): Promise<void> => {
    const writer = new DirectWriter(engine);
    function* body(): SlicedBody<void> {
      for (let n = from; n < to; n += 1) {
        yield 'write';
        const collection = writer.collection(NS, {});
        if (collection) insertDocument(writer, collection, doc(n));
      }
    }
    await runSlices({ parts: engine, writer, body: body() });
  };
  const collection = (): CollectionInfo => {
    const found = engine.catalog.find(NS);
    if (!found) throw new Error('no collection');
    return found;
  };
  const stored = (rid: number): Buffer => engine.tables.records.get(recordKey(collection().id, rid)) ?? Buffer.alloc(0);
  const dictionaries = (): Buffer[] =>
    [...engine.tables.catalog.getRange({ start: DICTIONARY_TAG, end: Buffer.from('e') })].map(({ value }) => value);
  const texts = (): unknown[] =>
    engine.latest
      .records(collection(), { reverse: false, limit: 1_000 })
      .map(({ raw }) => /only here \d+/.exec(raw.toString('latin1'))?.[0]);
  const expected = (count: number): string[] => Array.from({ length: count }, (_, n) => `only here ${n}`);

  it('a stored document takes less where its collection has a dictionary, also after a restart', async () => {
    await insert(0, 16);
    await insert(16, 20);
    await again();
    await insert(20, 24);
    const whole = toBytes(doc(23)).length;
    expect(stored(1).length).toBeGreaterThan(0.7 * whole);
    for (const rid of [17, 20, 21, 24]) expect(stored(rid).length, `${rid}`).toBeLessThan(0.5 * whole);
    expect(texts()).toEqual(expected(24));
    expect(collection().size).toBeGreaterThan(24 * (whole - 10));
  });

  it('a stored document leaves no value in a dictionary', async () => {
    await insert(0, 300);
    expect(dictionaries()).toHaveLength(2);
    for (const value of dictionaries()) {
      expect(value.toString('latin1')).toContain('secretOfHolder');
      expect(value.toString('latin1')).not.toMatch(/only here|[0-9a-f]{8}-/);
    }
  });

  it('a stored document is read beside those of earlier versions, with and without a checksum', async () => {
    await insert(0, 20);
    const [first, second] = [toBytes(doc(0)), toBytes(doc(1))];
    await engine.tables.root.transaction(() => {
      engine.tables.records.putSync(recordKey(collection().id, 1), withChecksum(first));
      engine.tables.records.putSync(recordKey(collection().id, 2), Buffer.from(second));
    });
    await again();
    expect(texts()).toEqual(expected(20));
    await engine.close();
    await engineCompact(folder.path);
    expect(await engineCheck(folder.path)).toMatchObject([{ ns: NS, records: 20, faults: [] }]);
    await again();
    expect(texts()).toEqual(expected(20));
  });

  it.each([0, 4, 8, 20, -1])('a stored document is refused when its byte %i was changed', async (at) => {
    await insert(0, 20);
    const changed = Buffer.from(stored(20));
    const index = at < 0 ? changed.length + at : at;
    changed.writeUInt8((changed[index] ?? 0) ^ 0x10, index);
    await engine.tables.root.transaction(() => engine.tables.records.putSync(recordKey(collection().id, 20), changed));
    expect(() => engine.latest.record(collection(), 20)).toThrowError(expect.objectContaining({ code: 366 }));
    expect(engine.latest.record(collection(), 19)).toBeDefined();
  });

  it('a stored document can be read until the end of a snapshot that is older than the drop of its collection', async () => {
    await insert(0, 20);
    const before = collection();
    const snapshot = engine.snapshot();
    const writer = new DirectWriter(engine);
    await runSlices({ parts: engine, writer, body: dropCollection(engine, writer, NS) });
    expect(dictionaries()).toEqual([]);
    expect(snapshot.record(before, 20)?.toString('latin1')).toContain('only here 19');
    snapshot.close();
    await again();
    expect(engine.catalog.find(NS)).toBeUndefined();
  });

  it('a stored document does not depend on a dictionary whose commit failed', async () => {
    await insert(0, 15);
    engine.tables.root.transactionSync(() => {
      const rows = engine.latest.records(collection(), { reverse: false, limit: 15 });
      engine.catalog.learn(
        collection(),
        rows.map(({ raw }) => raw),
      );
      return ABORT;
    });
    expect(dictionaries()).toEqual([]);
    engine.commitFailed();
    await insert(15, 20);
    await again();
    expect(texts()).toEqual(expected(20));
  });
});
