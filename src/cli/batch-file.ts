// The files of `issue-batch`: recipients as CSV (RFC 4180), and results as CSV with one row for each recipient.
import { CsvError, parse } from 'csv-parse/sync';
import { z } from 'zod';
import { badInput } from '../base/errors.js';

/** A recipient in the form of the mutation. */
export interface BatchFileRow {
  /** Number of the record, from 1, without the header. */
  rowKey: string;
  email: string;
  credentialSubject: Record<string, unknown>;
  expiresAt?: string;
}

/** A row that cannot be sent. */
export interface BatchFileFault {
  rowKey: string;
  email: string;
  message: string;
}

/** A date means its first moment in UTC. */
const moment = z.union([z.iso.date(), z.iso.datetime({ offset: true })]);
const SUBJECT = 'credentialSubject.';

/**
 * Reads a batch file: columns `email`, `expiration`, `credentialSubject.<field>` with JSON in the cells; an empty cell means no field.
 * @throws DomainError BAD_USER_INPUT when the file as a whole cannot be used.
 */
export function readBatchFile(text: string): (BatchFileRow | BatchFileFault)[] {
  const [columns, ...records] = recordsOf(text);
  if (!columns) throw badInput('The file is empty.');
  if (records.length === 0) throw badInput('The file has no rows.');
  for (const column of columns)
    if (
      column !== 'email' &&
      column !== 'expiration' &&
      !(column.startsWith(SUBJECT) && column.length > SUBJECT.length)
    )
      throw badInput(`The column "${column}" is unknown; the columns are email, expiration and ${SUBJECT}<field>.`);
  if (!columns.includes('email')) throw badInput('The column "email" is missing.');
  if (new Set(columns).size < columns.length) throw badInput('Two columns have the same name.');
  return records.map((cells, index) => rowOf(columns, cells, `${index + 1}`));
}

function recordsOf(text: string): string[][] {
  try {
    return parse(text, { bom: true, skip_empty_lines: true, trim: true, record_delimiter: LINE_ENDS });
  } catch (error) {
    throw badInput(`The file is not CSV: ${csvFault(error)}.`);
  }
}

/** A file may mix them: it was written by one program and continued by another. */
const LINE_ENDS = ['\r\n', '\n', '\r'];

/** Not the parser's sentences, which show cells. */
const CSV_FAULTS: Readonly<Record<string, string>> = {
  CSV_RECORD_INCONSISTENT_FIELDS_LENGTH: 'has more or fewer cells than the header',
  CSV_QUOTE_NOT_CLOSED: 'ends inside a cell in quotes',
  INVALID_OPENING_QUOTE: 'has a quote in a cell that does not begin with one',
  CSV_INVALID_CLOSING_QUOTE: 'has text after the closing quote of a cell; quotes in a cell are doubled',
};

function csvFault(error: unknown): string {
  if (!(error instanceof CsvError)) return 'it cannot be read';
  return `line ${error.lines} ${CSV_FAULTS[error.code] ?? 'cannot be read'}`;
}

function rowOf(columns: readonly string[], cells: readonly string[], rowKey: string): BatchFileRow | BatchFileFault {
  const row: BatchFileRow = { rowKey, email: '', credentialSubject: {} };
  for (const [place, column] of columns.entries()) {
    const cell = cells[place] ?? '';
    const message = cell === '' ? undefined : take(row, column, cell);
    if (message !== undefined) return { rowKey, email: cells[columns.indexOf('email')] ?? '', message };
  }
  return row;
}

/** Adds a cell to a row; returns what is wrong with it. */
function take(row: BatchFileRow, column: string, cell: string): string | undefined {
  if (column === 'email') row.email = cell;
  else if (column === 'expiration') {
    if (!moment.safeParse(cell).success)
      return 'expiration is neither a date nor a date-time with its zone (ISO 8601), like 2030-12-31 or 2030-12-31T12:00:00Z';
    row.expiresAt = new Date(cell).toISOString();
  } else {
    try {
      setPath(row.credentialSubject, column.slice(SUBJECT.length).split('.'), JSON.parse(cell));
    } catch {
      return `${column} is not JSON; texts need quotes of their own: "…"`;
    }
  }
  return undefined;
}

/** Sets a field by its path; own properties only. */
function setPath(target: Record<string, unknown>, [head = '', ...rest]: readonly string[], value: unknown): void {
  const below = Object.hasOwn(target, head) ? target[head] : undefined;
  const inner = rest.length === 0 ? value : typeof below === 'object' && below !== null ? below : {};
  Object.defineProperty(target, head, { value: inner, enumerable: true, configurable: true, writable: true });
  if (rest.length > 0) setPath(inner as Record<string, unknown>, rest, value);
}

/** A cell with a quote in front if a spreadsheet would read it as a formula. */
export const csvCell = (cell: string): string => (/^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell);

/** One line of CSV with its line end. Spreadsheets read none of its cells as a formula. */
export function csvLine(cells: readonly string[]): string {
  const safe = cells.map(csvCell);
  return `${safe.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\r\n`;
}
