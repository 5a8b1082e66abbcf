// Encodes and decodes BSON: no value changes its type, and no field name reaches a prototype.
import { calculateObjectSize, DBRef, Double, Int32, ObjectId, serialize } from 'bson';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, toBytes } from '../../../src/engine/bson/codec.js';
import { identicalValues } from '../../../src/engine/bson/compare.js';
import { collectPath, getPath } from '../../../src/engine/bson/paths.js';
import { isDocument } from '../../../src/engine/bson/types.js';
import { doc, values } from './values.js';

describe('the codec', () => {
  it('the codec returns the same bytes for any document', () => {
    fc.assert(
      fc.property(values, (value) => {
        const bytes = toBytes({ v: value });
        expect(Buffer.compare(toBytes(decode(bytes)), bytes)).toBe(0);
        expect(identicalValues(decode(bytes), decode(toBytes(decode(bytes))))).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it('the codec keeps 5.0 a double and 5 an int', () => {
    const decoded = decode(toBytes({ a: new Double(5), b: 5 }));
    expect(decoded.a).toBeInstanceOf(Double);
    expect(decoded.b).toBeInstanceOf(Int32);
  });

  it('the codec reads a DBRef as the document that it is', () => {
    const ref = new DBRef('c', new ObjectId('0'.repeat(24)));
    const decoded = decode(serialize({ ref, list: [ref] }));
    expect(isDocument(decoded.ref)).toBe(true);
    expect(String(getPath(decoded, ['ref', '$id']))).toBe('0'.repeat(24));
    expect(collectPath(decoded, 'list.$ref')).toEqual(['c']);
  });

  it('the codec treats __proto__ and constructor as ordinary fields', () => {
    const decoded = doc(JSON.parse('{"__proto__": {"x": 1}, "constructor": 2}'));
    expect(Object.keys(decoded)).toEqual(['__proto__', 'constructor']);
    expect(String(getPath(decoded, ['__proto__', 'x']))).toBe('1');
    expect(getPath(doc({ a: 1 }), ['constructor'])).toBeUndefined();
    expect(Object.getPrototypeOf(decoded)).toBe(Object.prototype);
  });

  it('the codec refuses damaged bytes', () => {
    const bytes = Buffer.from(toBytes({ a: 'text' }));
    bytes[bytes.length - 1] = 1;
    expect(() => decode(bytes)).toThrow(/Invalid BSON/);
    expect(calculateObjectSize({})).toBe(5);
  });
});
