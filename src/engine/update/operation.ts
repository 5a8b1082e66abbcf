// Update operators: functions from the old value at a path to the new one.
import type { Doc } from '../bson/types.js';
import { fail } from '../errors.js';

/** Refuses a field at the top of a document whose name begins with a dollar. Updates may not create or change such a field, except in the document of an upsert. */
export function requirePlainName(name: string): void {
  if (!name.startsWith('$')) return;
  fail(
    'DollarPrefixedFieldName',
    `The dollar ($) prefixed field '${name}' in '${name}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`,
  );
}

/** The result that leaves the value as it is. */
export const KEEP = Symbol('keep');

/** The result that removes the field (an array element becomes null). */
export const REMOVE = Symbol('remove');

/** The context in which an operation runs. */
export interface Moment {
  /** The concrete path, for messages. */
  path: string;
  /** The whole document before the update, for messages. */
  doc: Doc;
  now: Date;
  inserting: boolean;
}

/** One operator with its operand, ready to run at any path. */
export interface UpdateOperation {
  /** Whether a missing field is created (then `run` gets undefined); otherwise the operation does nothing there. */
  creates: boolean;
  /** Whether a path where no field can be, for example below a number, is skipped. Otherwise it is an error. */
  anywhere?: boolean;
  /** The new value, or KEEP, or REMOVE. Never changes `old`. */
  run(old: unknown, moment: Moment): unknown;
  /** Whether an array can only grow at its end: change streams then report each new element instead of the array. */
  appends?: boolean;
}

/** Compiles an operation from its operand; `path` is for messages. Throws for a malformed operand. */
export type OperatorCompiler = (operand: unknown, path: string) => UpdateOperation;
