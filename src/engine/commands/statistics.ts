// collStats and dbStats: counts and sizes of a collection or a database, measured in the stored data.
import { statfsSync } from 'node:fs';
import { Double, Int32, Long } from 'bson';
import type { Doc } from '../bson/types.js';
import { setOwn } from '../bson/types.js';
import { fail } from '../errors.js';
import type { CollectionInfo, IndexInfo } from '../store/catalog.js';
import { prefixEnd, prefixOf, RECORD_KEY_BYTES, RID_BYTES } from '../store/keys.js';
import { breathe, requireTime } from '../store/slices.js';
import type { Args } from './args.js';
import { type Command, type Ctx, namespaceOf } from './context.js';

/** Entries per read. */
const CHUNK = 2000;

/** Sizes in bytes. */
interface Sizes {
  collections: number;
  objects: number;
  data: number;
  storage: number;
  indexes: ReadonlyMap<IndexInfo, number>;
}

/** Keys and values of an index's entries. */
async function indexBytes(ctx: Ctx, index: IndexInfo): Promise<number> {
  const range = { low: prefixOf(index.id), high: prefixEnd(index.id), reverse: false, limit: CHUNK };
  let bytes = 0;
  let after: Buffer | undefined;
  for (;;) {
    const entries = ctx.engine.latest.entries({ ...range, after });
    for (const { key } of entries) bytes += key.length + (index.unique ? RID_BYTES : 0);
    after = entries.at(-1)?.key;
    if (entries.length < CHUNK) return bytes;
    await breathe();
    requireTime(ctx.deadline);
  }
}

async function sizesOf(ctx: Ctx, collections: readonly CollectionInfo[]): Promise<Sizes> {
  const indexes = new Map<IndexInfo, number>();
  const sizes = { collections: collections.length, objects: 0, data: 0, storage: 0, indexes };
  for (const collection of collections) {
    for (const index of collection.indexes) indexes.set(index, await indexBytes(ctx, index));
    sizes.objects += collection.count;
    sizes.data += collection.size;
    sizes.storage += collection.size + collection.count * RECORD_KEY_BYTES;
  }
  return sizes;
}

/** The divisor of all sizes. */
function scaleOf(args: Args): number {
  const scale = args.integer('scale') ?? 1;
  return scale >= 1 ? scale : fail(51024, `BSON field 'scale' value must be >= 1, actual value '${scale}'`);
}

/** A whole number: int where it fits, else long. */
function whole(value: number): Int32 | Long {
  const integer = Math.trunc(value);
  return integer <= 0x7fffffff ? new Int32(integer) : Long.fromNumber(integer);
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/** Sizes of one collection and its indexes, divided by `scale`. */
export async function collectionSizes(ctx: Ctx, ns: string, scale: number): Promise<Doc> {
  const collection = ctx.engine.catalog.find(ns);
  const { objects, data, storage, indexes } = await sizesOf(ctx, collection ? [collection] : []);
  const indexSizes: Doc = {};
  for (const [index, bytes] of indexes) setOwn(indexSizes, index.name, whole(bytes / scale));
  const totalIndexSize = sum(indexes.values());
  return {
    size: whole(data / scale),
    count: whole(objects),
    ...(objects > 0 ? { avgObjSize: whole(data / objects) } : {}),
    numOrphanDocs: whole(0),
    storageSize: whole(storage / scale),
    totalSize: whole((storage + totalIndexSize) / scale),
    capped: false,
    nindexes: whole(indexes.size),
    totalIndexSize: whole(totalIndexSize / scale),
    indexSizes,
    scaleFactor: whole(scale),
  };
}

/** Sizes of one collection and its indexes. */
export const collStatsCommand: Command = {
  name: 'collStats',
  aliases: ['collstats'],
  help: 'gives the sizes of a collection',
  fields: ['scale'],
  async run(ctx: Ctx): Promise<Doc> {
    const ns = namespaceOf(ctx);
    return { ns, ...(await collectionSizes(ctx, ns, scaleOf(ctx.args))) };
  },
};

/** Sizes of one database and of its disk. */
export const dbStatsCommand: Command = {
  name: 'dbStats',
  aliases: ['dbstats'],
  help: 'gives the sizes of a database',
  fields: ['scale', 'freeStorage'],
  async run(ctx: Ctx): Promise<Doc> {
    const scale = scaleOf(ctx.args);
    const { collections, objects, data, storage, indexes } = await sizesOf(ctx, ctx.engine.catalog.ofDatabase(ctx.db));
    const indexSize = sum(indexes.values());
    const disk = statfsSync(ctx.engine.options.dataDir);
    return {
      db: ctx.db,
      collections: whole(collections),
      views: whole(0),
      objects: whole(objects),
      avgObjSize: new Double(objects > 0 ? data / objects : 0),
      dataSize: new Double(data / scale),
      storageSize: new Double(storage / scale),
      indexes: whole(indexes.size),
      indexSize: new Double(indexSize / scale),
      totalSize: new Double((storage + indexSize) / scale),
      scaleFactor: whole(scale),
      fsUsedSize: new Double(((disk.blocks - disk.bfree) * disk.bsize) / scale),
      fsTotalSize: new Double((disk.blocks * disk.bsize) / scale),
    };
  },
};
