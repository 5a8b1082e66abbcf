// The mark of a data folder, with its format. Programs that only start the engine read it too, so nothing here loads lmdb.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DataFolderError } from './folder-error.js';

/** The file that marks a folder as the engine's. */
export const MARKER = 'engine.json';
/**
 * The one format of folders that are opened. A change of what is stored needs a new one. Folders that version 0.1.0 converted from an earlier
 * format still have rows of it: documents that are not packed, entries of the oplog that are stored alone, texts in the keys of indexes that
 * are not packed, and values without a checksum.
 */
export const FORMAT = 8;
/** The last version that converts folders of earlier formats, as operators find it. */
const CONVERTS = 'commit 797b7a48 of version 0.1.0';
const MARK = `${JSON.stringify({ engine: 'credential-gateway', format: FORMAT })}\n`;

/**
 * Checks the format of a folder before anything in it is opened or changed. Everything that opens a folder calls this first. Throws
 * DataFolderError for another format and for a mark that cannot be read.
 */
export function requireFormat(dataDir: string): void {
  const marker = join(dataDir, MARKER);
  const format = readFormat(marker);
  if (format === FORMAT) return;
  if (format === null)
    throw new DataFolderError('Damaged', `The file ${marker} is damaged: it is not this engine's mark.`);
  const sentence = `The data folder ${dataDir} is in format ${format}, and this version opens format ${FORMAT} alone`;
  if (format > FORMAT) throw new DataFolderError('Foreign', `${sentence}: use the version that wrote it.`);
  throw new DataFolderError(
    'Outdated',
    `${sentence}. Nothing was changed. Copy the folder, and convert it by \`migrate\` of ${CONVERTS} (docs/deployment.md, "Data folders of earlier formats").`,
  );
}

/** Sets the folder's marker to the present format. */
export function stampFormat(dataDir: string): void {
  const marker = join(dataDir, MARKER);
  writeFileSync(`${marker}.new`, MARK, { mode: 0o600, flush: true });
  renameSync(`${marker}.new`, marker);
}

/** The format in a marker; null if there is none. */
function readFormat(marker: string): number | null {
  try {
    const parsed: unknown = JSON.parse(readFileSync(marker, 'utf8'));
    const format = typeof parsed === 'object' && parsed !== null ? Reflect.get(parsed, 'format') : null;
    return typeof format === 'number' ? format : null;
  } catch {
    return null;
  }
}
