// Everything that a stopped gateway's data folder holds, as text to search in: its file, and its documents, which are packed in it.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { engineDump } from '../../src/engine/index.js';

/** The bytes of the data file and of a dump of it, in latin1. */
export async function storedText(dataDir: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'dump-'));
  try {
    await engineDump(dataDir, folder);
    const dumped = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.bson'));
    const files = [join(dataDir, 'data.mdb'), ...dumped.map((name) => join(folder, name))];
    return files.map((file) => readFileSync(file, 'latin1')).join('\n');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
