// Reads every page of a folder's trees and commits to them, which reads lmdb's list of free pages; a damaged page may crash the process.
import { openTables, type Table } from '../store/env.js';

const PROBE = Buffer.from('walk');

/** Throws DataFolderError when the folder cannot be opened. No process may serve it. */
export async function walkFolder(dataDir: string): Promise<void> {
  const { root, onRead: _, ...tables } = openTables(dataDir);
  for (const table of Object.values(tables)) table.getKeysCount({ start: Buffer.from([0]) });
  commitTo(tables.catalog);
  await root.close();
}

/** Each commit adds to the list of free pages: the first of the engine that serves the folder would crash it. Changes no row. */
function commitTo(table: Table): void {
  table.transactionSync(() => {
    table.putSync(PROBE, Buffer.alloc(0));
    table.removeSync(PROBE);
  });
}
