// `store copy`: moves a whole store between a data folder and MongoDB, in either direction.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { uriFault } from '../base/config/mongodb-uri.js';
import { ensureDataDir } from '../base/data-dir.js';
import { badInput, DomainError } from '../base/errors.js';
import { databaseOf, isUnreachable } from '../store/connection.js';
import { type CollectionCopy, type CopySide, copyStore } from '../store/copy.js';
import { countOf, type Report, type Terminal } from './output.js';
import { ProgressBar } from './progress.js';
import { DATA_FILE } from './store-beside.js';

/** Options of `store copy`: each a data folder or a connection string. */
export interface CopyOptions {
  from: string;
  to: string;
}

interface OpenSide extends CopySide {
  close(): Promise<void>;
}

/** Copies and compares. @throws DomainError, DataDirError, DataFolderError, and the driver's errors. */
export async function runCopy({ from, to }: CopyOptions, terminal: Terminal): Promise<Report> {
  requireTaken('--from', from);
  requireTaken('--to', to);
  if (labelOf(from) === labelOf(to)) throw badInput('--from and --to name the same store.');
  if (!isUri(from) && !existsSync(join(from, DATA_FILE))) throw badInput(`There is no store in ${from}.`);
  if (!isUri(to)) ensureDataDir(to);
  const source = await openSide(from);
  try {
    const target = await openSide(to);
    try {
      return reportOf(await copyWithBar(source, target, terminal), source, target);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

async function copyWithBar(source: CopySide, target: CopySide, terminal: Terminal): Promise<CollectionCopy[]> {
  let bar: ProgressBar | undefined;
  try {
    return await copyStore(source, target, (done, total) => {
      bar ??= new ProgressBar('copying and comparing', total, terminal.err);
      bar.update(done);
    });
  } finally {
    bar?.clear();
  }
}

const isUri = (text: string): boolean => /^mongodb(\+srv)?:\/\//.test(text);

function requireTaken(option: string, text: string): void {
  const fault = isUri(text) ? uriFault(text) : undefined;
  if (fault !== undefined) throw badInput(`${option} ${fault}.`);
}

/** A connection string without user, password and options. */
const labelOf = (text: string): string =>
  isUri(text) ? text.replace(/\/\/[^/]*@/, '//').replace(/\?.*$/, '') : text.replace(/\/+$/, '');

async function openSide(text: string): Promise<OpenSide> {
  const engine = isUri(text) ? undefined : await engineOf(text);
  const uri = engine?.uri ?? text;
  try {
    const client = await new MongoClient(uri, { appName: 'credential-gateway store copy' }).connect();
    const close = async (): Promise<void> => {
      await client.close();
      await engine?.close();
    };
    return { db: client.db(databaseOf(uri).dbName), label: labelOf(text), close };
  } catch (cause) {
    await engine?.close();
    throw isUri(text) && isUnreachable(cause)
      ? new DomainError('STORE_UNAVAILABLE', `The store ${labelOf(text)} does not respond.`, {}, { cause })
      : cause;
  }
}

/** The engine that serves this folder: a running one, or a new one until the command ends. */
async function engineOf(dataDir: string): Promise<{ uri: string; close(): Promise<void> }> {
  const { engineAt, startEngine } = await import('../engine/index.js');
  const running = await engineAt(dataDir);
  if (running !== undefined) return { uri: running, close: async () => {} };
  return startEngine({ dataDir });
}

function reportOf(copies: readonly CollectionCopy[], source: CopySide, target: CopySide): Report {
  const documents = copies.reduce((sum, copy) => sum + copy.documents, 0);
  const lines = copies
    .filter((copy) => copy.documents > 0)
    .map((copy) => `${copy.name}: ${countOf(copy.documents, 'document')}, sha256 ${copy.sha256.slice(0, 16)}…`);
  return {
    json: { from: source.label, to: target.label, collections: copies },
    lines: [
      ...lines,
      'the KEYSTORE_KEY that opens it is not in the store; a sandbox keeps it in keystore.key, in its DATA_DIR',
      `copied ${source.label} to ${target.label}: ${documents} documents of ${copies.length} collections, equal on both sides`,
    ],
  };
}
