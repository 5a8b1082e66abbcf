// What an update operator is: a function from the old value at a path to the new one.
import type { Doc } from '../bson/types.js';
import { fail } from '../errors.js';

/** Refuses a field at the top of a document whose name begins with a dollar: an update may not make or change it, but in an upsert's new document. */
export function requirePlainName(name: string): void {
  if (!name.startsWith('$')) return;
  fail(
    'DollarPrefixedFieldName',
    `The dollar ($) prefixed field '${name}' in '${name}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`,
  );
}

/** Says that the value stays as it is. */
export const KEEP = Symbol('keep');

/** Says that the field goes (an array element becomes null). */
export const REMOVE = Symbol('remove');

/** What an operation may know when it runs. */
export interface Moment {
  /** The concrete path, for messages. */
  path: string;
  /** The whole document before the update, for messages. */
  doc: Doc;
  now: Date;
  inserting: boolean;
}

/** One operator with its operand, ready to run at any path. */
export interface Operation {
  /** Whether a missing field is made (then `run` gets undefined); otherwise the operation does nothing there. */
  creates: boolean;
  /** The new value, or KEEP, or REMOVE. Never changes `old`. */
  run(old: unknown, moment: Moment): unknown;
  /** For arrays that only grew at the end: how many elements there were, so that the change is told element by element. */
  appends?: boolean;
}

/** Makes an operation from its operand; `path` is for messages. Throws for a malformed operand. */
export type OperatorCompiler = (operand: unknown, path: string) => Operation;
