// Limits how deeply input may be nested. Much of the code that handles it is recursive: checks, canonical forms, JSON itself.
import { isDeeperThan } from '../../common/json-value.js';
import { badInput } from '../errors.js';

/** Levels of objects and lists in any input: more than a JSON Schema document with its wrapping may have. */
export const MAX_LEVELS = 128;

/** @throws DomainError BAD_USER_INPUT for a value that is nested too deeply. `what` begins the message. */
export function checkNesting(value: unknown, what: string, field?: string): void {
  if (isDeeperThan(value, MAX_LEVELS)) throw badInput(`${what} is nested more than ${MAX_LEVELS} levels deep.`, field);
}

/**
 * Whether a JSON text opens more levels than this. This check costs far less than parsing a text with 50,000 levels.
 */
export function isTextDeeperThan(text: string, levels: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (isOpening(code)) depth += 1;
    else if (isClosing(code)) depth -= 1;
    if (depth > levels) return true;
  }
  return false;
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const isOpening = (code: number): boolean => code === 0x5b || code === 0x7b;
const isClosing = (code: number): boolean => code === 0x5d || code === 0x7d;

/** Where the string that begins here ends: at its closing quote, or with the text. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

/** Whether an odd number of backslashes is before a character. */
function isEscaped(text: string, at: number): boolean {
  let before = at - 1;
  while (text.charCodeAt(before) === BACKSLASH) before -= 1;
  return (at - before) % 2 === 0;
}
