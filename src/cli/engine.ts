// `engine backup|check|compact|dump|restore|stats`: maintenance of the embedded engine's data folder, while no process serves it; backup and stats at any time.
import { ensureDataDir } from '../base/data-dir.js';
import { badInput } from '../base/errors.js';
import {
  type CollectionBytes,
  type CollectionReport,
  DataFolderError,
  type DumpReport,
  engineBackup,
  engineCheck,
  engineCompact,
  engineDump,
  engineRestore,
  engineStats,
} from '../engine/index.js';
import { writeFault } from './file-fault.js';

/** The output of a command, and whether everything is sound. */
export interface EngineResult {
  lines: string[];
  sound: boolean;
}

const inMebibytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(1)} MiB`;
const keyLine = (what: string): string =>
  `the KEYSTORE_KEY that opens it is not in the ${what}; a sandbox keeps it in keystore.key`;
const result = (lines: string[], sound = true): EngineResult => ({ lines, sound });

/** Reads everything and reports what is damaged. @throws DataFolderError. */
export async function checkEngine(dataDir: string): Promise<EngineResult> {
  const reports = await engineCheck(dataDir);
  const faulty = reports.filter(({ faults }) => faults.length > 0).length;
  const sum = `${dataDir}: ${faulty === 0 ? 'sound' : `${faulty} of ${reports.length} collections have faults`}`;
  return result([...reports.flatMap(checkLines), sum], faulty === 0);
}

function checkLines({ ns, records, indexes, faults }: CollectionReport): string[] {
  const head = `${ns}: ${records} documents, ${indexes} indexes`;
  return faults.length === 0 ? [`${head}, sound`] : [head, ...faults.map((fault) => `  ${fault}`)];
}

/** Rewrites the data file without its free pages, and rebuilds incomplete indexes. @throws DataFolderError. */
export async function compactEngine(dataDir: string): Promise<EngineResult> {
  const { before, after, rebuilt, incomplete } = await engineCompact(dataDir);
  const sum = `${dataDir}: ${inMebibytes(before)} before, ${inMebibytes(after)} after`;
  return result([...rebuilt.map((name) => `rebuilt: ${name}`), ...incomplete, sum], incomplete.length === 0);
}

/** Writes everything to a folder, in mongodump's layout. @throws DataFolderError. */
export async function dumpEngine(dataDir: string, to: string): Promise<EngineResult> {
  const reports = await named(`The dump to ${to} failed`, engineDump(dataDir, to));
  return result([...reports.map(documentsLine), keyLine('dump'), `dumped ${dataDir} to ${to}`]);
}

/** Restores a dump of mongodump or `dump`. @throws DataFolderError; DomainError for a dump that cannot be read, or collections that exist. */
export async function restoreEngine(dataDir: string, from: string): Promise<EngineResult> {
  ensureDataDir(dataDir);
  const reports = await named(`The dump in ${from} could not be restored`, engineRestore(dataDir, from));
  return result([...reports.map(documentsLine), `restored ${from} into ${dataDir}`]);
}

/** Copies a snapshot of the data; a gateway may run meanwhile. @throws DataFolderError. */
export async function backupEngine(dataDir: string, to: string): Promise<EngineResult> {
  const { bytes } = await named(`The backup to ${to} failed`, engineBackup(dataDir, to));
  return result([keyLine('backup'), `copied ${dataDir} to ${to}: ${inMebibytes(bytes)}`]);
}

/** How many bytes of the data file each collection and table uses, largest first. @throws DataFolderError. */
export async function engineSizes(dataDir: string): Promise<EngineResult> {
  const { collections, records, entries, oplog, free, file } = await engineStats(dataDir);
  const filled = collections.filter(({ documents }) => documents > 0).sort((a, b) => sizeOf(b) - sizeOf(a));
  const width = Math.max(...filled.map(({ ns }) => ns.length), 0);
  const of = (part: string, bytes: number): string => `${part} ${inMebibytes(bytes)}`;
  return result([
    ...filled.map(
      ({ ns, documents, bytes, indexes, indexBytes }) =>
        `${ns.padEnd(width)}  ${documents} documents ${inMebibytes(bytes)}, ${indexes} indexes ${inMebibytes(indexBytes)}`,
    ),
    `${dataDir}: ${of('pages of documents', records)}, ${of('of indexes', entries)}, ${of('of the oplog', oplog)}, ${of('free', free)}, ${of('the file', file)}`,
  ]);
}

const sizeOf = ({ bytes, indexBytes }: CollectionBytes): number => bytes + indexBytes;

const documentsLine = ({ ns, documents, damaged }: DumpReport): string =>
  `${ns}: ${documents} documents${damaged === undefined ? '' : `, ${damaged} damaged ones left out`}`;

/** Converts errors about files and documents to one sentence; errors about the data folder already are one. */
async function named<T>(what: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof DataFolderError || !(error instanceof Error)) throw error;
    throw badInput(`${what}: ${writeFault(error).replace(/\.$/, '')}.`);
  }
}
