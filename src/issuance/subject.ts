// Checks a credentialSubject against its schema's data points (contract §5): missing, extra and wrongly typed fields are named.
import type { DataPoint } from '../catalog/models.js';
import { isIsoDate } from '../conditions/index.js';
import { badInput } from '../errors.js';

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Type labels that are understood; any other label admits every value. */
const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  integer: (value) => Number.isSafeInteger(value),
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  date: (value) => typeof value === 'string' && value.length === 10 && isIsoDate(value),
  'date-time': (value) => typeof value === 'string' && value.length > 10 && isIsoDate(value),
  object: isObject,
  array: Array.isArray,
};

function fits(type: string, value: unknown): boolean {
  if (type.endsWith('[]')) return Array.isArray(value) && value.every((item) => fits(type.slice(0, -2), item));
  return TYPES[type]?.(value) ?? true;
}

/** Levels of objects in a subject. */
const MAX_DEPTH = 20;

/** @throws DomainError BAD_USER_INPUT naming every field that is missing, extra or of another type. */
export function checkSubject(subject: unknown, dataPoints: readonly DataPoint[]): Json {
  if (!isObject(subject)) throw badInput('"credentialSubject" must be an object.', 'credentialSubject');
  const points = new Map(dataPoints.map((point) => [point.name, point]));
  const found = new Set<string>();
  const faults: string[] = [];
  const visit = (value: Json, prefix: string, depth: number): void => {
    for (const [key, inner] of Object.entries(value)) {
      const name = prefix + key;
      const point = points.get(name);
      if (point) {
        found.add(name);
        if (!fits(point.type, inner)) faults.push(`${name} must be of type ${point.type}`);
      } else if (isObject(inner) && depth < MAX_DEPTH && hasBelow(points, name)) visit(inner, `${name}.`, depth + 1);
      else faults.push(`${name} is not a data point`);
    }
  };
  visit(subject, '', 0);
  for (const { name, isRequired } of dataPoints) if (isRequired && !found.has(name)) faults.push(`${name} is missing`);
  const [first] = faults;
  if (first === undefined) return subject;
  throw badInput(
    `"credentialSubject" does not fit the schema: ${faults.slice(0, 20).join('; ')}.`,
    `credentialSubject.${first.split(' ')[0]}`,
  );
}

function hasBelow(points: ReadonlyMap<string, DataPoint>, name: string): boolean {
  for (const key of points.keys()) if (key.startsWith(`${name}.`)) return true;
  return false;
}
