// A credential's messages: every family at its edges, and that their order is the values'.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Family } from '../../src/conditions/index.js';
import { headerMessage, MAX_POINTS, type Message, messageOf, messagesOf } from '../../src/zk/index.js';

const integerOf = (family: Family, value: unknown): bigint | undefined => {
  const message = messageOf(family, value);
  return 'integer' in message ? message.integer : undefined;
};

describe('The message', () => {
  it.each<[Family, unknown, Message]>([
    ['number', 0, { integer: 0x8000000000000000n }],
    ['number', -0, { integer: 0x8000000000000000n }],
    ['number', 1, { integer: 0xbff0000000000000n }],
    ['number', -1, { integer: 0x400fffffffffffffn }],
    ['number', Number.MAX_VALUE, { integer: 0xffefffffffffffffn }],
    ['number', -Number.MAX_VALUE, { integer: 0x0010000000000000n }],
    ['number', '18', { tag: 'json', text: '"18"' }],
    ['number', null, { tag: 'json', text: 'null' }],
    ['date', '1970-01-01', { integer: 0x8000000000000000n }],
    ['date', '1969-12-31T23:59:59.999Z', { integer: 0x400fffffffffffffn }],
    ['date', '1970-01-01T00:00:00.0019Z', { integer: 0xbff0000000000000n }],
    ['date', 'soon', { tag: 'json', text: '"soon"' }],
    ['date', '2023-02-29', { tag: 'json', text: '"2023-02-29"' }],
    ['date', 5, { tag: 'json', text: '5' }],
    ['boolean', false, { integer: 0n }],
    ['boolean', true, { integer: 1n }],
    ['boolean', 1, { tag: 'json', text: '1' }],
    ['text', 'e\u0301', { tag: 'text', text: '\u00e9' }],
    ['text', '', { tag: 'text', text: '' }],
    ['text', 5, { tag: 'json', text: '5' }],
    ['json', 'e\u0301', { tag: 'json', text: '"e\u0301"' }],
    ['json', { b: 1, a: [true, null] }, { tag: 'json', text: '{"a":[true,null],"b":1}' }],
    ['json', 5, { tag: 'json', text: '5' }],
    ['number', undefined, { tag: 'absent', text: '' }],
    ['json', undefined, { tag: 'absent', text: '' }],
  ])('the message of %s %j is %o', (family, value, message) => {
    expect(messageOf(family, value)).toEqual(message);
  });

  it.each<[Family, unknown, unknown]>([
    ['number', 1, 1 + Number.EPSILON],
    ['number', 2 ** 53 - 1, 2 ** 53],
    ['number', 1e300, 1.0000000000000002e300],
    ['number', -Number.MIN_VALUE, 0],
    ['number', 0, Number.MIN_VALUE],
    ['number', -2, -1],
    ['date', '2024-02-29', '2024-02-29T00:00:00.001Z'],
    ['date', '2024-02-28T23:59:59.999Z', '2024-02-29'],
    ['date', '1900-01-01', '1970-01-01'],
    ['date', '0000-01-01', '9999-12-31T23:59:59.999Z'],
  ])('the message of %s %s is below that of %s', (family, low, high) => {
    expect(integerOf(family, low)).toBeLessThan(integerOf(family, high) ?? 0n);
  });

  it.each([
    ['2024-02-29', '2024-02-29T00:00:00Z'],
    ['2024-02-29', '2024-02-29T05:00:00+05:00'],
    ['2024-02-29', '2024-02-28T10:00:00-14:00'],
    ['2024-02-29T00:00:00.123Z', '2024-02-29T00:00:00.123999999Z'],
  ])('the message of %s is that of %s', (a, b) => {
    expect(integerOf('date', a)).toBe(integerOf('date', b));
  });

  it('messages of numbers have the order of the numbers', () => {
    const number = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(number, number, (a, b) => {
        const [x = 0n, y = 0n] = [integerOf('number', a), integerOf('number', b)];
        expect(x < y).toBe(a < b);
        // Equal as numbers: −0 is 0.
        expect(x === y).toBe(a + 0 === b + 0);
        expect(x < 1n << 64n && x >= 0n).toBe(true);
      }),
    );
  });

  it.each([['\ud800'], [{ a: '\udfff' }], [Number.NaN]])(
    'the message of %j is refused: it has no canonical form',
    (value) => {
      expect(() => messageOf(typeof value === 'string' ? 'text' : 'json', value)).toThrow(TypeError);
    },
  );
});

describe('The messages of a credential', () => {
  const facts = { coreClaimHash: 'ab'.repeat(32), schemaId: 'urn:s', schemaVersion: 2 };

  it('the messages of a credential are a header, then its points in their order', () => {
    const points = [
      { name: 'address.city', family: 'text' },
      { name: 'age', family: 'number' },
      { name: 'gone', family: 'date' },
    ] as const;
    expect(messagesOf(facts, points, { age: 0, address: { city: 'Porto' } })).toEqual([
      headerMessage(facts),
      { tag: 'text', text: 'Porto' },
      { integer: 0x8000000000000000n },
      { tag: 'absent', text: '' },
    ]);
    expect(headerMessage(facts)).toEqual({
      tag: 'header',
      text: `{"coreClaimHash":"${'ab'.repeat(32)}","schemaId":"urn:s","schemaVersion":2,"suite":"core-bbs-1"}`,
    });
  });

  it('a credential has at most a header and 64 messages', () => {
    const points = Array.from({ length: MAX_POINTS + 1 }, (_, at) => ({ name: `p${at}`, family: 'text' as const }));
    expect(messagesOf(facts, points.slice(1), {})).toHaveLength(MAX_POINTS + 1);
    expect(() => messagesOf(facts, points, {})).toThrow(RangeError);
  });
});
