// Converts conditions to other notations and back: text, iden3 queries, DCQL (contract §17).
import { fromDcql, toDcql } from './dcql.js';
import { fromIden3, toIden3 } from './iden3.js';
import { parseCondition } from './parse.js';
import { printCondition } from './print.js';
import { type Condition, ConditionSyntaxError } from './types.js';

/** Maximum number of conditions, in any language. */
export const MAX_CONDITIONS = 64;

interface Notation {
  read(value: unknown): Condition[];
  write(conditions: readonly Condition[]): unknown;
}

function readTexts(value: unknown): Condition[] {
  if (!Array.isArray(value)) throw new ConditionSyntaxError('conditions as text are a list', 0);
  if (value.length > MAX_CONDITIONS) throw tooMany();
  return value.map((text) => {
    if (typeof text !== 'string') throw new ConditionSyntaxError('a condition is a text', 0);
    return parseCondition(text);
  });
}

const tooMany = () => new ConditionSyntaxError(`there are at most ${MAX_CONDITIONS} conditions`, 0);

const NOTATION = {
  text: { read: readTexts, write: (conditions) => conditions.map(printCondition) },
  iden3: { read: fromIden3, write: toIden3 },
  dcql: { read: fromDcql, write: toDcql },
} satisfies Record<string, Notation>;

export const NOTATIONS = ['text', 'iden3', 'dcql'] as const;
export type NotationName = (typeof NOTATIONS)[number];

/** @throws ConditionSyntaxError for a condition that one of the languages cannot express. */
export function convertConditions(from: NotationName, to: NotationName, value: unknown): unknown {
  const conditions = NOTATION[from].read(value);
  if (conditions.length > MAX_CONDITIONS) throw tooMany();
  // Printing and parsing must return the same condition: names with a backtick and lists that are too long have no text form.
  for (const condition of conditions) checkPrintable(condition);
  return NOTATION[to].write(conditions);
}

function checkPrintable(condition: Condition): void {
  const text = printCondition(condition);
  const read = parseCondition(text);
  if (JSON.stringify(read) !== JSON.stringify(condition))
    throw new ConditionSyntaxError(`${text} has another meaning when it is parsed again`, 0);
}
