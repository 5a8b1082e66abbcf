// The one table of data point types: what a check of literals, a check of subjects and the encoding of §12 understand by a label.

/** How values of a type compare, and how they are encoded (contract §12). `json` is everything that no other family holds. */
export type Family = 'number' | 'date' | 'boolean' | 'text' | 'json';

/** What a type label says. */
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

/** Labels are free; these are understood, in any case. */
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

/** What a label says of its values; an unknown label, and a list of anything, is `json`. */
export function typeInfoOf(label: string): TypeInfo {
  return TYPES.get(label.toLowerCase()) ?? JSON_VALUE;
}

/** The family of a label's values. */
export function familyOf(label: string): Family {
  return typeInfoOf(label).family;
}

/** Whether values of the family have an order: `<`, `between` and the like are about these alone. */
export function hasOrder(family: Family): boolean {
  return family === 'number' || family === 'date';
}
