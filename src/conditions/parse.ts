// Parses one condition: `<field> <operator> <literal>` (contract §8).
import { parseRelativeDate } from './relative-date.js';
import { type Token, tokensOf } from './tokens.js';
import { type Condition, ConditionSyntaxError, isIsoDate, type Literal, type Operator } from './types.js';

/** Operators by their symbols. */
export const SIGNS: Readonly<Record<string, Operator>> = {
  '=': '$eq',
  '==': '$eq',
  '!=': '$ne',
  '<': '$lt',
  '<=': '$lte',
  '>': '$gt',
  '>=': '$gte',
};

/** A parsed condition, and those of its literals that are date literals (without quotes). */
export interface WrittenCondition {
  condition: Condition;
  dates: string[];
}

/** Reads tokens one by one. */
class TokenReader {
  readonly dates: string[] = [];
  #at = 0;
  constructor(private readonly tokens: readonly Token[]) {}

  get next(): Token {
    return this.tokens[this.#at] as Token;
  }

  consume(): Token {
    const token = this.next;
    if (token.kind !== 'end') this.#at += 1;
    return token;
  }

  /** Consumes the next token if it is this sign, or this word in any case. */
  accept(kind: 'sign' | 'word', text: string): boolean {
    const fits = this.next.kind === kind && this.next.text.toLowerCase() === text;
    if (fits) this.#at += 1;
    return fits;
  }

  expect(kind: 'sign' | 'word', text: string): void {
    if (!this.accept(kind, text)) this.fail(`"${text}"`);
  }

  fail(expected: string): never {
    const { kind, text, position } = this.next;
    const came = kind === 'end' ? 'the condition ends' : `found ${JSON.stringify(text)}`;
    throw new ConditionSyntaxError(`${came} where ${expected} was expected`, position);
  }
}

/** Parses a condition. @throws ConditionSyntaxError with the 0-based position of the error. */
export function parseCondition(text: string): Condition {
  return readCondition(text).condition;
}

/** Parses a condition that will be checked against a schema. @throws ConditionSyntaxError as `parseCondition` does. */
export function readCondition(text: string): WrittenCondition {
  const reader = new TokenReader(tokensOf(text));
  const field = fieldOf(reader);
  const { operator, values } = comparisonOf(reader);
  if (reader.next.kind !== 'end') reader.fail('the end of the condition');
  return { condition: { field, operator, values }, dates: reader.dates };
}

function fieldOf(reader: TokenReader): string {
  const segments = [segmentOf(reader)];
  while (reader.accept('sign', '.')) segments.push(segmentOf(reader));
  return segments.join('.');
}

function segmentOf(reader: TokenReader): string {
  if (reader.next.kind !== 'word' && reader.next.kind !== 'name') reader.fail('the name of a field');
  return reader.consume().text;
}

function comparisonOf(reader: TokenReader): Pick<Condition, 'operator' | 'values'> {
  const sign = reader.next.kind === 'sign' ? SIGNS[reader.next.text] : undefined;
  if (sign) {
    reader.consume();
    return { operator: sign, values: [literalOf(reader)] };
  }
  if (reader.accept('word', 'exists')) return { operator: '$exists', values: [] };
  const negated = reader.accept('word', 'not');
  if (reader.accept('word', 'in')) return { operator: negated ? '$nin' : '$in', values: listOf(reader) };
  if (reader.accept('word', 'between'))
    return { operator: negated ? '$nonbetween' : '$between', values: boundsOf(reader) };
  return reader.fail(
    negated ? '"in" or "between"' : 'an operator (=, !=, <, <=, >, >=, in, not in, between, not between, exists)',
  );
}

function literalOf(reader: TokenReader): Literal {
  const { kind, text, value } = reader.next;
  if (kind === 'literal' && value !== undefined) {
    reader.consume();
    if (typeof value === 'string' && !text.startsWith('"')) reader.dates.push(value);
    return value;
  }
  if (kind === 'word' && /^(true|false)$/i.test(text)) {
    reader.consume();
    return text.toLowerCase() === 'true';
  }
  if (reader.accept('word', 'today')) {
    reader.dates.push('today');
    return 'today';
  }
  return reader.fail('a number, a "text", true, false or a date');
}

function listOf(reader: TokenReader): Literal[] {
  reader.expect('sign', '[');
  const values = [literalOf(reader)];
  while (reader.accept('sign', ',')) values.push(literalOf(reader));
  reader.expect('sign', ']');
  return values;
}

function boundsOf(reader: TokenReader): Literal[] {
  const low = literalOf(reader);
  reader.expect('word', 'and');
  const { position } = reader.next;
  const high = literalOf(reader);
  if (typeof low !== typeof high || typeof low === 'boolean') {
    throw new ConditionSyntaxError('the bounds of "between" must be two numbers, two texts or two dates', position);
  }
  if (isAfter(low, high))
    throw new ConditionSyntaxError('the upper bound of "between" is below the lower one', position);
  return [low, high];
}

/** Compares two bounds of one type; dates by their moment in time. The order of two relative dates may depend on the day, so it is not checked. */
function isAfter(low: Literal, high: Literal): boolean {
  if (typeof low !== 'string' || typeof high !== 'string') return low > high;
  if (isIsoDate(low) && isIsoDate(high)) return Date.parse(low) > Date.parse(high);
  const [first, second] = [parseRelativeDate(low), parseRelativeDate(high)];
  if (first && second) {
    const isOneUnit = first.unit === second.unit || first.count === 0 || second.count === 0;
    return isOneUnit && first.count > second.count;
  }
  const isMixed = (first ?? second) !== undefined && (isIsoDate(low) || isIsoDate(high));
  return !isMixed && low > high;
}
