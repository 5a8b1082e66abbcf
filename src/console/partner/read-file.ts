// A file of recipients as the page holds it: read by the worker, and corrected in place.
import {
  type BatchColumn,
  type BatchFileFault,
  type BatchFileRow,
  type BatchRecord,
  rowOf,
} from '../../common/batch-row.js';

/** A line of the file, and the row that it is. */
export interface ReadRecord {
  record: BatchRecord;
  row: BatchFileRow | BatchFileFault;
}

export interface ReadFile {
  columns: BatchColumn[];
  records: ReadRecord[];
  notes: string[];
}

/** What the worker sends: the columns, parts of the records in their order, and their end. Only a message if the file is wrong. */
export type FromWorker =
  | Pick<ReadFile, 'columns' | 'notes'>
  | { part: ReadRecord[] }
  | { isWhole: true }
  | { message: string };

/** Puts the parts of a file together. */
export class FileOfParts {
  readonly file: ReadFile = { columns: [], records: [], notes: [] };

  /** @returns whether the file is whole. @throws Error with one sentence if the file is wrong */
  add(sent: FromWorker): boolean {
    if ('message' in sent) throw new Error(sent.message);
    if ('isWhole' in sent) return true;
    if ('part' in sent) this.file.records.push(...sent.part);
    else Object.assign(this.file, sent);
    return false;
  }
}

/** The rows that can be sent. */
export const rowsOf = ({ records }: ReadFile): BatchFileRow[] =>
  records.flatMap(({ row }) => ('message' in row ? [] : [row]));

/** The file with other cells in one record. */
export function withRecord(file: ReadFile, changed: BatchRecord): ReadFile {
  const read = { record: changed, row: rowOf(file.columns, changed) };
  return { ...file, records: file.records.map((each) => (each.record.rowKey === changed.rowKey ? read : each)) };
}
