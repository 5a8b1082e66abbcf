// Opens the lmdb environment of a data folder. Folders of other programs and damaged, full or unwritable folders are refused with one sentence.
import { accessSync, chmodSync, constants, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { MongoError } from '../errors.js';
import { DATA_FILE, dataFileFault, endedUnorderly, forgetNote, noteData } from './data-file.js';
import { DataFolderError, damaged, unwritable } from './folder-error.js';
import { MARKER, requireFormat, stampFormat } from './format.js';
import { pageFault } from './pages.js';
import { diskBytes, isDiskFull, MIN_TO_WRITE, freeSpaceOf } from './disk-space.js';
import { PackedRecords } from './packed.js';
import { RowTally } from './row-tally.js';
import type { Table } from './table.js';

export type { ReadOptions, Table } from './table.js';

/** The databases of one data folder. */
export interface Tables {
  root: RootDatabase<Buffer, Buffer>;
  /** Collections, indexes and counters (catalog.ts). */
  catalog: Table;
  /** Maps (collection, record id) to packed BSON (packed.ts), or to what refers to a long document. */
  records: Table;
  /** Pieces of long documents (long-documents.ts). */
  long: Table;
  /** Maps (index, values, record id) to nothing; for a unique index, (index, values) to a record id. */
  entries: Table;
  /** Maps (timestamp, position in the transaction, piece) to a piece of a block of oplog entries. */
  oplog: Table;
  /** Maps a session id to the session's last retryable write or transaction. */
  sessions: Table;
  /** Packs and unpacks the values of `records`. */
  packed: PackedRecords;
  /** Called with the number of records or index entries of each read, so that a failpoint can delay reads. */
  onRead?: (rows: number) => void;
}

/** Files that may be in a folder without a marker; any other file means that another program owns it. */
const HARMLESS = /^(\.|lost\+found$|engine\.sock$|claim(-[0-9a-f]{8})?$|engine\.json\.new$|(operator|keystore)\.key)/;
const FOREIGN_SIGNS = /^(WiredTiger|mongod\.lock|storage\.bson|collection-.*\.wt|PG_VERSION|ibdata1)/;

/** Options of opening a folder. */
export interface OpenOptions {
  mapSizeMb?: number;
  /** Also opens damaged data, if lmdb can. */
  salvage?: boolean;
  /** Verifies every page of the data file, also after an orderly stop. */
  everyPage?: boolean;
}

/** Creates the folder if it is missing, checks that it is an engine's and undamaged, and opens its databases. Throws DataFolderError. */
export function openTables(dataDir: string, options: OpenOptions = {}): Tables {
  prepareFolder(dataDir);
  if (!existsSync(join(dataDir, MARKER))) claimFolder(dataDir);
  const fault = options.salvage ? undefined : dataFault(dataDir, options);
  if (fault !== undefined) throw damaged(dataDir, fault);
  try {
    const tables = openEnvironment(dataDir, options);
    if (!options.salvage) noteOpen(dataDir);
    return tables;
  } catch (error) {
    throw asFolderError(dataDir, error);
  }
}

/** Creates the folder if it is missing, and checks that it can be opened, without reading its data. Throws DataFolderError. */
export function prepareFolder(dataDir: string): void {
  requireWritable(dataDir, makeFolder);
  checkFolder(dataDir);
}

/** If there is no space for `data.check`, removes it: the one of the last stop is outdated. */
function noteOpen(dataDir: string): void {
  try {
    noteData(dataDir, 'open');
  } catch (error) {
    if (!/ENOSPC/.test(reason(error))) throw error;
    forgetNote(dataDir);
  }
}

/** The fault of the data file, if there is one. After an orderly stop its checksum is sufficient. */
function dataFault(dataDir: string, { everyPage }: OpenOptions): string | undefined {
  const fault = dataFileFault(dataDir);
  const isUnorderly = endedUnorderly(dataDir);
  if (fault !== undefined || !(isUnorderly || everyPage)) return fault;
  return pageFault(join(dataDir, DATA_FILE), () => (isUnorderly ? new RowTally() : undefined));
}

/** Checks that an existing folder can be opened, without reading its data or changing anything. Throws DataFolderError. */
export function checkFolder(dataDir: string): void {
  requireWritable(dataDir, () => accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK));
  checkMarker(dataDir);
  checkRoom(dataDir);
}

function requireWritable(dataDir: string, work: (dataDir: string) => void): void {
  try {
    work(dataDir);
  } catch (error) {
    throw unwritable(dataDir, reason(error), error);
  }
}

/** Creates a folder and its parents. Node's recursive mkdir never returns where the system forbids new folders (/proc). */
function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

/** Refuses to open a folder without free space: lmdb does not recover from a commit that fails on a full disk. */
function checkRoom(dataDir: string): void {
  if (diskBytes(dataDir) >= MIN_TO_WRITE || freeSpaceOf(dataDir) >= MIN_TO_WRITE) return;
  throw new DataFolderError(
    'Full',
    `The disk of the data folder ${dataDir} is full: less than ${MIN_TO_WRITE / 1024 / 1024} MB are free.`,
  );
}

function checkMarker(dataDir: string): void {
  if (existsSync(join(dataDir, MARKER))) requireFormat(dataDir);
  else checkUnclaimed(dataDir);
}

function checkUnclaimed(dataDir: string): void {
  const names = readdirSync(dataDir);
  const foreign = names.find((name) => FOREIGN_SIGNS.test(name) || name === DATA_FILE);
  if (foreign !== undefined) {
    throw new DataFolderError('Foreign', `The data folder ${dataDir} belongs to another program: it holds ${foreign}.`);
  }
  const unknown = names.find((name) => !HARMLESS.test(name) && name !== `${DATA_FILE}-lock`);
  if (unknown !== undefined) {
    throw new DataFolderError(
      'Foreign',
      `The data folder ${dataDir} is not empty and is not this engine's: it holds ${unknown}.`,
    );
  }
}

function claimFolder(dataDir: string): void {
  try {
    stampFormat(dataDir);
  } catch (error) {
    throw asFolderError(dataDir, error);
  }
}

/** Opens the databases of a folder that is known to be the engine's; checks nothing. */
export function openEnvironment(dataDir: string, options: OpenOptions = {}): Tables {
  const path = join(dataDir, DATA_FILE);
  const root = open<Buffer, Buffer>({
    path,
    maxDbs: 8,
    maxReaders: 1024,
    encoding: 'binary',
    keyEncoding: 'binary',
    cache: false,
    separateFlushed: true,
    ...(options.mapSizeMb === undefined ? {} : { mapSize: options.mapSizeMb * 1024 * 1024 }),
  });
  // lmdb makes its files readable by everyone, and the folder may have existed before.
  for (const file of [path, `${path}-lock`]) if (existsSync(file)) chmodSync(file, 0o600);
  const table = (name: string): Table =>
    root.openDB<Buffer, Buffer>({ name, encoding: 'binary', keyEncoding: 'binary' });
  const [catalog, long] = [table('catalog'), table('long')];
  return {
    root,
    catalog,
    records: table('records'),
    long,
    entries: table('entries'),
    oplog: table('oplog'),
    sessions: table('sessions'),
    packed: new PackedRecords(catalog, long),
  };
}

/** Converts any error of opening or first reading a folder to a DataFolderError with one sentence. */
export function asFolderError(dataDir: string, error: unknown): DataFolderError {
  if (error instanceof DataFolderError) return error;
  if (error instanceof MongoError && error.codeName === 'DataCorruptionDetected') {
    return damaged(dataDir, 'bytes of a stored document were changed', error);
  }
  const text = reason(error);
  if (isDiskFull(error) || /ENOSPC|no space|MDB_MAP_FULL/i.test(text)) {
    return new DataFolderError('Full', `The disk of the data folder ${dataDir} is full.`, { cause: error });
  }
  if (/EACCES|EPERM|EROFS|permission|read-only/i.test(text)) {
    return unwritable(dataDir, text, error);
  }
  return damaged(dataDir, text, error);
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message.replace(/\.$/, '') : String(error);
}
