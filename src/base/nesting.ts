// How deeply outside values may be nested. Much of what handles them is recursive: checks, canonical forms, JSON itself.
import { badInput } from './errors.js';

/** Levels of objects and lists in any input: more than a JSON Schema document with its wrapping may have. */
export const MAX_LEVELS = 128;

/** Whether a value has more levels of objects and lists than this. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    level = level.flatMap((inner) => (typeof inner === 'object' && inner !== null ? Object.values(inner) : []));
  }
  return false;
}

/** @throws DomainError BAD_USER_INPUT for a value that is nested too deeply. `what` begins the message. */
export function checkNesting(value: unknown, what: string, field?: string): void {
  if (isDeeperThan(value, MAX_LEVELS)) throw badInput(`${what} is nested more than ${MAX_LEVELS} levels deep.`, field);
}

/** Whether a JSON text is too short for its value to be nested too deeply: each level takes two brackets. */
export const isShallow = (text: string): boolean => text.length <= 2 * MAX_LEVELS;
