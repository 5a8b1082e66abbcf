// Reads every page of a folder's trees; a damaged page may crash the process.
import { openTables } from '../store/env.js';

/** Throws DataFolderError when the folder cannot be opened. No process may serve it. */
export async function walkFolder(dataDir: string): Promise<void> {
  const { root, ...tables } = openTables(dataDir);
  for (const table of Object.values(tables)) table.getKeysCount({ start: Buffer.from([0]) });
  await root.close();
}
