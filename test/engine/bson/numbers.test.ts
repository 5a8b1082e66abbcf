// Arithmetic with MongoDB's result types, exact over long and decimal.
import { Decimal128, Double, Int32, Long } from 'bson';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromDecimal128, toDecimal128 } from '../../../src/engine/bson/decimal.js';
import { add, addChecked, divide, integralValue, mod, multiply, subtract } from '../../../src/engine/bson/numbers.js';

const int = (n: number) => new Int32(n);
const long = (n: bigint) => Long.fromBigInt(n);
const double = (n: number) => new Double(n);
const decimal = (text: string) => Decimal128.fromString(text);

const CASES: [string, unknown, string, string][] = [
  ['int + int', add(int(1), int(2)), 'Int32', '3'],
  ['int overflow grows to long', add(int(2147483647), int(1)), 'Long', '2147483648'],
  ['int × int overflow grows to long', multiply(int(2 ** 30), int(4)), 'Long', '4294967296'],
  ['int + long', add(int(1), long(2n)), 'Long', '3'],
  ['long keeps every digit', add(long(2n ** 53n), int(1)), 'Long', '9007199254740993'],
  ['long overflow becomes double', add(Long.MAX_VALUE, int(1)), 'Double', '9223372036854776000'],
  ['long − long', subtract(long(1n), Long.MAX_VALUE), 'Long', '-9223372036854775806'],
  ['int + double', add(int(1), double(1)), 'Double', '2'],
  ['int ÷ int is a double', divide(int(1), int(2)), 'Double', '0.5'],
  ['decimal + int', add(decimal('0.1'), int(1)), 'Decimal128', '1.1'],
  ['decimal + double takes 15 digits of the double', add(decimal('0'), double(0.1)), 'Decimal128', '0.100000000000000'],
  ['decimal sum keeps the exponent', add(decimal('1.10'), decimal('2.20')), 'Decimal128', '3.30'],
  ['decimal product', multiply(decimal('1.5'), decimal('1.50')), 'Decimal128', '2.250'],
  ['decimal quotient, exact', divide(decimal('1'), decimal('8')), 'Decimal128', '0.125'],
  [
    'decimal quotient, 34 digits',
    divide(decimal('2'), decimal('3')),
    'Decimal128',
    '0.6666666666666666666666666666666667',
  ],
  [
    'decimal rounds half to even',
    add(decimal('1E+33'), decimal('0.05')),
    'Decimal128',
    '1000000000000000000000000000000000',
  ],
  ['decimal overflow is infinite', multiply(decimal('9E+6144'), int(10)), 'Decimal128', 'Infinity'],
  ['decimal infinity minus itself', subtract(decimal('Infinity'), decimal('Infinity')), 'Decimal128', 'NaN'],
  ['mod keeps the sign of the dividend', mod(int(-7), int(3)), 'Int32', '-1'],
  ['mod of doubles', mod(double(5.5), int(2)), 'Double', '1.5'],
  ['mod of decimals', mod(decimal('-7.5'), int(2)), 'Decimal128', '-1.5'],
];

describe('arithmetic', () => {
  it.each(CASES)('arithmetic has the right result: %s', (_name, result, type, text) => {
    expect((result as object).constructor.name).toBe(type);
    expect(String(result)).toBe(text);
  });

  it('arithmetic refuses division by zero, and reports overflow to updates', () => {
    expect(() => divide(int(1), double(0))).toThrow("can't $divide by zero");
    expect(() => mod(int(1), decimal('0'))).toThrow("can't $mod by zero");
    expect(addChecked(Long.MAX_VALUE, int(1))).toBeUndefined();
  });

  it('arithmetic reads whole numbers of any type', () => {
    expect(integralValue(decimal('1.20E+1'))).toBe(12n);
    expect(integralValue(double(2 ** 60))).toBe(2n ** 60n);
    expect(integralValue(double(0.5))).toBeUndefined();
    expect(integralValue(double(Number.NaN))).toBeUndefined();
  });
});

describe('decimals', () => {
  const decimals = fc
    .tuple(fc.bigInt({ min: -(10n ** 34n) + 1n, max: 10n ** 34n - 1n }), fc.integer({ min: -6176, max: 6111 }))
    .map(([digits, exponent]) => decimal(`${digits}E${exponent}`));

  it('decimals are the same after being split into parts and joined', () => {
    fc.assert(
      fc.property(decimals, (value) => {
        expect(String(toDecimal128(fromDecimal128(value)))).toBe(String(value));
      }),
    );
  });

  it('a decimal quotient times the divisor is equal to 33 digits', () => {
    const small = fc.tuple(fc.bigInt({ min: 1n, max: 10n ** 20n }), fc.integer({ min: -10, max: 10 }));
    fc.assert(
      fc.property(small, small, ([a, x], [b, y]) => {
        const dividend = decimal(`${a}E${x}`);
        const back = multiply(divide(dividend, decimal(`${b}E${y}`)), decimal(`${b}E${y}`));
        const error = fromDecimal128(divide(subtract(back, dividend), dividend) as Decimal128);
        expect(error.coefficient === 0n || error.exponent + String(error.coefficient).length <= -32).toBe(true);
      }),
    );
  });
});
