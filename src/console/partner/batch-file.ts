// CSV files of recipients, in the format of `issue-batch`.
import { parse } from 'csv-parse/browser/esm/sync';
import { emptyObject, put } from './nested.js';

export interface BatchRow {
  /** Number of the row, from 1, without the header. */
  rowKey: string;
  email: string;
  credentialSubject: Record<string, unknown>;
  expiresAt?: string;
}

export interface RefusedRow {
  rowKey: string;
  email: string;
  message: string;
}

export interface BatchFile {
  rows: BatchRow[];
  refused: RefusedRow[];
}

/** Most rows of a batch. */
export const MAX_ROWS = 10_000;
const SUBJECT = 'credentialSubject.';

/** Reads a file. @throws Error with one sentence if the file as a whole is wrong. */
export function readBatchFile(text: string): BatchFile {
  const [columns, ...records] = recordsOf(text);
  if (columns === undefined || records.length === 0) throw new Error('The file has no rows.');
  if (records.length > MAX_ROWS) throw new Error(`The file has more than ${MAX_ROWS} rows; a batch takes no more.`);
  checkColumns(columns);
  const file: BatchFile = { rows: [], refused: [] };
  for (const [index, cells] of records.entries()) {
    if (cells.every((cell) => cell === '')) continue;
    const rowKey = String(index + 1);
    const email = cells[columns.indexOf('email')] ?? '';
    try {
      file.rows.push(rowOf(columns, cells, rowKey, email));
    } catch (error) {
      file.refused.push({ rowKey, email, message: (error as Error).message });
    }
  }
  return file;
}

function recordsOf(text: string): string[][] {
  const [names = ''] = /[^\r\n]*/.exec(text) ?? [];
  const delimiter = [',', ';', '\t'].find((each) => names.includes(each)) ?? ',';
  try {
    return parse(text, {
      bom: true,
      delimiter,
      trim: true,
      skip_empty_lines: true,
      record_delimiter: ['\r\n', '\n', '\r'],
    });
  } catch (error) {
    const { lines } = error as { lines?: number };
    throw new Error(`The file is not CSV${lines === undefined ? '' : `: line ${lines} cannot be read`}.`);
  }
}

function checkColumns(columns: readonly string[]): void {
  if (!columns.includes('email')) throw new Error('The column “email” is missing.');
  if (new Set(columns).size < columns.length) throw new Error('Two columns have the same name.');
  const other = columns.find((column) => !['email', 'expiration'].includes(column) && !column.startsWith(SUBJECT));
  if (other !== undefined)
    throw new Error(`The column “${other}” is unknown; the columns are email, expiration and ${SUBJECT}<field>.`);
}

function rowOf(columns: readonly string[], cells: readonly string[], rowKey: string, email: string): BatchRow {
  if (email === '') throw new Error('The address is missing.');
  const credentialSubject = emptyObject();
  const row: BatchRow = { rowKey, email, credentialSubject };
  for (const [index, column] of columns.entries()) {
    const cell = cells[index] ?? '';
    if (cell === '' || column === 'email') continue;
    if (column === 'expiration') row.expiresAt = expiryOf(cell);
    else put(credentialSubject, column.slice(SUBJECT.length).split('.'), valueOfCell(column, cell));
  }
  return row;
}

function expiryOf(cell: string): string {
  const text = /^\d{4}-\d{2}-\d{2}$/.test(cell) ? `${cell}T00:00:00Z` : cell;
  if (!/^\d{4}-\d{2}-\d{2}T.*(Z|[+-]\d{2}:\d{2})$/.test(text) || Number.isNaN(Date.parse(text)))
    throw new Error('expiration must be a date, or a date-time with its zone.');
  return new Date(text).toISOString();
}

/** @throws Error for a cell that is not JSON, or has a number that a double cannot hold. */
function valueOfCell(column: string, cell: string): unknown {
  const numbers = cell.replace(/"(?:[^"\\]|\\.)*"/g, '').match(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g) ?? [];
  if (numbers.some((each) => !isExact(each)))
    throw new Error(`${column} has a number that cannot be held exactly; write it as a text.`);
  try {
    return JSON.parse(cell);
  } catch {
    throw new Error(`${column} must be JSON; texts need quotes.`);
  }
}

function isExact(text: string): boolean {
  const value = Number(text);
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value)) && !/[eE]/.test(text);
}
