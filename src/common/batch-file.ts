// Files of recipients: CSV (RFC 4180) as spreadsheets write it, with a credential for each line. The console and `issue-batch` read the same.
import { type CsvError, parse } from 'csv-parse/browser/esm/sync';
import { type BatchColumn, type BatchField, type BatchRecord, columnsOf, FileFault } from './batch-row.js';

/** A file whose cells are not read yet: see `rowOf`. */
export interface BatchFile {
  columns: BatchColumn[];
  records: BatchRecord[];
  /** Sentences about empty rows and columns, which are skipped. */
  notes: string[];
}

/**
 * Reads a file. Cells are separated by commas, semicolons, tabs or bars, as in its first line, or as a line `sep=;` above says. Empty rows and columns are
 * skipped.
 * @param fields the fields of the credential: their columns may have their names or titles, and cells are read by their types. Without them, columns
 *   are `credentialSubject.<field>`, and cells are JSON.
 * @throws FileFault if the file as a whole is wrong
 */
export function readBatchFile(text: string, fields?: readonly BatchField[]): BatchFile {
  const all = recordsOf(text);
  const above = all.findIndex((record) => !isEmpty(record));
  const [header, ...records] = all.slice(Math.max(above, 0));
  if (!header || above < 0) throw new FileFault('The file is empty.');
  for (const record of records) checkWidth(record, header);
  const used = usedPlaces([header, ...records]);
  const unnamed = used.find((place) => (header.cells[place] ?? '') === '');
  if (unnamed !== undefined) throw new FileFault(`Column ${unnamed + 1} has cells, but no name.`);
  const columns = columnsOf(
    used.map((place) => header.cells[place] ?? ''),
    fields,
  );
  const filled = records.flatMap((record, index): BatchRecord[] => {
    if (isEmpty(record)) return [];
    return [{ rowKey: `${index + 1}`, line: record.line, cells: used.map((place) => record.cells[place] ?? '') }];
  });
  if (filled.length === 0) throw new FileFault('The file has no rows.');
  const notes = [
    ...(above > 0 ? [`${above} empty rows above the names of the columns are skipped`] : []),
    ...noteOf('row', numbersOf(records.map(isEmpty))),
    ...noteOf('column', numbersOf(header.cells.map((_, place) => !used.includes(place)))),
  ];
  return { columns, records: filled, notes };
}

/** One line of the file, or several if a cell has line ends. */
interface CsvRecord {
  cells: string[];
  /** The number of its last line. */
  line: number;
}

const isBlank = (cell: string): boolean => cell.trim() === '';
const isEmpty = ({ cells }: CsvRecord): boolean => cells.every(isBlank);
const numbersOf = (flags: readonly boolean[]): number[] => flags.flatMap((flag, index) => (flag ? [index + 1] : []));

/** Indexes of the columns that have a cell with content, in order. */
function usedPlaces(records: readonly CsvRecord[]): number[] {
  const used = new Set<number>();
  for (const { cells } of records) for (const [place, cell] of cells.entries()) if (!isBlank(cell)) used.add(place);
  return [...used].sort((a, b) => a - b);
}

/** Checks that a row has one cell for each column; empty cells after the last column do not count. @throws FileFault */
function checkWidth(record: CsvRecord, { cells: names }: CsvRecord): void {
  const isFit = record.cells.length >= names.length && record.cells.slice(names.length).every(isBlank);
  if (!isFit && !isEmpty(record))
    throw new FileFault(`The file is not CSV: line ${record.line} has more or fewer cells than the header.`);
}

const MAX_NUMBERS = 20;

function noteOf(noun: string, numbers: readonly number[]): string[] {
  if (numbers.length === 0) return [];
  const more = numbers.length > MAX_NUMBERS ? ` and ${numbers.length - MAX_NUMBERS} more` : '';
  const shown = numbers.slice(0, MAX_NUMBERS).join(', ') + more;
  return [numbers.length === 1 ? `${noun} ${shown} is empty and skipped` : `${noun}s ${shown} are empty and skipped`];
}

/** How spreadsheets are told what separates cells; some write it, too. */
const SEPARATOR_LINE = /^\ufeff?"?sep=([,;\t|])"?[ \t]*(?=[\r\n]|$)/i;
/** A file written by several programs may have more than one kind of line ends. */
const LINE_ENDS = ['\r\n', '\n', '\r'];

function recordsOf(text: string): CsvRecord[] {
  const told = SEPARATOR_LINE.exec(text)?.[1];
  // Its line stays as an empty one, so that lines keep their numbers.
  const table = text.replace(SEPARATOR_LINE, '');
  const form = { bom: true, skip_empty_lines: true, trim: true, relax_column_count: true, info: true } as const;
  const options = { ...form, record_delimiter: LINE_ENDS, delimiter: told ?? delimiterOf(table) };
  try {
    const records = parse(table, options) as unknown as { record: string[]; info: { lines: number } }[];
    return records.map(({ record, info }) => ({ cells: record, line: info.lines }));
  } catch (error) {
    throw new FileFault(`The file is not CSV: ${csvFault(error as Partial<CsvError>)}.`);
  }
}

/** The first separator between the names of the columns: those in quotes may contain others. */
function delimiterOf(text: string): string {
  const [names = ''] = /[^\s,;|][^\r\n]*/.exec(text) ?? [];
  return /[,;\t|]/.exec(names.replace(/"[^"]*"/g, ''))?.[0] ?? ',';
}

/** Descriptions of CSV errors: the parser's own contain cells. */
const CSV_FAULTS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'ends inside a cell in quotes',
  INVALID_OPENING_QUOTE: 'has a quote in a cell that does not begin with one',
  CSV_INVALID_CLOSING_QUOTE: 'has text after the closing quote of a cell; quotes in a cell are doubled',
};

const csvFault = ({ code, lines }: Partial<CsvError>): string =>
  lines === undefined ? 'it cannot be read' : `line ${lines} ${CSV_FAULTS[code ?? ''] ?? 'cannot be read'}`;
