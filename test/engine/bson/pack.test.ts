// Packed bytes are fewer, and come back as they were; whatever is no packed document is refused.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dictionaryOf, MAX_PACKED, NO_DICTIONARY, pack, unpack } from '../../../src/engine/bson/pack.js';
import { putLiterals } from '../../../src/engine/bson/pack-text.js';

const DICTIONARY = dictionaryOf(Buffer.from('\x02holderId\0%\0\0\0\0\x02coreClaimHash\0A\0\0\0\0\x08live\0', 'latin1'));

/** What comes back, or the bytes themselves if they do not become fewer. */
function there(bytes: Buffer, dictionary = NO_DICTIONARY): { back: Buffer; packed: number } {
  const packed = pack(bytes, dictionary);
  const own = packed && Buffer.from(packed);
  return { back: own ? unpack(own, bytes.length, dictionary) : bytes, packed: own?.length ?? bytes.length };
}

const SMALLER: [string, string, number][] = [
  ['a UUID', randomUUID(), 0.5],
  ['a UUID with a digit that is none', `${randomUUID().slice(0, -1)}g`, 0.9],
  ['hexadecimal digits, an odd number', randomBytes(20).toString('hex').slice(1), 0.6],
  ['hexadecimal digits for more than one operation', `0x${randomBytes(100).toString('hex')}`, 0.55],
  ['hexadecimal digits after letters', `transaction${randomBytes(32).toString('hex')}`, 0.65],
  ['base64 with padding', randomBytes(100).toString('base64'), 0.8],
  ['base64 of many bytes', randomBytes(3_000).toString('base64'), 0.78],
  ['base64url', randomBytes(100).toString('base64url'), 0.8],
  ['a signed token', [30, 200, 64].map((n) => randomBytes(n).toString('base64url')).join('.'), 0.8],
  ['a text that repeats itself', 'abc '.repeat(50), 0.2],
  ['a text that is one character', 'x'.repeat(1_000), 0.1],
  ['field names of the dictionary', '\x02holderId\0%\0\0\0 \x02coreClaimHash\0A\0\0\0 \x08live\0', 0.5],
];

describe('packed bytes', () => {
  it.each(SMALLER)('packed bytes are fewer for %s', (_, text, share) => {
    const bytes = Buffer.from(text, 'latin1');
    const { back, packed } = there(bytes, DICTIONARY);
    expect(back.equals(bytes)).toBe(true);
    expect(packed / bytes.length).toBeLessThan(share);
  });

  it('packed bytes come back as they were, whatever they are', () => {
    const part = fc.oneof(
      fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes)),
      fc.stringMatching(/^[0-9a-f]{0,90}$/).map((text) => Buffer.from(text)),
      fc.stringMatching(/^[\w/+-]{0,90}$/).map((text) => Buffer.from(text)),
      fc.uuid().map((text) => Buffer.from(text)),
      fc.constantFrom('\x02holderId\0%\0\0\0', '-', '0', '').map((text) => Buffer.from(text)),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), fc.boolean(), (parts, again) => {
        const bytes = Buffer.concat(again ? [...parts, ...parts] : parts);
        for (const dictionary of [NO_DICTIONARY, DICTIONARY]) expect(there(bytes, dictionary).back).toEqual(bytes);
      }),
    );
  });

  it('documents are packed up to the limit, and not above it', () => {
    // Its last bytes repeat the first, further back than a reference reaches, and then bytes that are near.
    const most = Buffer.concat([randomBytes(64), Buffer.alloc(MAX_PACKED - 192), randomBytes(64), randomBytes(64)]);
    most.copyWithin(MAX_PACKED - 128, 0, 64);
    most.copyWithin(MAX_PACKED - 64, MAX_PACKED - 128, MAX_PACKED - 64);
    const { back, packed } = there(most, DICTIONARY);
    expect(back.equals(most)).toBe(true);
    expect(packed).toBeLessThan(MAX_PACKED / 40);
    // The dictionary is out of reach at the end.
    const far = Buffer.concat([randomBytes(70_000), Buffer.from(DICTIONARY.bytes)]);
    expect(there(far, DICTIONARY).back.equals(far)).toBe(true);
    expect(pack(Buffer.alloc(MAX_PACKED + 1), DICTIONARY)).toBeUndefined();
    expect(() => unpack(Buffer.from([0]), MAX_PACKED + 1, DICTIONARY)).toThrow(RangeError);
  });

  it.each(['x', '+', '-'])(
    'packed bytes are read a few times each, however often %s is between hexadecimal digits',
    (between) => {
      const digits = (at: number): string => createHash('sha256').update(`${at}`).digest('hex').slice(0, 16);
      const text = Array.from({ length: 500 }, (_, at) => `${between}${digits(at)}`).join('');
      let reads = 0;
      const counted = new Proxy(Buffer.from(text), {
        get(bytes, name) {
          reads += 1;
          return Reflect.get(bytes, name, bytes);
        },
      });
      const end = putLiterals({ bytes: counted, start: 0, end: text.length }, new Uint8Array(2 * text.length), 0);
      expect(end).toBeLessThan(text.length);
      expect(reads).toBeLessThan(20 * text.length);
    },
  );

  it('packed bytes that lead outside are refused', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.nat({ max: 400 }), (bytes, length) => {
        try {
          expect(unpack(bytes, length, DICTIONARY)).toHaveLength(length);
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError);
        }
      }),
    );
    // A reference before the dictionary, one without its distance, a UUID that ends, plain bytes that end.
    for (const bytes of [[9, 255, 255], [9], [9, 1], [0xff, 1, 2], [0x85, 1], [0xc5, 1], [0xe5, 1], [0xf5, 1]])
      for (const length of [10, 36, 64])
        expect(() => unpack(Buffer.from(bytes), length, NO_DICTIONARY)).toThrow(RangeError);
  });
});
