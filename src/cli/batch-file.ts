// The files of `issue-batch`: recipients as CSV (RFC 4180), and results as CSV with one row for each recipient.
import { CsvError, parse } from 'csv-parse/sync';
import { z } from 'zod';
import { badInput, DomainError, toDomainError } from '../base/errors.js';
import { dateTime } from '../base/input.js';
import { readJson } from '../base/json/exact-json.js';
import { isDeeperThan } from '../base/json/nesting.js';
import { NAMES_PROTOTYPE, namesPrototype } from '../base/json/prototype-names.js';
import { checkUnicode } from '../base/json/unicode.js';

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

/** A date means its midnight in UTC. */
const moment = z.union([z.iso.date(), dateTime()]);
const SUBJECT = 'credentialSubject.';
/** Most levels of JSON in a cell: the gateway refuses whole requests with more than 128. */
const MAX_LEVELS = 100;
/** Most bytes of a row's JSON: a request has 256 KiB. */
const MAX_ROW_BYTES = 200_000;

/**
 * Reads a batch file: columns `email`, `expiration`, `credentialSubject.<field>` with JSON in the cells; an empty cell
 * means that the field is absent. Cells are separated by commas, semicolons or tabs. Empty rows and columns are skipped
 * and reported to `onNote`.
 * @throws DomainError BAD_USER_INPUT if the file as a whole is invalid.
 */
export function readBatchFile(
  text: string,
  onNote: (note: string) => void = () => {},
): (BatchFileRow | BatchFileFault)[] {
  const all = recordsOf(text);
  const above = all.findIndex((record) => !isEmpty(record));
  const [header, ...records] = all.slice(Math.max(above, 0));
  if (!header || above < 0) throw badInput('The file is empty.');
  for (const record of records) checkWidth(record, header);
  const used = usedPlaces([header, ...records]);
  const columns = used.map((place) => header.cells[place] ?? '');
  checkColumns(columns, used);
  const rows = records.flatMap((record, index) => {
    const cells = used.map((place) => record.cells[place] ?? '');
    return isEmpty(record) ? [] : [rowOf(columns, cells, `${index + 1}`)];
  });
  if (rows.length === 0) throw badInput('The file has no rows.');
  if (above > 0) onNote(`${above} empty rows above the names of the columns are skipped`);
  reportEmpty('row', numbersOf(records.map(isEmpty)), onNote);
  reportEmpty('column', numbersOf(header.cells.map((_, place) => !used.includes(place))), onNote);
  return rows;
}

/** One line of the file, or several if a cell has line ends. */
interface FileRecord {
  cells: string[];
  /** The number of its last line. */
  line: number;
}

const isBlank = (cell: string): boolean => cell.trim() === '';
const isEmpty = ({ cells }: FileRecord): boolean => cells.every(isBlank);
const numbersOf = (flags: readonly boolean[]): number[] => flags.flatMap((flag, index) => (flag ? [index + 1] : []));

/** Indexes of the columns that have a cell with content, in order. */
function usedPlaces(records: readonly FileRecord[]): number[] {
  const used = new Set<number>();
  for (const { cells } of records) for (const [place, cell] of cells.entries()) if (!isBlank(cell)) used.add(place);
  return [...used].sort((a, b) => a - b);
}

/** Checks that a row has one cell for each column; empty cells after the last column do not count. @throws DomainError BAD_USER_INPUT. */
function checkWidth(record: FileRecord, { cells: names }: FileRecord): void {
  const isFit = record.cells.length >= names.length && record.cells.slice(names.length).every(isBlank);
  if (!isFit && !isEmpty(record))
    throw badInput(`The file is not CSV: line ${record.line} has more or fewer cells than the header.`);
}

const MAX_NUMBERS = 20;

function reportEmpty(noun: string, numbers: readonly number[], onNote: (note: string) => void): void {
  if (numbers.length === 0) return;
  const more = numbers.length > MAX_NUMBERS ? ` and ${numbers.length - MAX_NUMBERS} more` : '';
  const shown = numbers.slice(0, MAX_NUMBERS).join(', ') + more;
  onNote(numbers.length === 1 ? `${noun} ${shown} is empty and skipped` : `${noun}s ${shown} are empty and skipped`);
}

function checkColumns(columns: readonly string[], places: readonly number[]): void {
  for (const [index, column] of columns.entries()) {
    if (column === '') throw badInput(`Column ${(places[index] ?? 0) + 1} has cells, but no name.`);
    if (column === 'email' || column === 'expiration') continue;
    if (!column.startsWith(SUBJECT) || column.length === SUBJECT.length)
      throw badInput(`The column "${column}" is unknown; the columns are email, expiration and ${SUBJECT}<field>.`);
  }
  if (!columns.includes('email')) throw badInput('The column "email" is missing.');
  if (new Set(columns).size < columns.length) throw badInput('Two columns have the same name.');
}

function recordsOf(text: string): FileRecord[] {
  const form = { bom: true, skip_empty_lines: true, trim: true, relax_column_count: true } as const;
  const options = { ...form, record_delimiter: LINE_ENDS, delimiter: delimiterOf(text), info: true } as const;
  try {
    const records = parse(text, options) as unknown as { record: string[]; info: { lines: number } }[];
    return records.map(({ record, info }) => ({ cells: record, line: info.lines }));
  } catch (error) {
    throw badInput(`The file is not CSV: ${csvFault(error)}.`);
  }
}

/** Spreadsheets write semicolons in locales with decimal commas. No column name contains any of these. */
const DELIMITERS = [',', ';', '\t'];

function delimiterOf(text: string): string {
  const [names = ''] = /[^\s,;][^\r\n]*/.exec(text) ?? [];
  return DELIMITERS.find((delimiter) => names.includes(delimiter)) ?? ',';
}

/** Line ends. A file written by several programs may have more than one kind. */
const LINE_ENDS = ['\r\n', '\n', '\r'];

/** Descriptions of CSV errors: the parser's own contain cells. */
const CSV_FAULTS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'ends inside a cell in quotes',
  INVALID_OPENING_QUOTE: 'has a quote in a cell that does not begin with one',
  CSV_INVALID_CLOSING_QUOTE: 'has text after the closing quote of a cell; quotes in a cell are doubled',
};

function csvFault(error: unknown): string {
  if (!(error instanceof CsvError)) return 'it cannot be read';
  return `line ${error.lines} ${CSV_FAULTS[error.code] ?? 'cannot be read'}`;
}

function rowOf(columns: readonly string[], cells: readonly string[], rowKey: string): BatchFileRow | BatchFileFault {
  const row: BatchFileRow = { rowKey, email: cells[columns.indexOf('email')] ?? '', credentialSubject: {} };
  const fault = (message: string): BatchFileFault => ({ rowKey, email: row.email, message });
  for (const [place, column] of columns.entries()) {
    const cell = cells[place] ?? '';
    if (cell === '' || column === 'email') continue;
    const message = take(row, column, cell);
    if (message !== undefined) return fault(message);
  }
  const isLarge = Buffer.byteLength(JSON.stringify(row)) > MAX_ROW_BYTES;
  return isLarge ? fault(`the row has more than ${MAX_ROW_BYTES} bytes`) : row;
}

/** Adds a cell to a row; returns its fault, if any. */
function take(row: BatchFileRow, column: string, cell: string): string | undefined {
  if (column === 'expiration') {
    if (!moment.safeParse(cell).success)
      return 'expiration is neither a date nor a date-time with its zone (ISO 8601), like 2030-12-31 or 2030-12-31T12:00Z';
    row.expiresAt = new Date(cell).toISOString();
    return undefined;
  }
  let value: unknown;
  try {
    value = readJson(cell, { at: [column] });
  } catch (error) {
    const fault = error instanceof DomainError ? error.message.replace(/\.$/, '') : `${column} is not JSON`;
    return `${fault}; texts need quotes of their own: "…"`;
  }
  setPath(row.credentialSubject, column.slice(SUBJECT.length).split('.'), value);
  return refusedPart(value, column);
}

/** The reason why the gateway would refuse a request with this cell, and so all its rows. */
function refusedPart(value: unknown, column: string): string | undefined {
  if (isDeeperThan(value, MAX_LEVELS)) return `${column} is nested more than ${MAX_LEVELS} levels deep`;
  if (namesPrototype(value)) return `${column} ${NAMES_PROTOTYPE}`;
  try {
    checkUnicode(value, column);
    return undefined;
  } catch (error) {
    return toDomainError(error).message;
  }
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
