// Which file or folder this user may not use, and whose it is.
import { statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';

/** Whether an error is a refusal of the file system's permissions. */
export function isRefusedAccess(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && (error.code === 'EACCES' || error.code === 'EPERM');
}

/**
 * The sentence for a file or folder that this user may not read or write: which one, whose it is, and what to do.
 * @param path the one that was opened; if it does not exist, the lowest one above it is named, in which it cannot be created
 */
export function accessSentence(path: string): string {
  const stat = statOf(path);
  if (stat === undefined)
    return dirname(path) === path ? `${path} cannot be used by this user.` : accessSentence(dirname(path));
  const what = stat.isDirectory() ? 'The folder' : 'The file';
  const mode = (stat.mode & 0o777).toString(8).padStart(3, '0');
  const mend = stat.uid === process.getuid?.() ? `chmod u+rwX ${path}` : `chown ${userInfo().username} ${path}`;
  return `${what} ${path} may not be used by ${nameOf(process.getuid?.())}: it belongs to ${nameOf(stat.uid)}, mode ${mode}. Run: ${mend}`;
}

function statOf(path: string) {
  try {
    return statSync(path);
  } catch {
    // It is missing, or in a folder that this user may not enter, which is then the one to name.
    return undefined;
  }
}

const nameOf = (uid: number | undefined): string => (uid === 0 ? 'root' : `the user ${uid ?? 'of this process'}`);
