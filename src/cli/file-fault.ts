// Reads the files that options name; reasons why a file cannot be read or written, in words.
import { readFileSync } from 'node:fs';
import { DomainError } from '../base/errors.js';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'its file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a part of its path is not a folder',
  ENAMETOOLONG: 'its name is too long',
};

/** The reason of a file system's error; other errors are described by their message. */
export function fileFault(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  return REASONS[code] ?? error.message;
}

/** As `fileFault`, for a file that is written: ENOENT means that its folder is missing. */
export function writeFault(error: unknown): string {
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
  return isMissing ? 'there is no such folder' : fileFault(error);
}

/** The content of a file. @throws DomainError BAD_USER_INPUT with the reason. */
export function readBytes(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new DomainError('BAD_USER_INPUT', `${file} cannot be read: ${fileFault(cause)}.`, {}, { cause });
  }
}
