// The one table of data point types: the meaning of a label for checks of literals and subjects, and for the encoding of §12.

/** How values of a type compare, and how they are encoded (contract §12). `json` is everything that is in no other family. */
export type Family = 'number' | 'date' | 'boolean' | 'text' | 'json';

/** The meaning of a type label. */
export interface TypeInfo {
  family: Family;
  /** Values are whole numbers. */
  whole?: true;
  /** Values are dates alone, or date-times alone. */
  form?: 'date' | 'date-time';
}

const WHOLE: TypeInfo = { family: 'number', whole: true };
const NUMBER: TypeInfo = { family: 'number' };
const BOOLEAN: TypeInfo = { family: 'boolean' };
const TEXT: TypeInfo = { family: 'text' };
const DATE: TypeInfo = { family: 'date', form: 'date' };
const DATE_TIME: TypeInfo = { family: 'date', form: 'date-time' };
const JSON_VALUE: TypeInfo = { family: 'json' };

/** Types with a meaning, in upper or lower case. Other networks have others. */
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

/** Types of values that are not compared; `any` and `json` take every value. */
const OTHER_TYPES: readonly string[] = ['object', 'array', 'any', 'json', 'null'];

/** Every type that a data point of ours may have, alone or as a list: `<type>[]`. */
export const TYPE_LABELS: readonly string[] = [...TYPES.keys(), ...OTHER_TYPES];

/** Whether a label is one of these types, or a list of it. */
export const isTypeLabel = (label: string): boolean =>
  TYPE_LABELS.includes(label.toLowerCase().replace(/(?:\[\])+$/, ''));

/** The meaning of a label; an unknown label, and a list of anything, is `json`. */
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
