// Pages that were damaged after a kill. Every kind of damage is found before a row is served: with it, lmdb would crash or silently skip rows.
import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engineCheck } from '../../../src/engine/maintenance/index.js';
import { serveEngine } from '../../../src/engine/server.js';
import { LONG_ROW_BYTES, pieceOf } from '../../../src/engine/store/long-documents.js';
import { pageFault } from '../../../src/engine/store/pages.js';
import { ended, spawnEngine, tempFolder } from '../support.js';

const PAGE = 4096;
const [BRANCH, LEAF] = [1, 2];
/** In the flags of a row: its value has pages of its own. */
const IN_OVERFLOW = 1;
const FIRST_NODE = 24;

/** A data file in memory, and where the tests find its parts. */
class DataFile {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** Where the newest meta page begins. */
  get meta(): number {
    return this.bytes.readBigUInt64LE(PAGE + 152) > this.bytes.readBigUInt64LE(152) ? PAGE : 0;
  }

  /** Where the description of a table begins. */
  table(name: string): number {
    const main = Number(this.bytes.readBigUInt64LE(this.meta + 96 + 40)) * PAGE;
    for (const at of this.nodes(main))
      if (this.key(at).toString('latin1') === `${name}\0`) return at + 8 + this.key(at).length;
    throw new Error(`no table ${name}`);
  }

  root(table: string): number {
    return Number(this.bytes.readBigUInt64LE(this.table(table) + 40)) * PAGE;
  }

  /** Where the nodes of a page begin. */
  nodes(page: number): number[] {
    const count = this.bytes.readUInt16LE(page + 20) / 2;
    return Array.from({ length: count }, (_, i) => page + 24 + this.bytes.readUInt16LE(page + FIRST_NODE + 2 * i));
  }

  key(node: number): Buffer {
    return this.bytes.subarray(node + 8, node + 8 + this.bytes.readUInt16LE(node + 6));
  }

  value(node: number): Buffer {
    return this.bytes.subarray(node + 8 + this.key(node).length).subarray(0, this.bytes.readUInt32LE(node));
  }

  /** Pages of a kind below a branch page, itself included. */
  pages(page: number, kind: number): number[] {
    const here = this.bytes.readUInt16LE(page + 18) === kind ? [page] : [];
    if (this.bytes.readUInt16LE(page + 18) !== BRANCH) return here;
    return [...here, ...this.nodes(page).flatMap((at) => this.pages(this.bytes.readUIntLE(at, 6) * PAGE, kind))];
  }

  /** The leaf pages of a table. */
  leaves(table: string): [number, number, ...number[]] {
    const [first, second, ...others] = this.pages(this.root(table), LEAF);
    if (first === undefined || second === undefined) throw new Error('two leaves');
    return [first, second, ...others];
  }

  /** A node of the table whose value has pages of its own. */
  longNode(table: string): number {
    const nodes = this.pages(this.root(table), LEAF).flatMap((page) => this.nodes(page));
    const found = nodes.find((at) => this.bytes.readUInt16LE(at + 4) === IN_OVERFLOW);
    if (found === undefined) throw new Error('no long value');
    return found;
  }

  flip(at: number, bits = 0xff): void {
    this.bytes[at] = (this.bytes[at] ?? 0) ^ bits;
  }
}

const cases: [string, (file: DataFile) => void][] = [
  ['a page has the number of another', (file) => file.flip(file.leaves('records')[0])],
  ['a page is newer than any transaction', (file) => file.flip(file.leaves('records')[0] + 11)],
  [
    'a page is newer than the one that points to it',
    (file) => {
      const branch = file.root('records');
      const old =
        file
          .leaves('records')
          .find((page) => file.bytes.readBigUInt64LE(page + 8) < file.bytes.readBigUInt64LE(branch + 8)) ?? 0;
      file.bytes.writeBigUInt64LE(file.bytes.readBigUInt64LE(branch + 8) + 1n, old + 8);
    },
  ],
  ['a leaf says that it is a branch', (file) => file.bytes.writeUInt16LE(BRANCH, file.leaves('records')[0] + 18)],
  ['a page has a flag that no stored page has', (file) => file.flip(file.leaves('entries')[0] + 19, 0x40)],
  [
    'a page lost its last row',
    (file) => {
      const [page] = file.leaves('records');
      file.bytes.writeUInt16LE(file.bytes.readUInt16LE(page + 20) - 2, page + 20);
    },
  ],
  ['the bounds of a page are beyond it', (file) => file.flip(file.leaves('oplog')[1] + 23)],
  [
    'two rows of a page changed places',
    (file) => {
      const [page] = file.leaves('records');
      const [a, b] = [file.bytes.readUInt16LE(page + 24), file.bytes.readUInt16LE(page + 26)];
      file.bytes.writeUInt16LE(b, page + 24);
      file.bytes.writeUInt16LE(a, page + 26);
    },
  ],
  ['a row is longer than its page', (file) => file.flip((file.nodes(file.leaves('records')[0])[0] ?? 0) + 2)],
  [
    'a branch leads to the same page twice',
    (file) => {
      const [a = 0, b = 0] = file.nodes(file.root('entries'));
      file.bytes.copy(file.bytes, b, a, a + 6);
    },
  ],
  ['a branch leads outside of the file', (file) => file.flip((file.nodes(file.root('entries'))[1] ?? 0) + 3)],
  [
    'a table begins at an inner page',
    (file) => {
      file.bytes.writeBigUInt64LE(BigInt(file.leaves('records')[1] / PAGE), file.table('records') + 40);
    },
  ],
  ['a table counts other rows', (file) => file.flip(file.table('sessions') + 32, 1)],
  ['the oplog counts other rows', (file) => file.flip(file.table('oplog') + 32, 1)],
  [
    'a long value has another number of pages',
    (file) => {
      const page = file.bytes.readUIntLE(file.value(file.longNode('long')).byteOffset - file.bytes.byteOffset, 6);
      file.flip(page * PAGE + 20, 1);
    },
  ],
  [
    'the list of free pages names a page in use',
    (file) => {
      const free = Number(file.bytes.readBigUInt64LE(file.meta + 48 + 40)) * PAGE;
      const [at = 0] = file.nodes(free).filter((node) => file.value(node).readBigInt64LE(0) > 0n);
      file.value(at).writeBigInt64LE(BigInt(file.leaves('records')[0] / PAGE), 8);
    },
  ],
  [
    'the list of free pages is longer than its row',
    (file) => {
      const free = Number(file.bytes.readBigUInt64LE(file.meta + 48 + 40)) * PAGE;
      const [at = 0] = file.nodes(free);
      file.value(at).writeBigInt64LE(1n << 40n, 0);
    },
  ],
  [
    'the older meta page says that it is the newest',
    (file) => {
      const older = PAGE - file.meta;
      file.bytes.writeBigUInt64LE(file.bytes.readBigUInt64LE(older + 152) + 2n, older + 152);
    },
  ],
  [
    'the newest meta page says that it is older',
    (file) => {
      file.bytes.writeBigUInt64LE(file.bytes.readBigUInt64LE(file.meta + 152) - 2n, file.meta + 152);
    },
  ],
  [
    'a document has the id of none',
    (file) => {
      const [last = 0] = file.nodes(file.leaves('records').at(-1) ?? 0).slice(-1);
      file.flip(file.key(last).byteOffset - file.bytes.byteOffset + 8, 1);
    },
  ],
  [
    'a document belongs to no collection',
    (file) => {
      const [last = 0] = file.nodes(file.leaves('records').at(-1) ?? 0).slice(-1);
      file.flip(file.key(last).byteOffset - file.bytes.byteOffset, 1);
    },
  ],
  [
    'an entry leads to another document',
    (file) => {
      const [at = 0] = file.nodes(file.leaves('entries')[0]);
      const value = file.value(at);
      file.flip(value.byteOffset - file.bytes.byteOffset + 5, 1);
    },
  ],
  [
    'a counter has another number of documents',
    (file) => {
      const [at = 0] = file.nodes(file.root('catalog')).filter((node) => file.key(node)[0] === 's'.charCodeAt(0));
      file.value(at).writeDoubleBE(7, 0);
    },
  ],
  [
    'a collection is catalogued as something else',
    (file) => {
      const [at = 0] = file.nodes(file.root('catalog')).filter((node) => file.key(node)[0] === 'c'.charCodeAt(0));
      file.flip(at + 8, 'c'.charCodeAt(0) ^ 'd'.charCodeAt(0));
    },
  ],
  [
    'a record refers to another long document',
    (file) => {
      const nodes = file.leaves('records').flatMap((page) => file.nodes(page));
      const [at = 0] = nodes.filter((node) => file.bytes.readUInt32LE(node) === LONG_ROW_BYTES);
      file.flip(file.value(at).byteOffset - file.bytes.byteOffset + 9, 1);
    },
  ],
  [
    'a long document has no record',
    (file) => {
      const nodes = file.leaves('long').flatMap((page) => file.nodes(page));
      const [at = 0] = nodes.filter((node) => pieceOf(file.key(node))?.piece === 0);
      file.flip(at + 8 + 6, 64);
    },
  ],
  [
    'the next id is one in use',
    (file) => {
      const [at = 0] = file.nodes(file.root('catalog')).filter((node) => file.key(node).toString() === 'next-id');
      file.value(at).writeUInt32BE(1, 0);
    },
  ],
];

describe('after a kill, a data file is refused by the engine and by check in one sentence where', () => {
  const folder = tempFolder();
  const copies: { remove(): void }[] = [folder];
  const SENTENCE =
    /^The data in \S+ is damaged \(.+\): restore a backup, or save what can be read with `engine dump`\.$/;
  beforeAll(async () => {
    const { child, uri } = await spawnEngine(folder.path);
    const client = await MongoClient.connect(uri);
    const rows = client.db('test').collection('c');
    await rows.createIndexes([{ key: { n: 1 } }, { key: { tags: 1, n: -1 } }]);
    const doc = (n: number) => ({
      n,
      tags: [n % 7, 'x'],
      text: n % 50 ? `document ${n} `.repeat(8) : randomBytes(n % 100 ? 9_000 : 30_000).toString('latin1'),
    });
    await rows.insertMany(Array.from({ length: 600 }, (_, n) => doc(n)));
    await rows.deleteMany({ n: { $lt: 100 } });
    await rows.updateOne({ n: 599 }, { $set: { z: 1 } });
    await client.close();
    await ended(child, 'SIGKILL');
  });
  afterAll(() => {
    for (const each of copies) each.remove();
  });

  const copy = (change: (file: DataFile) => void): string => {
    const to = tempFolder();
    copies.push(to);
    cpSync(folder.path, to.path, { recursive: true, filter: (name) => !name.endsWith('.sock') });
    const path = join(to.path, 'data.mdb');
    const file = new DataFile(readFileSync(path));
    change(file);
    writeFileSync(path, file.bytes);
    return to.path;
  };

  it.each(cases)(
    'after a kill, a data file is refused by the engine and by check in one sentence if %s',
    async (_, damage) => {
      const dataDir = copy(damage);
      await expect(serveEngine({ dataDir })).rejects.toThrow(SENTENCE);
      await expect(engineCheck(dataDir)).rejects.toThrow(SENTENCE);
    },
  );

  it('after a kill, a data file without changes is not refused', async () => {
    const dataDir = copy(() => {});
    expect(pageFault(join(dataDir, 'data.mdb'), () => undefined)).toBeUndefined();
    await (await serveEngine({ dataDir })).close();
    expect(await engineCheck(dataDir)).toEqual([{ ns: 'test.c', records: 500, indexes: 3, faults: [] }]);
    expect(existsSync(join(dataDir, 'data.check'))).toBe(true);
  });
});
