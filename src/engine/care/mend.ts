// Rebuilds incomplete indexes: all are checked once after an upgrade; unique indexes that duplicate keys keep incomplete, at every start.
import type { Engine } from '../engine.js';
import type { CollectionInfo, IndexInfo } from '../store/catalog.js';
import { rebuildIndex } from '../store/ddl.js';
import { asFolderError, FORMAT, formatOf, KEYS_FORMAT, stampFormat } from '../store/env.js';
import { runSlices } from '../store/slices.js';
import { DirectWriter } from '../store/writer.js';
import { checkCollection } from './check.js';

/** The result of mending. */
interface Mended {
  checked: number;
  /** Names of indexes that were rebuilt. */
  rebuilt: string[];
  /** A sentence for each index that is still incomplete. */
  left: string[];
}

/**
 * Updates a folder that is not served yet to this program's format. Returns sentences for the person who started it; none when nothing had to be done.
 * Throws DataFolderError when the data cannot be read.
 */
export async function upgradeFolder(engine: Engine): Promise<string[]> {
  const { dataDir } = engine.options;
  try {
    return await upgraded(engine, dataDir);
  } catch (error) {
    throw asFolderError(dataDir, error);
  }
}

async function upgraded(engine: Engine, dataDir: string): Promise<string[]> {
  if (formatOf(dataDir) >= KEYS_FORMAT) {
    const { left } = await mend(engine, ({ indexes }) => indexes.filter((index) => !index.whole));
    if (formatOf(dataDir) < FORMAT) stampFormat(dataDir);
    return left;
  }
  const { checked, rebuilt, left } = await mendIndexes(engine);
  stampFormat(dataDir);
  if (checked === 0) return left;
  const outcome = rebuilt.length === 0 ? 'all are whole' : `rebuilt: ${rebuilt.join(', ')}`;
  return [`The indexes in ${dataDir} were checked once after the upgrade (${checked}); ${outcome}.`, ...left];
}

/** Checks every index and rebuilds incomplete ones; there must be no other writer. */
export function mendIndexes(engine: Engine): Promise<Mended> {
  return mend(engine, async (collection) => {
    const { faulty } = await checkCollection(engine, collection);
    return collection.indexes.filter((index) => faulty.has(index));
  });
}

async function mend(
  engine: Engine,
  faulty: (collection: CollectionInfo) => Promise<IndexInfo[]> | IndexInfo[],
): Promise<Mended> {
  const mended: Mended = { checked: 0, rebuilt: [], left: [] };
  for (const collection of engine.catalog.all()) {
    mended.checked += collection.indexes.length;
    for (const index of await faulty(collection)) {
      const body = rebuildIndex(engine, collection, index);
      const duplicates = await runSlices({ parts: engine, writer: new DirectWriter(engine), body });
      const name = `${index.name} of ${collection.ns}`;
      if (duplicates === 0) mended.rebuilt.push(name);
      else mended.left.push(notUsed(name, duplicates));
    }
  }
  return mended;
}

function notUsed(name: string, duplicates: number): string {
  return `The unique index ${name} is not used, because ${duplicates} of its keys belong to more than one document: remove or change those documents, then start again.`;
}
