// Rebuilds incomplete indexes. After an upgrade, all indexes are checked once; unique indexes that are incomplete
// because of duplicate keys are rebuilt at every start.
import type { Engine } from '../engine.js';
import type { CollectionInfo, IndexInfo } from '../store/catalog.js';
import { rebuildIndex } from '../store/ddl.js';
import { asFolderError } from '../store/env.js';
import { FORMAT, formatOf, KEYS_FORMAT, stampFormat } from '../store/format.js';
import { runSlices } from '../store/slices.js';
import { DirectWriter } from '../store/writer.js';
import { checkCollection } from './check.js';

/** The result of a rebuild. */
interface RebuildReport {
  checked: number;
  /** Names of indexes that were rebuilt. */
  rebuilt: string[];
  /** A sentence for each index that is still incomplete. */
  incomplete: string[];
}

/**
 * Upgrades a folder to this program's format before it is served. Returns notices for the person who started it; none
 * if nothing changed. Throws DataFolderError if the data cannot be read.
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
    const { incomplete } = await rebuild(engine, ({ indexes }) => indexes.filter((index) => !index.whole));
    if (formatOf(dataDir) < FORMAT) stampFormat(dataDir);
    return incomplete;
  }
  const { checked, rebuilt, incomplete } = await rebuildFaultyIndexes(engine);
  stampFormat(dataDir);
  if (checked === 0) return incomplete;
  const outcome = rebuilt.length === 0 ? 'all are whole' : `rebuilt: ${rebuilt.join(', ')}`;
  return [`The indexes in ${dataDir} were checked once after the upgrade (${checked}); ${outcome}.`, ...incomplete];
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
  const report: RebuildReport = { checked: 0, rebuilt: [], incomplete: [] };
  for (const collection of engine.catalog.all()) {
    report.checked += collection.indexes.length;
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
