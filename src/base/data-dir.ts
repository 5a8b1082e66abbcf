// Files in DATA_DIR beside the engine's data: the sandbox's own secrets, which only their owner can read and which are created once by
// whichever process is first, and the address of the running gateway.
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { accessSentence, isRefusedAccess } from './file-access.js';

/** The file of the sandbox's operator key, in DATA_DIR. */
export const OPERATOR_KEY_FILE = 'operator.key';

/** The data folder cannot be used; the message is one sentence for the person who started the gateway. */
export class DataDirError extends Error {
  override readonly name = 'DataDirError';
}

const REASONS: Record<string, string> = {
  EROFS: 'is on a read-only file system',
  ENOSPC: 'is on a full disk',
  EDQUOT: 'is over its disk quota',
  ENOENT: 'cannot be created there',
  ENOTDIR: 'is not a folder',
  EEXIST: 'is not a folder',
};

/** Converts a file system's error about the data folder to a DataDirError; returns other errors unchanged. */
export function asDataDirError(dataDir: string, error: unknown): unknown {
  if (isRefusedAccess(error)) return refusedAccess(error.path ?? dataDir, error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reason = REASONS[code];
  return reason === undefined
    ? error
    : new DataDirError(`The data folder ${dataDir} ${reason}; set DATA_DIR to another one.`, { cause: error });
}

/** The fault of a file or folder that is there, or cannot be created, because of its owner: another DATA_DIR would be an empty store. */
const refusedAccess = (path: string, cause: unknown): DataDirError =>
  new DataDirError(accessSentence(resolve(path)), { cause });

/** Creates the data folder (0700) if it does not exist. @throws DataDirError. */
export function ensureDataDir(dataDir: string): void {
  try {
    makeFolder(resolve(dataDir));
  } catch (error) {
    throw asDataDirError(dataDir, error);
  }
}

/**
 * Why `ensureDataDir` would refuse a data folder; undefined if it would not. Removes everything that the check creates.
 */
export function dataDirFault(dataDir: string): DataDirError | undefined {
  const path = resolve(dataDir);
  try {
    if (existsSync(path)) makeFolder(path);
    // Permissions alone do not show it: below /proc they allow writing, but nothing can be created.
    rmdirSync(mkdtempSync(join(nearestFolder(path), '.probe-')));
    return undefined;
  } catch (error) {
    const fault = asDataDirError(dataDir, error);
    if (fault instanceof DataDirError) return fault;
    throw error;
  }
}

/** A folder, or the lowest one above it that exists. */
export const nearestFolder = (path: string): string => (existsSync(path) ? path : nearestFolder(dirname(path)));

// Node's own recursion never returns when a folder is refused with ENOENT, for example below /proc.
function makeFolder(path: string): void {
  if (existsSync(path) && statSync(path).isDirectory()) return;
  const parent = dirname(path);
  if (!existsSync(parent)) makeFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // If two processes start together, the second finds the folder.
    if (!existsSync(path) || !statSync(path).isDirectory()) throw error;
  }
}

/** A secret from the data folder, or undefined when there is none. */
export function readSecret(dataDir: string, name: string): string | undefined {
  try {
    return readFileSync(join(dataDir, name), 'utf8').trim();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw asDataDirError(dataDir, error);
  }
}

/**
 * The secret with this name: read from the folder, or created from 32 random bytes in this encoding (mode 0600).
 * @throws DataDirError.
 */
export function keepSecret(dataDir: string, name: string, encoding: 'hex' | 'base64'): string {
  const storedSecret = readSecret(dataDir, name);
  if (storedSecret) return storedSecret;
  ensureDataDir(dataDir);
  const secret = randomBytes(32).toString(encoding);
  const target = join(dataDir, name);
  const draft = `${target}.${process.pid}`;
  try {
    writeFileSync(draft, `${secret}\n`, { mode: 0o600 });
    // A hard link appears complete and only once: if two processes start together, one of them creates it.
    linkSync(draft, target);
    return secret;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST')
      return readSecret(dataDir, name) ?? secret;
    throw asDataDirError(dataDir, error);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Begins with a dot, so that a folder with only this file counts as empty. */
const ADDRESS_FILE = '.address';

/** Writes where this folder's gateway listens, for commands on this machine. A folder that cannot be written must not stop the gateway. */
export function writeAddress(dataDir: string, url: string): void {
  try {
    writeFileSync(join(dataDir, ADDRESS_FILE), `${url}\n`, { mode: 0o600 });
  } catch {
    // Commands then need --url, HOST or PORT.
  }
}

/** Where this folder's gateway listens, or did before it was killed; undefined when the file is missing. */
export function readAddress(dataDir: string): string | undefined {
  try {
    return readFileSync(join(dataDir, ADDRESS_FILE), 'utf8').trim() || undefined;
  } catch {
    return undefined;
  }
}

/** Deletes the address, unless it belongs to another gateway by now. */
export function removeAddress(dataDir: string, url: string): void {
  if (readAddress(dataDir) === url) rmSync(join(dataDir, ADDRESS_FILE), { force: true });
}
