// Random BSON values for property tests, and documents as the engine sees them.
import { Binary, BSONRegExp, Code, Decimal128, Double, Int32, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'bson';
import fc from 'fast-check';
import { decode, toBytes } from '../../../src/engine/bson/codec.js';
import type { Doc } from '../../../src/engine/bson/types.js';

/** A document as it would arrive over the wire: numbers become Int32 or Double. */
export function doc(plain: object): Doc {
  return decode(toBytes(plain as Doc));
}

/** A single value as it would arrive over the wire. */
export function value(plain: unknown): unknown {
  return doc({ v: plain }).v;
}

/**
 * Numbers of all four types, especially near the values where the types differ: zeros, 2^53, 2^63, fractions, extremes,
 * NaN.
 */
export const numbers: fc.Arbitrary<unknown> = fc.oneof(
  fc.integer({ min: -3, max: 3 }).map((n) => new Int32(n)),
  fc.integer({ min: -3, max: 3 }).map((n) => Long.fromNumber(n)),
  fc.integer({ min: -6, max: 6 }).map((n) => new Double(n / 2)),
  fc.integer({ min: -30, max: 30 }).map((n) => Decimal128.fromString(`${n}E-1`)),
  fc.integer().map((n) => new Int32(n | 0)),
  fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n }).map((n) => Long.fromBigInt(n)),
  fc.integer({ min: -2, max: 2 }).map((n) => Long.fromBigInt((1n << 53n) + BigInt(n))),
  fc.integer({ min: -2, max: 2 }).map((n) => new Double(2 ** 53 + n)),
  fc.double().map((n) => new Double(n)),
  fc
    .tuple(fc.bigInt({ min: -(10n ** 34n) + 1n, max: 10n ** 34n - 1n }), fc.integer({ min: -6176, max: 6111 }))
    .map(([digits, exponent]) => Decimal128.fromString(`${digits}E${exponent}`)),
  fc
    .constantFrom('NaN', 'Infinity', '-Infinity', '0', '-0', '0.1', '1E-6176', '-1E-6176', '9007199254740993', '1E+400')
    .map((text) => Decimal128.fromString(text)),
);

const strings = fc.oneof(
  fc.string({ maxLength: 4 }),
  fc.constantFrom('', 'a', 'a\0', 'a\0b', 'ab', '\uffff', '😀', 'é'),
);

const scalars: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: numbers },
  { weight: 3, arbitrary: strings },
  fc.constantFrom<unknown>(null, true, false, new MinKey(), new MaxKey()),
  fc.integer({ min: -5, max: 5 }).map((n) => new Date(n * 1000)),
  fc.constantFrom('000000000000000000000001', 'ffffffffffffffffffffffff').map((hex) => new ObjectId(hex)),
  fc.tuple(fc.uint8Array({ maxLength: 3 }), fc.constantFrom(0, 4, 128)).map(([bytes, type]) => new Binary(bytes, type)),
  fc.tuple(fc.nat(3), fc.nat(3)).map(([t, i]) => new Timestamp({ t, i })),
  fc.tuple(fc.constantFrom('a', 'ab'), fc.constantFrom('', 'i')).map(([p, o]) => new BSONRegExp(p, o)),
  fc.constantFrom('x', 'y').map((code) => new Code(code)),
  fc.constantFrom('x', 'y').map((code) => new Code(code, { a: new Int32(1) })),
);

/** Any value: scalars of every type, and small documents and arrays of them. */
export const values: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 2, depthSize: 'small' },
    { weight: 5, arbitrary: scalars },
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'ab', '__proto__'), tie('value'), { maxKeys: 3 }),
  ),
})).value;
