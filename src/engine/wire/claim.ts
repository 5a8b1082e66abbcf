// The claim of a data folder. A process has it from before it opens lmdb's files until it has closed them: its socket is
// the only file in the folder `claim`. A folder with a socket takes that place at once if it is empty, so of several
// processes one succeeds. Each socket has a name of its own, so nobody removes a new one instead of one that was left.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { asFolderError } from '../store/env.js';
import { inUse } from '../store/folder-error.js';
import { isListening, socketFolderFor, socketPathFor, started } from './listener.js';

const CLAIM_FOLDER = 'claim';
const ATTEMPTS = 100;
/** A folder takes the place of another one only if that one is empty. */
const NOT_EMPTY = ['ENOTEMPTY', 'EEXIST'];

/** The right to open a data folder. */
export interface Claim {
  release(): Promise<void>;
}

/** Claims an existing folder. Throws DataFolderError (InUse) if another process serves it or has claimed it. */
export async function claimFolder(dataDir: string): Promise<Claim> {
  // Earlier versions do not claim the folders that they serve.
  if (await isListening(socketPathFor(dataDir))) throw inUse(dataDir);
  const id = randomBytes(4).toString('hex');
  const [own, name] = [`${CLAIM_FOLDER}-${id}`, `${id}.sock`];
  const folder = socketFolderFor(dataDir, join(own, name));
  const server = createServer((socket: Socket) => void socket.destroy()).unref();
  const close = (): Promise<void> => new Promise((resolve) => void server.close(() => resolve()));
  try {
    mkdirSync(join(folder, own), { mode: 0o700 });
    await started(server, () => server.listen(join(folder, own, name)));
    if (!(await takes(join(folder, own), join(folder, CLAIM_FOLDER)))) throw inUse(dataDir);
  } catch (error) {
    await close();
    rmSync(join(folder, own), { recursive: true, force: true });
    const known = asFolderError(dataDir, error);
    throw known.code === 'Damaged' ? error : known;
  }
  return {
    release() {
      rmSync(join(folder, CLAIM_FOLDER, name), { force: true });
      unless(['ENOENT', ...NOT_EMPTY], () => rmdirSync(join(folder, CLAIM_FOLDER)));
      return close();
    },
  };
}

/** Renames `own` to `claim` if no process listens in that folder. */
async function takes(own: string, claim: string): Promise<boolean> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (unless(NOT_EMPTY, () => renameSync(own, claim))) return true;
    let names: string[] = [];
    unless(['ENOENT'], () => {
      names = readdirSync(claim);
    });
    for (const name of names) {
      if (await isListening(join(claim, name))) return false;
      rmSync(join(claim, name), { force: true });
    }
  }
  return false;
}

/** Does something with a file; false if that fails with one of these codes. */
function unless(codes: readonly string[], work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (codes.includes(Reflect.get(Object(error), 'code'))) return false;
    throw error;
  }
}
