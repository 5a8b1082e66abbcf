// Points: values in the form that their family compares (contract §12, §13). Two values are equal when their points are.
import canonicalize from 'canonicalize';
import type { Family } from '../common/data-types.js';
import { parseRelativeDate, resolveRelativeDate } from './relative-date.js';
import { type Literal, momentOf } from './types.js';

/** A number; ms since 1970 UTC of a date; a boolean; a text in NFC; the RFC 8785 text of anything else. Never NaN, an infinity or −0. */
export type Point = number | boolean | string;

const finite = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value + 0 : undefined;

const POINTS: Readonly<Record<Family, (value: unknown) => Point | undefined>> = {
  number: finite,
  date: (value) => (typeof value === 'string' ? momentOf(value) : undefined),
  boolean: (value) => (typeof value === 'boolean' ? value : undefined),
  text: (value) => (typeof value === 'string' ? value.normalize('NFC') : undefined),
  json: (value) => canonicalize(value),
};

/** A value's point in a family; undefined for a value outside it. */
export function pointOf(family: Family, value: unknown): Point | undefined {
  return POINTS[family](value);
}

/** A literal's point in a family at `now` (ms); undefined for a literal outside it. */
export function literalPoint(family: Family, literal: Literal, now: number): Point | undefined {
  const relative = family === 'date' && typeof literal === 'string' ? parseRelativeDate(literal) : undefined;
  return relative ? resolveRelativeDate(relative, now) : pointOf(family, literal);
}

/** The literal of a point, the same for all its spellings. */
export function literalOf(family: Family, point: Point, spelled: Literal): Literal {
  if (family === 'json') return spelled;
  return family === 'date' ? (dateText(Number(point)) ?? spelled) : point;
}

/** A date for midnight, otherwise a date-time; undefined outside the years 0000 to 9999. */
export function dateText(ms: number): string | undefined {
  const text = new Date(ms).toISOString();
  if (text.length !== 24) return undefined;
  return text.endsWith('T00:00:00.000Z') ? text.slice(0, 10) : text;
}
