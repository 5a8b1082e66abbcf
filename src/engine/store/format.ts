// The mark of a data folder, with its format. Programs that only start the engine read it too, so nothing here loads lmdb.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The file that marks a folder as the engine's. */
export const MARKER = 'engine.json';
/**
 * The format of new data. If index keys change, it must be raised, and KEYS_FORMAT with it. 2: every index is whole. 3:
 * an empty array sorts before null, and dates beyond JavaScript's have keys. 4: an array in a sparse index has no key
 * for an element without the fields. 5: the oplog has blocks as well as entries of earlier formats; entries of indexes
 * that are not unique have no values. 6: documents are packed, beside those of earlier formats. 7: long documents have a
 * table of their own, and entries of the oplog refer to them. 8: texts in keys of new indexes are packed; each index says whether
 * its texts are.
 */
export const FORMAT = 8;
/**
 * The first format with the present index keys: indexes of earlier ones are checked at the next start
 * (maintenance/rebuild-indexes.ts).
 */
export const KEYS_FORMAT = 4;
/** The first format. */
export const OLDEST_FORMAT = 1;
const MARK = `${JSON.stringify({ engine: 'credential-gateway', format: FORMAT })}\n`;

/** The format that the folder's marker names. */
export function formatOf(dataDir: string): number {
  return readFormat(join(dataDir, MARKER)) ?? OLDEST_FORMAT;
}

/** The irreversible effect of serving a folder: its upgrade from an earlier format to the present one. */
export interface Conversion {
  from: number;
  to: number;
}

/** The conversion that the next start will do; undefined if there is none. */
export function conversionOf(dataDir: string): Conversion | undefined {
  const from = readFormat(join(dataDir, MARKER));
  return from === null || from >= FORMAT ? undefined : { from, to: FORMAT };
}

/** Sets the folder's marker to the present format. */
export function stampFormat(dataDir: string): void {
  const marker = join(dataDir, MARKER);
  writeFileSync(`${marker}.new`, MARK, { mode: 0o600, flush: true });
  renameSync(`${marker}.new`, marker);
}

/** The format in a marker; null if there is none. */
export function readFormat(marker: string): number | null {
  try {
    const parsed: unknown = JSON.parse(readFileSync(marker, 'utf8'));
    const format = typeof parsed === 'object' && parsed !== null ? Reflect.get(parsed, 'format') : null;
    return typeof format === 'number' ? format : null;
  } catch {
    return null;
  }
}
