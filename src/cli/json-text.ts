// Parses JSON text. Errors have the position of the fault, which Node 20's messages often lack.
import { DomainError } from '../base/errors.js';
import { type ReadOptions, readJson } from '../base/json/exact-json.js';
import { withoutBom } from '../base/json/unicode.js';

/** The text is not JSON. `position` is 0-based; the text's length if it ends too early. */
export class JsonTextError extends Error {
  override readonly name = 'JsonTextError';
  constructor(
    readonly position: number,
    text: string,
  ) {
    super(sentence(text, position));
  }
}

function sentence(text: string, position: number): string {
  if (text.trim() === '') return 'is empty';
  const before = text.slice(0, position).split('\n');
  const place = `at line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
  return position >= text.length ? `is not JSON: it ends too early, ${place}` : `is not JSON: the fault is ${place}`;
}

/** Parses JSON, without a byte order mark. @throws JsonTextError with the position; DomainError as `readJson`. */
export function parseJsonText(text: string, options?: ReadOptions): unknown {
  try {
    return readJson(text, options);
  } catch (error) {
    if (error instanceof DomainError) throw error;
    const bare = withoutBom(text);
    throw new JsonTextError(faultPosition(bare), bare);
  }
}

/** The expected token: a value; a member or the end; a member; a colon; a comma or the end. */
type Next = 'value' | 'first' | 'member' | 'colon' | 'more';

const SPACE = /[ \t\n\r]*/y;
const SCALAR = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/y;
/** Characters that need no escape in a string. */
const PLAIN = /[ !#-[\]-\uffff]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** The end of a sticky pattern's match; `at` if it does not match. */
function after(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

/** Follows the grammar of RFC 8259 without recursion, up to the first invalid character. */
function faultPosition(text: string): number {
  const ends: string[] = [];
  let next: Next = 'value';
  for (let at = after(SPACE, text, 0); ; at = after(SPACE, text, at)) {
    const char = text[at] ?? '';
    const inObject = ends.at(-1) === '}';
    if (char !== '' && char === ends.at(-1) && (next === 'first' || next === 'more')) {
      ends.pop();
      next = 'more';
      at += 1;
    } else if (next === 'more' || next === 'colon') {
      const fits: boolean = next === 'colon' ? char === ':' : char === ',' && ends.length > 0;
      if (!fits) return at;
      next = next === 'more' && inObject ? 'member' : 'value';
      at += 1;
    } else {
      const isName: boolean = inObject && next !== 'value';
      const opens: string | undefined = isName ? undefined : { '{': '}', '[': ']' }[char];
      const end = opens ? at + 1 : char === '"' ? afterString(text, at) : isName ? at : after(SCALAR, text, at);
      if (end < 0) return -end;
      if (end === at) return at;
      if (opens) ends.push(opens);
      next = opens ? 'first' : isName ? 'colon' : 'more';
      at = end;
    }
  }
}

/** The end of a string, or the position of its fault, negated. */
function afterString(text: string, start: number): number {
  for (let at = start + 1; ; ) {
    at = after(PLAIN, text, at);
    if (text[at] === '"') return at + 1;
    const escaped = after(ESCAPE, text, at);
    if (escaped === at) return -at;
    at = escaped;
  }
}
