// Opaque cursors: positions in an ordered list. They are neither secret nor signed: a forged cursor is only another position.
import { badInput } from '../../base/errors.js';
import type { Direction, Order } from './kinds.js';

/** A position in an ordered list: the sort value and the id of the row. Dates are in milliseconds. */
export interface Position {
  value: number | string;
  id: string;
}

/** The list and the order that a cursor belongs to. */
export interface CursorScope {
  /** The collection. */
  list: string;
  order: string;
  direction: Direction;
}

const MAX_LENGTH = 4096;

const scopeOf = (scope: CursorScope): string => `${scope.list} ${scope.order} ${scope.direction}`;

/** A position as base64url of JSON `[scope, value, id]`. */
export function encodeCursor(scope: CursorScope, position: Position): string {
  return Buffer.from(JSON.stringify([scopeOf(scope), position.value, position.id])).toString('base64url');
}

function decoded(cursor: string): unknown {
  if (cursor.length > MAX_LENGTH || !/^[\w-]+$/.test(cursor)) return undefined;
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    return undefined; // Not JSON: the caller reports a malformed cursor.
  }
}

function isPlace(content: unknown, values: Order['values']): content is [string, number | string, string] {
  if (!Array.isArray(content) || content.length !== 3) return false;
  const [scope, value, id] = content;
  const fits = values === 'text' ? isText(value) : typeof value === 'number' && Number.isFinite(value);
  // A date of the store has whole milliseconds.
  const isDate = values !== 'date' || new Date(value).getTime() === value;
  return typeof scope === 'string' && fits && isDate && isText(id);
}

/** The store would change halves of surrogate pairs. */
const isText = (value: unknown): boolean => typeof value === 'string' && value.isWellFormed();

/** Reads a cursor. `field` names the argument. @throws DomainError BAD_USER_INPUT for one that is malformed, or of another list or order. */
export function decodeCursor(cursor: string, scope: CursorScope, order: Order, field: string): Position {
  const content = decoded(cursor);
  if (Array.isArray(content) && typeof content[0] === 'string' && content[0] !== scopeOf(scope)) {
    throw badInput(`"${field}" is a cursor of another list or order; use one of this list in this order.`, field);
  }
  if (!isPlace(content, order.values)) {
    throw badInput(`"${field}" is not a cursor of this list; use an "endCursor" or "startCursor" of this list.`, field);
  }
  return { value: content[1], id: content[2] };
}
