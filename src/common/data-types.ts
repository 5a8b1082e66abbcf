// The table of data point types: it defines how literals and subjects are checked, and how values are encoded (contract §12).

/** How values of a type compare, and how they are encoded (contract §12). `json` has every value that no other family has. */
export type Family = 'number' | 'date' | 'boolean' | 'text' | 'json';

/** The properties of a type. */
export interface TypeInfo {
  family: Family;
  /** Values are whole numbers. */
  whole?: true;
  /** Values are only dates, or only date-times. */
  form?: 'date' | 'date-time';
}

const WHOLE: TypeInfo = { family: 'number', whole: true };
const NUMBER: TypeInfo = { family: 'number' };
const BOOLEAN: TypeInfo = { family: 'boolean' };
const TEXT: TypeInfo = { family: 'text' };
const DATE: TypeInfo = { family: 'date', form: 'date' };
const DATE_TIME: TypeInfo = { family: 'date', form: 'date-time' };
const JSON_VALUE: TypeInfo = { family: 'json' };

/** The known types; case does not matter. Other networks have other types. */
const TYPES: ReadonlyMap<string, TypeInfo> = new Map([
  ['integer', WHOLE],
  ['int', WHOLE],
  ['long', WHOLE],
  ['number', NUMBER],
  ['float', NUMBER],
  ['double', NUMBER],
  ['decimal', NUMBER],
  ['boolean', BOOLEAN],
  ['bool', BOOLEAN],
  ['string', TEXT],
  ['text', TEXT],
  ['date', DATE],
  ['date-time', DATE_TIME],
  ['datetime', DATE_TIME],
]);

/** Types whose values are not compared; `any` and `json` accept every value. */
const OTHER_TYPES: readonly string[] = ['object', 'array', 'any', 'json', 'null'];

/** Every type that a data point of this network may have, alone or as a list: `<type>[]`. */
export const TYPE_LABELS: readonly string[] = [...TYPES.keys(), ...OTHER_TYPES];

/** Whether a label is one of these types, or a list of it. */
export const isTypeLabel = (label: string): boolean =>
  TYPE_LABELS.includes(label.toLowerCase().replace(/(?:\[\])+$/, ''));

/** The properties of a type label; unknown labels and lists are `json`. */
export function typeInfoOf(label: string): TypeInfo {
  return TYPES.get(label.toLowerCase()) ?? JSON_VALUE;
}

/** The family of a label's values. */
export function familyOf(label: string): Family {
  return typeInfoOf(label).family;
}

/** Whether values of the family have an order, which `<`, `between` and similar operators need. */
export function hasOrder(family: Family): boolean {
  return family === 'number' || family === 'date';
}
