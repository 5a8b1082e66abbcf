// Which numbers a double holds.
import { describe, expect, it } from 'vitest';
import { integerOf, isExact } from '../../src/common/exact-number.js';

describe('A number that a double holds', () => {
  it.each([
    ...['0', '-0', '0.0', '0e999', '18', '-2.50', '9007199254740991', '9007199254740992', '9007199254740994'],
    ...['1e22', '1e23', '100000000000000000000000', '1E+300', '1.7976931348623157e308', '3.4028234663852886e+38'],
    ...['0.1', '0.12345678901234567890', '5e-324', '-123456789.123456789123456789', '9007199254740992.000'],
  ])('%s', (literal) => expect(isExact(literal)).toBe(true));
});

describe('A number that a double does not hold', () => {
  it.each([
    ['39e1804', 'a serial that is infinite'],
    ['-1e309', 'infinite, negative'],
    [`1${'0'.repeat(309)}`, 'infinite, written out'],
    ['12E-402', 'a part number that becomes 0'],
    ['9007199254740993', 'rounded'],
    ['-9007199254740993', 'rounded, negative'],
    ['9007199254740993.0', 'an integer with a point'],
    ['9.007199254740993e15', 'an integer with an exponent'],
    ['90071992547409930e-1', 'an integer with a negative exponent'],
    ['9223372036854775807', 'the largest int64'],
    ['18446744073709551616', '2^64, which is a double, but is written back with other digits'],
    ['9007199254740992.5', 'a fraction beyond 2^53'],
    [`9007199254740993.${'0'.repeat(1_000_000)}1`, 'a very long one'],
  ])('%s', (literal) => expect(isExact(literal)).toBe(false));
});

it('An integer is read with all its digits, however it is written', () => {
  const literals = ['9223372036854775807', '-9.223372036854775808e18', '1.8446744073709551615E+19', '1230.0', '5e0'];
  expect(literals.map(integerOf).map(String)).toEqual([
    ...['9223372036854775807', '-9223372036854775808', '18446744073709551615', '1230', '5'],
  ]);
  expect(['1.5', '1e400', '12e-1', '9'.repeat(500)].map(integerOf)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
