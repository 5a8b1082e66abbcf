// The types of the condition language (contract §8): eleven comparison operators over one field.

/** A literal as in JSON; dates and date-times are texts in ISO 8601. */
export type Literal = string | number | boolean;

/** The operators, by the names of the network's circuits, in the order of the contract. */
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

/** Operators that need an order. */
export const ORDERING: ReadonlySet<Operator> = new Set(['$lt', '$lte', '$gt', '$gte', '$between', '$nonbetween']);

/** A parsed condition: `values` has one literal, the members of a list, the two bounds of a range, or nothing for `$exists`. */
export interface Condition {
  /** The name of the data point, with dots if nested. */
  field: string;
  operator: Operator;
  values: Literal[];
}

/**
 * An invalid condition: the fault, and its position in the text (0-based; for errors of meaning, the field's position).
 */
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

/** Whether a text has the form of a date, and the day exists. */
export function isIsoDate(text: string): boolean {
  if (!ISO_DATE.test(text)) return false;
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  // 2023-02-30 is parsed as 2 March, so the result must be the same day.
  return (
    !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text.slice(0, 10)) && !Number.isNaN(Date.parse(text))
  );
}

/** The moment of a date or date-time, in ms since 1970 UTC, finer digits dropped; undefined for any other text. */
export function momentOf(text: string): number | undefined {
  return isIsoDate(text) ? Date.parse(text.replace(/(\.\d{3})\d+/, '$1')) : undefined;
}
