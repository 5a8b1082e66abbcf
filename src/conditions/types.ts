// The condition language's shapes (contract §8): eleven comparison operators over one field.

/** A literal as JSON has it; dates and date-times are texts in ISO 8601. */
export type Literal = string | number | boolean;

/** The operators, by the names of the network's circuits, in the order the contract lists them. */
export const OPERATORS = [
  '$eq',
  '$ne',
  '$lt',
  '$lte',
  '$gt',
  '$gte',
  '$in',
  '$nin',
  '$between',
  '$nonbetween',
  '$exists',
] as const;
export type Operator = (typeof OPERATORS)[number];

/** Operators that ask for an order. */
export const ORDERING: ReadonlySet<Operator> = new Set(['$lt', '$lte', '$gt', '$gte', '$between', '$nonbetween']);

/** A parsed condition: `values` holds one literal, the members of a list, the two bounds of a range, or nothing for `$exists`. */
export interface Condition {
  /** Data point it is about, dotted when nested. */
  field: string;
  operator: Operator;
  values: Literal[];
}

/** A condition that does not hold together: what is wrong, and where in its text (0-based; the field's place for faults of meaning). */
export class ConditionSyntaxError extends Error {
  override readonly name = 'ConditionSyntaxError';
  constructor(
    message: string,
    readonly position: number,
  ) {
    super(message);
  }
}

/** ISO 8601: a date, or a date-time with seconds and a zone. */
export const ISO_DATE = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** Whether a text has the form of a date and names a real one. */
export function isIsoDate(text: string): boolean {
  if (!ISO_DATE.test(text)) return false;
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  // 2023-02-30 is read as 2 March: the same day must come back.
  return (
    !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text.slice(0, 10)) && !Number.isNaN(Date.parse(text))
  );
}

/** The moment that a date or date-time names, in ms since 1970 UTC, finer digits dropped; undefined for what is none. */
export function momentOf(text: string): number | undefined {
  return isIsoDate(text) ? Date.parse(text.replace(/(\.\d{3})\d+/, '$1')) : undefined;
}
