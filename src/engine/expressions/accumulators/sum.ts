// Exact totals: integers as integers, doubles with a compensated sum, decimals on their own; added at the end, in the widest of the types.
import { type Decimal128, Double, Long } from 'bson';
import {
  addDecimals,
  type Decimal,
  divideDecimals,
  finite,
  fromDecimal128,
  roundDecimal,
  toDecimal128,
} from '../../bson/decimal.js';
import { exactDecimal, fitInteger, fitsLong, toDouble } from '../../bson/numbers.js';
import { TYPE, toBigInt, typeCode } from '../../bson/types.js';

const SMALL = 2 ** 52;

/** A running total of numbers, typed as MongoDB's `$sum` types it. */
export class RunningTotal {
  #small = 0;
  #integers = 0n;
  #double = 0;
  #carry = 0;
  #decimal: Decimal = finite(0n);
  #widest: number = TYPE.int;
  count = 0;

  /** Adds a number; anything else is ignored. */
  add(value: unknown): void {
    const type = typeCode(value);
    if (type === TYPE.int) this.#addSmall(toDouble(value));
    else if (type === TYPE.double) this.#addDouble(toDouble(value));
    else if (type === TYPE.long) this.#integers += value instanceof Long ? toBigInt(value) : (value as bigint);
    else if (type === TYPE.decimal) this.#decimal = addDecimals(this.#decimal, fromDecimal128(value as Decimal128));
    else return;
    this.count += 1;
    this.#widen(type);
  }

  #widen(type: number): void {
    if (RANK.indexOf(type) > RANK.indexOf(this.#widest)) this.#widest = type;
    if (type === TYPE.decimal) this.#decimal = roundDecimal(this.#decimal);
  }

  #addSmall(value: number): void {
    this.#small += value;
    if (Math.abs(this.#small) > SMALL) this.#spill();
  }

  #spill(): void {
    this.#integers += BigInt(this.#small);
    this.#small = 0;
  }

  /** Knuth's two-sum: the carry holds the rounding error. */
  #addDouble(value: number): void {
    const sum = this.#double + value;
    const part = sum - this.#double;
    const error = this.#double - (sum - part) + (value - part);
    this.#double = sum;
    if (Number.isFinite(error)) this.#carry += error;
  }

  /** Everything but the decimals, as one double. */
  #asDouble(): number {
    this.#spill();
    const high = Number(this.#integers);
    const low = Number(this.#integers - BigInt(high));
    const copy = new RunningTotal();
    for (const part of [this.#double, high, this.#carry, low]) copy.#addDouble(part);
    return copy.#double + copy.#carry;
  }

  #asDecimal(): Decimal {
    this.#spill();
    const doubles = [this.#double, this.#carry].map((part) => roundDecimal(exactDecimal(new Double(part))));
    return [finite(this.#integers), ...doubles].reduce(addDecimals, this.#decimal);
  }

  /** The total: an int, which grows to a long, then to a double; a double or decimal once one was added. */
  result(): unknown {
    if (this.#widest === TYPE.decimal) return toDecimal128(this.#asDecimal());
    if (this.#widest === TYPE.double) return new Double(this.#asDouble());
    this.#spill();
    if (!fitsLong(this.#integers)) return new Double(this.#asDouble());
    return fitInteger(this.#integers, this.#widest === TYPE.int ? 'int' : 'long');
  }

  /** The mean: a double, or a decimal when one was added; null over no numbers. */
  mean(): unknown {
    if (this.count === 0) return null;
    if (this.#widest !== TYPE.decimal) return new Double(this.#asDouble() / this.count);
    return toDecimal128(divideDecimals(roundDecimal(this.#asDecimal()), finite(BigInt(this.count))));
  }
}

const RANK: readonly number[] = [TYPE.int, TYPE.long, TYPE.double, TYPE.decimal];
