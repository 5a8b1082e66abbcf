// `multipleOf` as it is written: in decimals. As doubles, 19.99 is no multiple of 0.01.
import { _, type FuncKeywordDefinition } from 'ajv';
import { decimalOf, scaled } from '../../common/exact-number.js';

/** Replaces ajv's keyword, which divides doubles, exactly or with a fixed tolerance. */
export const MULTIPLE_OF: FuncKeywordDefinition = {
  keyword: 'multipleOf',
  type: 'number',
  schemaType: 'number',
  compile: (divisor: number) => (value: number) => isMultiple(value, divisor),
  error: { message: 'must be a multiple', params: ({ schemaCode }) => _`{multipleOf: ${schemaCode}}` },
};

/** Whether the decimal text of a number is a multiple of another's. */
export function isMultiple(value: number, divisor: number): boolean {
  if (divisor === 0 || !Number.isFinite(value)) return false;
  const [of, by] = [decimalOf(String(value)), decimalOf(String(divisor))];
  const exponent = Math.min(of.exponent, by.exponent);
  return scaled(of, exponent) % scaled(by, exponent) === 0n;
}
