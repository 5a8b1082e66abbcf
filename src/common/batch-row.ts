// A line of a file of recipients as the row of a batch.
import { CellFault, expiryOf, valueOfCell } from './cells.js';
import { emptyObject, put } from './nested.js';
import { NAMES_PROTOTYPE, namesPrototype } from './prototype-names.js';

/** Every engine has it; neither Node's types nor the DOM's are loaded here. */
declare const TextEncoder: { new (): { encode(text: string): { length: number } } };

/** A recipient in the form of the mutation. */
export interface BatchFileRow {
  /** Number of the record, from 1, without the header. */
  rowKey: string;
  email: string;
  credentialSubject: Record<string, unknown>;
  expiresAt?: string;
}

/** A row that cannot be sent, and why: one sentence. */
export interface BatchFileFault {
  rowKey: string;
  email: string;
  message: string;
}

/** A row as the file has it. */
export interface BatchRecord {
  rowKey: string;
  /** The number of its last line in the file, from 1. */
  line: number;
  /** One for each column. */
  cells: string[];
}

/** A field of the credential. */
export interface BatchField {
  name: string;
  title: string;
  /** The label of its type. */
  type: string;
}

/** A column of the file. */
export interface BatchColumn {
  /** Its name in the file. */
  label: string;
  /** What its cells are: the recipient's address, when the credential expires, or a field of it. */
  is: 'email' | 'expiration' | 'field';
  /** The names that lead to the field. */
  path: string[];
  /** The label of the field's type; absent if it is not known. */
  type?: string;
}

/** The file as a whole is wrong: one sentence. */
export class FileFault extends Error {}

const SUBJECT = 'credentialSubject.';
/** Most bytes of a row's JSON: a request has 256 KiB. */
const MAX_ROW_BYTES = 200_000;
const EMAIL = /^e-?mail(?:[ -]?address)?$/i;

/** The columns with these names. @throws FileFault if one is unknown, two are the same, or there are no addresses */
export function columnsOf(labels: readonly string[], fields?: readonly BatchField[]): BatchColumn[] {
  const columns = labels.map((label) => columnOf(label, fields));
  if (!columns.some(({ is }) => is === 'email')) throw new FileFault('The column "email" is missing.');
  const labelOf = new Map<string, string>();
  for (const { is, path, label } of columns) {
    const same = labelOf.get(`${is} ${path.join('.')}`);
    if (same !== undefined) throw new FileFault(`Two columns are the same: "${same}" and "${label}".`);
    labelOf.set(`${is} ${path.join('.')}`, label);
  }
  return columns;
}

function columnOf(label: string, fields: readonly BatchField[] | undefined): BatchColumn {
  if (EMAIL.test(label)) return { label, is: 'email', path: [] };
  if (label.toLowerCase() === 'expiration') return { label, is: 'expiration', path: [] };
  const isWhole = label.startsWith(SUBJECT) && label.length > SUBJECT.length;
  const name = isWhole ? label.slice(SUBJECT.length) : fieldNamed(label, fields).name;
  const path = name.split('.');
  if (namesPrototype(subjectWith(path))) throw new FileFault(`The column "${label}" ${NAMES_PROTOTYPE}.`);
  const type = fields?.find((field) => field.name === name)?.type;
  return { label, is: 'field', path, ...(type !== undefined && { type }) };
}

function subjectWith(path: string[]): Record<string, unknown> {
  const subject = emptyObject();
  put(subject, path, {});
  return subject;
}

/** The field with this name, or this title. @throws FileFault if there is none, or more than one */
function fieldNamed(label: string, fields: readonly BatchField[] | undefined): BatchField {
  const lower = label.toLowerCase();
  const exact = fields?.filter(({ name }) => name === label) ?? [];
  const named =
    exact.length > 0
      ? exact
      : (fields?.filter(({ name, title }) => [name.toLowerCase(), title.toLowerCase()].includes(lower)) ?? []);
  const [field, other] = named;
  if (field === undefined) {
    const known = fields?.slice(0, MAX_NAMES).map(({ name }) => name) ?? [`${SUBJECT}<field>`];
    throw new FileFault(`The column "${label}" is unknown; the columns are email, expiration, ${known.join(', ')}.`);
  }
  if (other !== undefined)
    throw new FileFault(`The column "${label}" may be the field ${field.name} or ${other.name}: name it so.`);
  return field;
}

/** Most names of fields in a sentence. */
const MAX_NAMES = 50;

/** The names of the columns of a file for a credential with these fields: titles, where they say which field is meant. */
export function labelsOf(fields: readonly BatchField[]): string[] {
  const isOf = (label: string, field: BatchField): boolean => {
    try {
      const { is, path } = columnOf(label, fields);
      return label !== '' && is === 'field' && path.join('.') === field.name;
    } catch {
      return false;
    }
  };
  const labelOf = (field: BatchField): string =>
    [field.title, field.name].find((label) => isOf(label, field)) ?? SUBJECT + field.name;
  return ['E-mail', ...fields.map(labelOf), 'Expiration'];
}

/** Reads the cells of a row. An empty one means that the field is absent. */
export function rowOf(columns: readonly BatchColumn[], { rowKey, cells }: BatchRecord): BatchFileRow | BatchFileFault {
  const email = cells[columns.findIndex(({ is }) => is === 'email')]?.trim() ?? '';
  const row: BatchFileRow = { rowKey, email, credentialSubject: emptyObject() };
  const fault = (message: string): BatchFileFault => ({ rowKey, email, message });
  if (email === '') return fault('The address is missing.');
  for (const [place, column] of columns.entries()) {
    const message = take(row, column, cells[place]?.trim() ?? '');
    if (message !== undefined) return fault(message);
  }
  const size = new TextEncoder().encode(JSON.stringify(row)).length;
  return size > MAX_ROW_BYTES ? fault(`The row has more than ${MAX_ROW_BYTES} bytes.`) : row;
}

/** Adds a cell to a row. @returns its fault, if it has one */
function take(row: BatchFileRow, { label, is, path, type }: BatchColumn, cell: string): string | undefined {
  if (cell === '' || is === 'email') return undefined;
  try {
    if (is === 'expiration') row.expiresAt = expiryOf(cell);
    else put(row.credentialSubject, path, valueOfCell(cell, type));
    return undefined;
  } catch (error) {
    if (error instanceof CellFault) return `"${label}" ${error.message}.`;
    return (error as Error).message;
  }
}
