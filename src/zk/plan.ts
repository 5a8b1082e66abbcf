// Converts conditions in normal form to the statements of a proof about messages (contract §13). Prover and verifier both build this plan.
import { type FieldForm, isRange, type Literal, orderedBits } from '../conditions/index.js';
import { ABSENT, type EncodedPoint, isSameMessage, type Message, messageOf } from './encoding.js';

/** Where a value lies relative to an excluded range. */
export type Side = 'below' | 'above';
/** A field, and its side of each excluded range, in order. */
export type FieldSides = [field: string, ...sides: Side[]];

/** One statement about one message; `at` is the message's position. */
export type Statement =
  | { kind: 'disclosed'; at: number; message: Message }
  /** Both ends included. */
  | { kind: 'range'; at: number; low: bigint; high: bigint }
  | { kind: 'inequality'; at: number; message: Message }
  | { kind: 'member'; at: number; field: string; messages: Message[] };

/** Thrown if conditions, sides and data points do not fit together. */
export class PlanError extends Error {
  override readonly name = 'PlanError';
}

/** Ends of an open range: every finite number is between them. */
const OPEN = { low: orderedBits(-Infinity), high: orderedBits(Infinity) };

interface FormField {
  at: number;
  form: FieldForm;
}

/**
 * The statements of a proof.
 * @param sides of exactly the fields with excluded ranges, in the order of the forms
 * @throws PlanError
 */
export function planOf(
  points: readonly EncodedPoint[],
  forms: readonly FieldForm[],
  sides: readonly FieldSides[],
): Statement[] {
  const queue = [...sides];
  const statements = forms.flatMap((form) => {
    const field = { form, at: positionOf(points, form) };
    if (form.outside === undefined) return statementsOf(field, []);
    const [name, ...own] = queue.shift() ?? [];
    if (name !== form.field || own.length !== form.outside.length)
      throw new PlanError(`the sides of "${form.field}" are missing`);
    return statementsOf(field, own);
  });
  if (queue.length > 0) throw new PlanError('there are more sides than excluded ranges');
  return statements;
}

function positionOf(points: readonly EncodedPoint[], { field, family }: FieldForm): number {
  const at = points.findIndex((point) => point.name === field);
  if (points[at]?.family !== family) throw new PlanError(`"${field}" is no data point of family ${family}`);
  return at + 1;
}

function statementsOf(field: FormField, sides: readonly Side[]): Statement[] {
  const { at, form } = field;
  const message = (literal: Literal) => messageOf(form.family, literal);
  if (form.equals !== undefined) return [{ kind: 'disclosed', at, message: message(form.equals) }];
  if (form.in) return [{ kind: 'member', at, field: form.field, messages: form.in.map(message) }];
  const excluded = (form.not ?? []).map(message);
  const inequalities = (messages: Message[]) =>
    messages.map((each): Statement => ({ kind: 'inequality', at, message: each }));
  // An absent field also has a message, which differs from every other.
  if (!isRange(form)) return inequalities([ABSENT, ...excluded]);
  const range = rangeOf(field, sides);
  return [range, ...inequalities(excluded.filter((each) => isIn(range, each)))];
}

type RangeStatement = Extract<Statement, { kind: 'range' }>;

/** A value above the first of two ranges and below the second is between them, so one range statement is enough. */
function rangeOf({ at, form }: FormField, sides: readonly Side[]): RangeStatement {
  const { family, gt, gte, lt, lte, outside = [] } = form;
  const end = (literal: Literal | undefined, by: bigint, open: bigint): bigint =>
    literal === undefined ? open : integerOf(messageOf(family, literal)) + by;
  const lows = [end(gte, 0n, OPEN.low), end(gt, 1n, OPEN.low)];
  const highs = [end(lte, 0n, OPEN.high), end(lt, -1n, OPEN.high)];
  outside.forEach(([low, high], index) => {
    if (sides[index] === 'above') lows.push(end(high, 1n, OPEN.low));
    else highs.push(end(low, -1n, OPEN.high));
  });
  const range: RangeStatement = { kind: 'range', at, low: lows.reduce(larger), high: highs.reduce(smaller) };
  if (range.low > range.high) throw new PlanError(`the sides of "${form.field}" leave no value`);
  return range;
}

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);

function integerOf(message: Message): bigint {
  if ('integer' in message) return message.integer;
  throw new PlanError('a bound has no order');
}

const isIn = ({ low, high }: RangeStatement, message: Message): boolean =>
  'integer' in message && message.integer >= low && message.integer <= high;

/** The sides on which messages lie; undefined for a message inside an excluded range, or without an order. */
export function sidesOf(
  points: readonly EncodedPoint[],
  forms: readonly FieldForm[],
  messages: readonly Message[],
): FieldSides[] | undefined {
  const sides: FieldSides[] = [];
  for (const form of forms) {
    if (form.outside === undefined) continue;
    const message = messages[positionOf(points, form)];
    const own = form.outside.map((range) => sideOf(form, range, message));
    if (!own.every((side) => side !== undefined)) return undefined;
    sides.push([form.field, ...own]);
  }
  return sides;
}

function sideOf({ family }: FieldForm, range: readonly Literal[], message: Message | undefined): Side | undefined {
  if (message === undefined || !('integer' in message)) return undefined;
  const [low = 0n, high = 0n] = range.map((literal) => integerOf(messageOf(family, literal)));
  if (message.integer < low) return 'below';
  return message.integer > high ? 'above' : undefined;
}

/** Whether a statement is true for a credential's messages. */
export function isTrue(statement: Statement, messages: readonly Message[]): boolean {
  const message = messages[statement.at];
  if (message === undefined) return false;
  if (statement.kind === 'range') return isIn(statement, message);
  if (statement.kind === 'member') return statement.messages.some((each) => isSameMessage(each, message));
  return isSameMessage(statement.message, message) === (statement.kind === 'disclosed');
}
