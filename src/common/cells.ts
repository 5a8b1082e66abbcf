// A cell of a spreadsheet as a value of its field's type.
import { typeInfoOf } from './data-types.js';
import { isExact } from './exact-number.js';
import { isDeeperThan, isWellFormed } from './json-value.js';
import { NAMES_PROTOTYPE, namesPrototype } from './prototype-names.js';

/** What is wrong with a cell: the end of a sentence that begins with its column. */
export class CellFault extends Error {}

/** Most levels of JSON in a cell: the gateway refuses whole requests with more than 128. */
const MAX_LEVELS = 100;

/**
 * The value of a cell that is not empty.
 * @param type the label of its field's type; undefined for a field that is not known: the cell is JSON
 * @throws CellFault
 */
export function valueOfCell(cell: string, type: string | undefined): unknown {
  const { family, whole, form } = typeInfoOf(type ?? 'json');
  if (family === 'json') return jsonOfCell(cell);
  const text = textOfCell(cell);
  if (family === 'boolean') return booleanOf(text);
  if (family === 'number') return numberOf(text, whole === true);
  if (family === 'text') return text;
  return form === 'date' ? dateOf(text) : momentOf(text);
}

/** The moment at which a credential expires, in UTC: of a date its beginning. @throws CellFault */
export const expiryOf = (cell: string): string =>
  new Date(cell.includes(':') && !MIDNIGHT.test(cell) ? momentOf(cell) : dateOf(cell)).toISOString();

/** A text; one with the quotes of JSON is read as JSON. @throws CellFault */
function textOfCell(cell: string): string {
  const text = unquoted(cell);
  if (!isWellFormed(text)) throw new CellFault(NOT_UNICODE);
  return text;
}

function unquoted(cell: string): string {
  if (!cell.startsWith('"')) return cell;
  try {
    const value: unknown = JSON.parse(cell);
    return typeof value === 'string' ? value : cell;
  } catch {
    return cell;
  }
}

/** As spreadsheets write them in English, German, French, Spanish and Italian, and as people do. */
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['true', 'yes', 'wahr', 'vrai', 'verdadero', 'vero'].map((word) => [word, true] as const),
  ...['false', 'no', 'falsch', 'faux', 'falso'].map((word) => [word, false] as const),
]);

function booleanOf(text: string): boolean {
  const value = BOOLEANS.get(text.toLowerCase());
  if (value === undefined) throw new CellFault('must be true or false');
  return value;
}

const NUMBER = /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const DECIMAL_COMMA = /^-?\d+,\d+$/;

function numberOf(text: string, isWhole: boolean): number {
  // Three digits after a comma are thousands in one country, and a fraction in another.
  if (/^-?\d{1,3},\d{3}$/.test(text)) throw new CellFault('has a comma that may be for thousands or for a fraction');
  const literal = DECIMAL_COMMA.test(text) ? text.replace(',', '.') : text;
  if (!NUMBER.test(literal)) throw new CellFault(isWhole ? 'must be a whole number' : 'must be a number');
  if (!isExact(literal)) throw new CellFault('has more digits than a number can hold');
  const value = Number(literal);
  if (isWhole && !Number.isSafeInteger(value)) throw new CellFault('must be a whole number');
  return value;
}

const MIDNIGHT = /[T ]00:00(?::00(?:\.0+)?)?$/;

/** The day of `2030-12-31`, `2030/12/31`, `31.12.2030`, and of `12/31/2030` unless day and month may be exchanged. */
function dateOf(cell: string): string {
  const text = cell.replace(MIDNIGHT, '');
  const iso = /^(\d{4})[-/](\d{1,2})[-/](\d{1,2})$/.exec(text);
  if (iso) return dayOf(iso[1], iso[2], iso[3]);
  const dots = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(text);
  if (dots) return dayOf(dots[3], dots[2], dots[1]);
  const [, first, second, year] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text) ?? [];
  if (first === undefined) throw new CellFault('must be a date, such as 2030-12-31');
  const [a, b] = [Number(first), Number(second)];
  if (a <= 12 && b <= 12 && a !== b)
    throw new CellFault('is a date whose day and month may be exchanged; write it as 2030-12-31');
  return a > 12 ? dayOf(year, second, first) : dayOf(year, first, second);
}

function dayOf(year = '', month = '', day = ''): string {
  const text = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const time = Date.parse(`${text}T00:00:00Z`);
  // 2023-02-30 is parsed as 2 March, so the result must be the same day.
  if (Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== text)
    throw new CellFault('is a day that does not exist');
  return text;
}

const MOMENT = /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}:\d{2})(:\d{2})?(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/;

/** A date-time with its zone, as ISO 8601 has it; the seconds may be left out. */
function momentOf(cell: string): string {
  const [isMoment, year, month, day, minute = '', second = ':00', fraction = '', zone = ''] = MOMENT.exec(cell) ?? [];
  if (isMoment === undefined)
    throw new CellFault('must be a date, or a date-time with its zone, such as 2030-12-31T12:00:00Z');
  const text = `${dayOf(year, month, day)}T${minute}${second}${fraction}${zone.toUpperCase()}`;
  if (Number.isNaN(Date.parse(text))) throw new CellFault('is a time that does not exist');
  return text;
}

const NOT_UNICODE = 'has a text that is not Unicode: half of a surrogate pair';
const NUMBERS = /-?\d[\d.]*(?:[eE][+-]?\d+)?/g;
const TEXTS = /"[^"\\]*(?:\\.[^"\\]*)*"/gs;

function jsonOfCell(cell: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(cell);
  } catch {
    throw new CellFault('must be JSON; texts need quotes of their own: "…"');
  }
  const inexact = cell
    .replace(TEXTS, '""')
    .match(NUMBERS)
    ?.find((literal) => !isExact(literal));
  if (inexact !== undefined)
    throw new CellFault(`has the number ${inexact.slice(0, 40)}, which cannot be held exactly; write it as a text`);
  if (isDeeperThan(value, MAX_LEVELS)) throw new CellFault(`is nested more than ${MAX_LEVELS} levels deep`);
  if (namesPrototype(value)) throw new CellFault(NAMES_PROTOTYPE);
  if (!isWellFormed(value)) throw new CellFault(NOT_UNICODE);
  return value;
}
