// Values that strangers may send: valid ones, almost valid ones, and hostile ones.
import fc from 'fast-check';
import { NOUNS } from './nouns.js';

/**
 * A JSON Schema as zod writes it, or as GraphQL's types are converted to it. Keywords that are not listed here allow
 * any JSON value.
 */
export interface Shape {
  type?: string;
  const?: unknown;
  enum?: readonly unknown[];
  anyOf?: readonly Shape[];
  oneOf?: readonly Shape[];
  allOf?: readonly Shape[];
  properties?: Readonly<Record<string, Shape>>;
  required?: readonly string[];
  additionalProperties?: boolean | Shape;
  items?: Shape;
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
}

const HOSTILE = [
  '',
  ' ',
  '\u0000',
  '\u202e',
  '\ud800',
  'é'.normalize('NFD'),
  '../../etc/passwd',
  '__proto__',
  'constructor',
  '$where',
  'a.b.$[]',
  '{"$gt":""}',
  'null',
  'NaN',
  '%00',
  '%',
  'x'.repeat(5_000),
  '-0',
  '9'.repeat(400),
  '2024-02-30',
  '9999-12-31T23:59:59.999Z',
  'did:key:z',
  'https://169.254.169.254/',
  'Q3JlZGVudGlhbDpub25l',
] as const;

/** Names of every kind, for members whose own name says nothing about their value. */
const NAMES = [...new Set(Object.values(NOUNS).flat())].filter((noun): noun is string => typeof noun === 'string');

/** Texts: most often names of existing records, otherwise hostile or random ones. */
export const texts: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...NAMES) },
  { weight: 2, arbitrary: fc.constantFrom(...HOSTILE) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
);

/** Values of any shape, most often of a wrong one. */
export const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  texts,
  fc.constantFrom({ $gt: '' }, -1, 2 ** 31, -(2 ** 53), 1e21, '9'.repeat(400)),
);

/** How values are drawn. With `slips`, one value in ten is wrong. */
export interface Draw {
  slips: boolean;
  /** The key in NOUNS for a member's name (nouns.ts). */
  nounOf(name: string): string;
}

/** Values of a shape. @param noun the name of the member that has the value */
export function valuesOf(shape: Shape, draw: Draw, noun = ''): fc.Arbitrary<unknown> {
  const fit = fitting(shape, draw, noun);
  return draw.slips ? fc.oneof({ weight: 9, arbitrary: fit }, { weight: 1, arbitrary: junk }) : fit;
}

/** The member for the seconds that a response may take. It gets only small values: large ones would prove no more. */
const SLOW = 'wait';

function fitting(shape: Shape, draw: Draw, noun: string): fc.Arbitrary<unknown> {
  if (shape.const !== undefined) return fc.constant(shape.const);
  if (shape.enum !== undefined) return fc.constantFrom(...shape.enum);
  if (shape.type === 'array') return fc.array(valuesOf(shape.items ?? {}, draw, noun), { maxLength: 4 });
  const choices = shape.anyOf ?? shape.oneOf ?? shape.allOf;
  if (choices !== undefined) return fc.oneof(...choices.map((choice) => valuesOf(choice, draw, noun)));
  const plain = plainOf(shape, draw);
  const nouns = shape.type === 'null' ? undefined : NOUNS[noun];
  if (nouns === undefined) return plain;
  return fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...nouns) },
    { weight: noun === SLOW ? 0 : 1, arbitrary: plain },
  );
}

function plainOf(shape: Shape, draw: Draw): fc.Arbitrary<unknown> {
  if (shape.type === 'object') return objectsOf(shape, draw);
  if (shape.type === 'string') return textsOf(shape);
  if (shape.type === 'integer') return integersOf(shape);
  if (shape.type === 'number') return fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
  if (shape.type === 'boolean') return fc.boolean();
  return shape.type === 'null' ? fc.constant(null) : fc.jsonValue({ maxDepth: 3 });
}

/** Mostly small integers, because they stand for pages and amounts. */
function integersOf({ minimum = -2, maximum = 2 ** 31 - 1 }: Shape): fc.Arbitrary<number> {
  return fc.integer({ min: minimum, max: Math.min(maximum, Math.max(minimum, 0) + 100) });
}

const FORMATS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  uuid: fc.uuid(),
  'date-time': fc
    .date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') })
    .map((at) => at.toISOString()),
};

/** Patterns that fast-check cannot generate texts for: those that look ahead, and those with Unicode classes. */
const UNDRAWABLE = /\(\?[=!<]|\\p/;

function textsOf({ format = '', pattern, maxLength = 2_000 }: Shape): fc.Arbitrary<string> {
  const formatted = FORMATS[format];
  if (formatted !== undefined) return formatted;
  if (pattern !== undefined && !UNDRAWABLE.test(pattern)) return fc.stringMatching(new RegExp(pattern));
  return texts.map((text) => text.slice(0, maxLength));
}

function objectsOf({ properties = {}, required = [], additionalProperties }: Shape, draw: Draw): fc.Arbitrary<unknown> {
  const members = Object.fromEntries(
    Object.entries(properties).map(([name, shape]) => [name, valuesOf(shape, draw, draw.nounOf(name))]),
  );
  const whole = wholeOf(members, required);
  const others = typeof additionalProperties === 'object' ? additionalProperties : {};
  const loose = fc.dictionary(fc.oneof(texts, fc.constant('constructor')), valuesOf(others, draw), { maxKeys: 3 });
  if (Object.keys(properties).length === 0) return loose;
  if (!draw.slips) return whole;
  const some = fc.record(members, { requiredKeys: [] });
  return fc.oneof({ weight: 6, arbitrary: whole }, { weight: 3, arbitrary: some }, { weight: 1, arbitrary: loose });
}

/**
 * Objects with the required members: alone, with some of the others, or with one of them. Often exactly one of several
 * members is expected, such as an address or an id.
 */
function wholeOf(members: Record<string, fc.Arbitrary<unknown>>, required: readonly string[]): fc.Arbitrary<unknown> {
  const needed = Object.fromEntries(required.flatMap((name) => (members[name] ? [[name, members[name]]] : [])));
  const any = fc.record(members, { requiredKeys: Object.keys(needed) });
  const others = Object.entries(members).filter(([name]) => needed[name] === undefined);
  if (others.length === 0) return any;
  const withOne = fc.oneof(...others.map(([name, values]) => fc.record({ ...needed, [name]: values })));
  return fc.oneof(fc.record(needed), withOne, any);
}

type Json = Record<string, unknown>;

/**
 * Values like an example. A member whose name is in NOUNS gets one of those values; the others get the example's value.
 */
export function like(example: unknown, nounOf: Draw['nounOf'], noun = ''): fc.Arbitrary<unknown> {
  if (Array.isArray(example)) return fc.tuple(...example.map((item) => like(item, nounOf, noun)));
  const nouns = NOUNS[noun];
  if (nouns !== undefined) return fc.constantFrom(...nouns);
  if (typeof example !== 'object' || example === null) return fc.constant(example);
  return fc.record(
    Object.fromEntries(
      Object.entries(example as Json).map(([name, value]) => [name, like(value, nounOf, nounOf(name))]),
    ),
  );
}

/** A value in which one part is replaced by a wrong one. */
export function spoilt(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.tuple(values, fc.nat(), junk).map(([value, at, wrong]) => {
    const places = placesIn(value);
    return replacedAt(value, places[at % places.length] ?? [], wrong);
  });
}

/** Paths to all parts of a value, including the value itself. */
function placesIn(value: unknown, path: string[] = []): string[][] {
  const inside = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return [path, ...inside.flatMap(([name, member]) => placesIn(member, [...path, name]))];
}

function replacedAt(value: unknown, [first, ...rest]: readonly string[], wrong: unknown): unknown {
  if (first === undefined) return wrong;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as Json) }) as Json;
  copy[first] = replacedAt(copy[first], rest, wrong);
  return copy;
}
