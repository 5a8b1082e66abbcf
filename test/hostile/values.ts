// Values that strangers send: what fits, what nearly fits, and what nobody should.
import fc from 'fast-check';

/** A JSON Schema as zod prints it, or GraphQL's types are turned into; what is not named here is any JSON value. */
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

const scalars: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  integer: fc.oneof(fc.integer({ min: -2, max: 120 }), fc.constantFrom(2 ** 31, -(2 ** 53), 1e21)),
  number: fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })),
  boolean: fc.boolean(),
  null: fc.constant(null),
};

/** Texts: names of things that are there most of the time, else hostile or random ones. */
export const texts = (names: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(...names) },
    { weight: 2, arbitrary: fc.constantFrom(...HOSTILE) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  );

/** Values of a shape, where one place in ten holds something of another shape. */
export function valuesOf(shape: Shape, names: readonly string[]): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 9, arbitrary: fitting(shape, names) },
    { weight: 1, arbitrary: fc.oneof(fc.jsonValue({ maxDepth: 3 }), texts(names), fc.constant({ $gt: '' })) },
  );
}

function fitting(shape: Shape, names: readonly string[]): fc.Arbitrary<unknown> {
  if (shape.const !== undefined) return fc.constant(shape.const);
  if (shape.enum !== undefined) return fc.constantFrom(...shape.enum);
  const choices = shape.anyOf ?? shape.oneOf ?? shape.allOf;
  if (choices !== undefined) return fc.oneof(...choices.map((choice) => valuesOf(choice, names)));
  if (shape.type === 'object') return objectsOf(shape, names);
  if (shape.type === 'array') return fc.array(valuesOf(shape.items ?? {}, names), { maxLength: 4 });
  if (shape.type === 'string') return texts(names);
  return scalars[shape.type ?? ''] ?? fc.jsonValue({ maxDepth: 3 });
}

function objectsOf(
  { properties = {}, required = [], additionalProperties }: Shape,
  names: readonly string[],
): fc.Arbitrary<unknown> {
  const members = Object.fromEntries(Object.entries(properties).map(([name, shape]) => [name, valuesOf(shape, names)]));
  const some = fc.record(members, { requiredKeys: [] });
  const whole = fc.record(members, { requiredKeys: [...required] });
  const others = typeof additionalProperties === 'object' ? additionalProperties : {};
  const loose = fc.dictionary(texts([...names, 'constructor']), valuesOf(others, names), { maxKeys: 3 });
  const isOpen = Object.keys(properties).length === 0;
  return isOpen ? loose : fc.oneof({ weight: 6, arbitrary: whole }, { weight: 3, arbitrary: some }, loose);
}
