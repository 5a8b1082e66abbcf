// The file of recipients of `issue-batch`, from the disk.
import { badInput, DomainError } from '../base/errors.js';
import { utf8TextOf } from '../base/json/unicode.js';
import { readBatchFile } from '../common/batch-file.js';
import { type BatchField, type BatchFileFault, type BatchFileRow, FileFault, rowOf } from '../common/batch-row.js';
import { readBytes } from './file-fault.js';

/** A row of the CSV, valid or not. */
export type FileRow = BatchFileRow | BatchFileFault;

/**
 * The rows of a file of recipients. What is skipped of it is reported to `onNote`.
 * @param fields of the credential; undefined if they are not known
 * @throws DomainError BAD_USER_INPUT if the file as a whole is wrong
 */
export function readRows(
  text: string,
  fields: readonly BatchField[] | undefined,
  onNote: (note: string) => void = () => {},
): FileRow[] {
  try {
    const { columns, records, notes } = readBatchFile(text, fields);
    for (const note of notes) onNote(note);
    return records.map((record) => rowOf(columns, record));
  } catch (error) {
    if (error instanceof FileFault) throw badInput(error.message);
    throw error;
  }
}

/** The text of a file. @throws DomainError BAD_USER_INPUT if it cannot be read, or is not UTF-8 */
export function textOfFile(file: string): string {
  const text = utf8TextOf(readBytes(file));
  if (text === undefined)
    throw new DomainError('BAD_USER_INPUT', `${file} is not text in UTF-8: save it as CSV in UTF-8.`);
  return text;
}
