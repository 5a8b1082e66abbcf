// Random BSON documents that are made as bytes, with everything that some driver may send and that JavaScript has no value for.
import fc from 'fast-check';
import { documentOf } from '../wire/raw-client.js';

/** The type byte of an element and the bytes of its value. */
type Value = readonly [number, Buffer];

const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value | 0);
  return bytes;
};

const int64 = (value: bigint): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(BigInt.asIntN(64, value));
  return bytes;
};

/** An element of a document: its type, name and value. */
export function elementOf(name: string, [type, value]: Value): Buffer {
  return Buffer.concat([Buffer.from([type]), Buffer.from(`${name}\0`), value]);
}

/** A BSON string: its length, its bytes and a null byte. */
export function stringOf(text: Uint8Array): Buffer {
  return Buffer.concat([int32(text.length + 1), text, Buffer.from([0])]);
}

const bytes = (length: number): fc.Arbitrary<Buffer> =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((each) => Buffer.from(each));

const text = fc.oneof(
  fc.string({ maxLength: 6 }),
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.constantFrom('', 'a\0b', '\uffff', '\ufffd', '\ufeffx', '😀', 'é'.repeat(40), 'x'.repeat(70)),
);

/** Texts with lone surrogates cannot be encoded in UTF-8. */
const wellFormed = text.filter((each) => Buffer.from(each).toString() === each);
const cstring = wellFormed.map((each) => Buffer.concat([Buffer.from(each.replaceAll('\0', '')), Buffer.from([0])]));

const longs = fc.oneof(
  fc.bigInt({ min: -(1n << 63n), max: (1n << 63n) - 1n }),
  fc.constantFrom((1n << 63n) - 1n, -(1n << 63n), 8640000000000000n, 8640000000000001n, -8640000000000001n, 0n, -1n),
  fc.bigInt({ min: -(1n << 53n), max: 1n << 53n }),
);

const binary = fc
  .tuple(fc.uint8Array({ maxLength: 5 }), fc.constantFrom(0, 2, 3, 4, 5, 6, 7, 8, 9, 128, 255))
  .map(([data, subtype]) =>
    subtype === 2
      ? Buffer.concat([int32(data.length + 4), Buffer.from([2]), int32(data.length), data])
      : Buffer.concat([int32(data.length), Buffer.from([subtype]), data]),
  );

const scalars: fc.Arbitrary<Value> = fc.oneof(
  bytes(8).map((value): Value => [1, value]),
  fc.double().map((value): Value => {
    const double = Buffer.alloc(8);
    double.writeDoubleLE(value);
    return [1, double];
  }),
  wellFormed.map((value): Value => [2, stringOf(Buffer.from(value))]),
  binary.map((value): Value => [5, value]),
  bytes(12).map((value): Value => [7, value]),
  fc.boolean().map((value): Value => [8, Buffer.from([value ? 1 : 0])]),
  longs.map((value): Value => [9, int64(value)]),
  fc.constant<Value>([10, Buffer.alloc(0)]),
  fc.tuple(cstring, fc.constantFrom('', 'i', 'xi', 'smi')).map(([pattern, options]): Value => {
    return [11, Buffer.concat([pattern, Buffer.from(`${options}\0`)])];
  }),
  wellFormed.map((value): Value => [13, stringOf(Buffer.from(value))]),
  wellFormed.map((value): Value => [14, stringOf(Buffer.from(value))]),
  fc.integer().map((value): Value => [16, int32(value)]),
  longs.map((value): Value => [17, int64(value)]),
  longs.map((value): Value => [18, int64(value)]),
  bytes(16).map((value): Value => [19, value]),
  fc.constantFrom<Value>([0xff, Buffer.alloc(0)], [0x7f, Buffer.alloc(0)]),
);

/** Deprecated types and values that the engine may refuse. */
const odd: fc.Arbitrary<Value> = fc.oneof(
  fc.constantFrom<Value>([6, Buffer.alloc(0)], [8, Buffer.from([2])], [2, stringOf(Buffer.from([0xed, 0xa0, 0x80]))]),
  bytes(12).map((id): Value => [12, Buffer.concat([stringOf(Buffer.from('c')), id])]),
);

const name = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom('a', 'b', 'c', '10', '9', '$id', '$ref', '$db', '', '__proto__', 'constructor'),
  },
  wellFormed.map((each) => each.replaceAll('\0', '')),
);

function withOdd(weight: number): { value: fc.Arbitrary<Value>; fields: fc.Arbitrary<Buffer[]> } {
  const { value, fields } = fc.letrec<{ value: Value; fields: Buffer[] }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      { weight: 6, arbitrary: scalars },
      { weight, arbitrary: odd },
      tie('fields').map((inner): Value => [3, documentOf(inner)]),
      fc
        .array(tie('value'), { maxLength: 3 })
        .map((inner): Value => [4, documentOf(inner.map((each, i) => elementOf(String(i), each)))]),
      fc.tuple(wellFormed, scalars).map(([code, scope]): Value => {
        const inner = Buffer.concat([stringOf(Buffer.from(code)), documentOf([elementOf('s', scope)])]);
        return [15, Buffer.concat([int32(inner.length + 4), inner])];
      }),
    ),
    fields: fc
      .uniqueArray(fc.tuple(name, tie('value')), { maxLength: 4, selector: ([each]) => each })
      .map((pairs) => pairs.map(([each, inner]) => elementOf(each, inner))),
  }));
  return { value, fields };
}

/** The fields of a document that must be returned unchanged. */
export const fields: fc.Arbitrary<Buffer[]> = withOdd(0).fields;

/**
 * Such fields and others that may be refused: with deprecated types, wrong booleans, invalid UTF-8, or the same name
 * twice.
 */
export const oddFields: fc.Arbitrary<Buffer[]> = fc.oneof(
  withOdd(2).fields,
  withOdd(0).fields.map((some) => [...some, ...some.slice(0, 1)]),
);
