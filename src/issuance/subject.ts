// Checks a credentialSubject (contract §5): against its schema's data points, naming missing, extra and wrongly typed fields, and whether it
// has canonical JSON (RFC 8785), so that it can be signed.

import { badInput, badSubject } from '../base/errors.js';
import { isJsonObject, type JsonObject } from '../base/json/json-object.js';
import type { DataPoint } from '../catalog/rows/models.js';
import { type Family, isIsoDate, type TypeInfo, typeInfoOf } from '../conditions/index.js';

/** The two forms of dates: a date has ten characters, a date-time more. */
const FORMS = { date: (text: string) => text.length === 10, 'date-time': (text: string) => text.length > 10 } as const;

const FAMILIES: Readonly<Record<Exclude<Family, 'json'>, (value: unknown, info: TypeInfo) => boolean>> = {
  number: (value, { whole }) => (whole ? Number.isSafeInteger(value) : typeof value === 'number'),
  date: (value, { form = 'date' }) => typeof value === 'string' && FORMS[form](value) && isIsoDate(value),
  boolean: (value) => typeof value === 'boolean',
  text: (value) => typeof value === 'string',
};

/** Labels of types whose values are lists or objects. */
const STRUCTURES = new Map<string, (value: unknown) => boolean>([
  ['object', isJsonObject],
  ['array', Array.isArray],
]);

/** A label without a known meaning accepts every value. */
function fitsLabel(label: string, value: unknown): boolean {
  const info = typeInfoOf(label);
  if (info.family !== 'json') return FAMILIES[info.family](value, info);
  return STRUCTURES.get(label.toLowerCase())?.(value) ?? true;
}

/**
 * @param hasDocument whether the schema has a document. If so, the document decides about null, lists, objects and
 * types without a known meaning.
 */
function fits(type: string, value: unknown, hasDocument: boolean): boolean {
  if (hasDocument && (value === null || typeInfoOf(type).family === 'json')) return true;
  if (type.endsWith('[]')) return Array.isArray(value) && value.every((item) => fits(type.slice(0, -2), item, false));
  return fitsLabel(type, value);
}

interface Fault {
  name: string;
  /** The sentence about the field, without its name. */
  says: string;
}

/** How values of these types are written, which their names do not say. */
const EXAMPLES = new Map([
  ['date', ', such as 2030-12-31'],
  ['date-time', ', such as 2030-12-31T12:00:00Z'],
  ['datetime', ', such as 2030-12-31T12:00:00Z'],
]);
/** Levels of objects and lists in a subject. */
const MAX_DEPTH = 32;
/** The most faults that a message lists. */
const MAX_FAULTS = 20;
const MAX_NAME = 100;
const PLAIN_NAME = /^[\w.$@:-]+$/;
const HALF_A_PAIR = /\p{Surrogate}/u;

/**
 * The subject, if it fits. A name with a dot is a nested field. If the schema has a document, that decides whether
 * subjects fit, and where null or a value other than an object is allowed.
 * @throws DomainError BAD_USER_INPUT naming every field that is missing, extra, of another type, or impossible to sign.
 */
export function checkSubject(
  subject: unknown,
  dataPoints: readonly DataPoint[],
  { hasDocument = false } = {},
): JsonObject {
  if (!isJsonObject(subject)) throw badInput('"credentialSubject" must be an object.', 'credentialSubject');
  const unsigned = unsignable(subject);
  const faults = unsigned ? [unsigned] : misfits(subject, dataPoints, hasDocument);
  const [first] = faults;
  if (first === undefined) return subject;
  const sentences = faults.slice(0, MAX_FAULTS).map(({ name, says }) => `${shortName(name)} ${says}`);
  const field = `credentialSubject.${first.name.slice(0, MAX_NAME)}`;
  throw badSubject(`"credentialSubject" does not fit the schema: ${sentences.join('; ')}.`, field);
}

function misfits(subject: JsonObject, dataPoints: readonly DataPoint[], hasDocument: boolean): Fault[] {
  const points = new Map(dataPoints.map((point) => [point.name, point]));
  const names = new Set<string>();
  /** Paths of values that are not objects although there are data points below them. */
  const others: string[] = [];
  const faults: Fault[] = [];
  const visit = (value: JsonObject, prefix: string): void => {
    for (const [key, inner] of Object.entries(value)) {
      const name = prefix + key;
      const point = key.includes('.') && !hasDocument ? undefined : points.get(name);
      // `id` is the holder's DID, which the signer sets, even if the schema has a data point below it.
      if (name === 'id') faults.push({ name, says: 'is not a data point' });
      else if (point) {
        names.add(name);
        if (!fits(point.type, inner, hasDocument))
          faults.push({ name, says: `must be of type ${point.type}${EXAMPLES.get(point.type.toLowerCase()) ?? ''}` });
      } else if (isJsonObject(inner) && hasBelow(points, name)) visit(inner, `${name}.`);
      else if (hasDocument && hasBelow(points, name)) others.push(`${name}.`);
      else faults.push({ name, says: 'is not a data point' });
    }
  };
  visit(subject, '');
  for (const { name, isRequired } of dataPoints)
    if (isRequired && !names.has(name) && !others.some((other) => name.startsWith(other)))
      faults.push({ name, says: 'is missing' });
  return faults;
}

/** The first part of a subject without a canonical form. Not recursive, because a body may be nested very deeply. */
function unsignable(subject: JsonObject): Fault | undefined {
  const queue: { name: string; value: unknown; depth: number }[] = [{ name: '', value: subject, depth: 0 }];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const { name, value, depth } = next;
    if (typeof value === 'number' && !Number.isFinite(value)) return { name, says: 'is larger than a number can be' };
    if (typeof value === 'string' && HALF_A_PAIR.test(value)) return { name, says: 'is not well-formed Unicode' };
    if (typeof value !== 'object' || value === null) continue;
    if (depth === MAX_DEPTH) return { name, says: `is nested deeper than ${MAX_DEPTH} levels` };
    for (const [key, inner] of Object.entries(value)) {
      const below = name === '' ? key : `${name.slice(0, MAX_NAME)}.${key}`;
      if (HALF_A_PAIR.test(key)) return { name: below, says: 'is not well-formed Unicode' };
      queue.push({ name: below, value: inner, depth: depth + 1 });
    }
  }
  return undefined;
}

/** A name, shortened for a sentence. */
function shortName(name: string): string {
  const short = name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
  return PLAIN_NAME.test(short) ? short : JSON.stringify(short);
}

function hasBelow(points: ReadonlyMap<string, DataPoint>, name: string): boolean {
  for (const key of points.keys()) if (key.startsWith(`${name}.`)) return true;
  return false;
}
