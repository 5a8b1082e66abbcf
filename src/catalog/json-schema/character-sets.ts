// The characters of `.`, `\s`, `\p{Letter}` and the like, asked of JavaScript's own engine, so that no table can disagree with it.
import { LRUCache } from 'lru-cache';

/** First and last code point. */
export type CodeRange = readonly [from: number, to: number];

const LAST = 0x10ffff;
const CHUNK = 0x4000;
const isSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdfff;

const sets = new LRUCache<string, readonly CodeRange[]>({ max: 200 });
let everything: string | undefined;

/**
 * The code points of a set as ECMAScript writes it (`\s`, `\P{Lu}`), in ascending ranges. Surrogates may or may not be
 * in a range: no well-formed text has a lone one. The first use of a set takes about 50 ms.
 */
export function rangesOf(set: string, ignoreCase = false): readonly CodeRange[] {
  const expression = new RegExp(`${set}+`, ignoreCase ? 'giu' : 'gu');
  const before = sets.get(String(expression));
  if (before) return before;
  everything ??= everyCharacter();
  const runs = everything.matchAll(expression);
  const ranges = Array.from(runs, ([run]): CodeRange => [run.codePointAt(0) ?? 0, lastOf(run)]);
  sets.set(String(expression), ranges);
  return ranges;
}

/** All characters, in ascending order. */
function everyCharacter(): string {
  const chunks: string[] = [];
  for (let start = 0; start <= LAST; start += CHUNK) {
    const codes = Array.from({ length: CHUNK }, (_, index) => start + index);
    chunks.push(String.fromCodePoint(...codes.filter((code) => !isSurrogate(code))));
  }
  return chunks.join('');
}

function lastOf(run: string): number {
  const unit = run.charCodeAt(run.length - 1);
  return isSurrogate(unit) ? (run.codePointAt(run.length - 2) ?? unit) : unit;
}
