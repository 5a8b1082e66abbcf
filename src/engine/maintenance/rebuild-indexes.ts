// Rebuilds incomplete indexes: at every start, unique ones that duplicate keys made incomplete.
import type { Engine } from '../engine.js';
import type { CollectionInfo, IndexInfo } from '../store/catalog.js';
import { rebuildIndex } from '../store/ddl.js';
import { asFolderError } from '../store/env.js';
import { runSlices } from '../store/slices.js';
import { DirectWriter } from '../store/writer.js';
import { checkCollection } from './check.js';

/** The result of a rebuild. */
interface RebuildReport {
  /** Names of indexes that were rebuilt. */
  rebuilt: string[];
  /** A sentence for each index that is still incomplete. */
  incomplete: string[];
}

/**
 * Rebuilds the unique indexes that duplicate keys made incomplete, before a folder is served. Returns a sentence for each that still is. Throws
 * DataFolderError if the data cannot be read.
 */
export async function rebuildIncompleteIndexes(engine: Engine): Promise<string[]> {
  try {
    const { incomplete } = await rebuild(engine, ({ indexes }) => indexes.filter((index) => !index.whole));
    return incomplete;
  } catch (error) {
    throw asFolderError(engine.options.dataDir, error);
  }
}

/** Checks every index and rebuilds incomplete ones; there must be no other writer. */
export function rebuildFaultyIndexes(engine: Engine): Promise<RebuildReport> {
  return rebuild(engine, async (collection) => {
    const { faulty } = await checkCollection(engine, collection);
    return collection.indexes.filter((index) => faulty.has(index));
  });
}

async function rebuild(
  engine: Engine,
  faulty: (collection: CollectionInfo) => Promise<IndexInfo[]> | IndexInfo[],
): Promise<RebuildReport> {
  const report: RebuildReport = { rebuilt: [], incomplete: [] };
  for (const collection of engine.catalog.all()) {
    for (const index of await faulty(collection)) {
      const body = rebuildIndex(engine, collection, index);
      const duplicates = await runSlices({ parts: engine, writer: new DirectWriter(engine), body });
      const name = `${index.name} of ${collection.ns}`;
      if (duplicates === 0) report.rebuilt.push(name);
      else report.incomplete.push(notUsed(name, duplicates));
    }
  }
  return report;
}

function notUsed(name: string, duplicates: number): string {
  return `The unique index ${name} is not used, because ${duplicates} of its keys belong to more than one document: remove or change those documents, then start again.`;
}
