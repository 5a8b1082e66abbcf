// Looks at every page of a folder's trees, which ends the process where a damaged page leads astray.
import { openTables } from '../store/env.js';

/** Throws DataFolderError when the folder cannot be opened. Nobody may be serving it. */
export async function walkFolder(dataDir: string): Promise<void> {
  const { root, ...tables } = openTables(dataDir);
  for (const table of Object.values(tables)) table.getKeysCount({ start: Buffer.from([0]) });
  await root.close();
}
