// $regexMatch, $regexFind and $regexFindAll; positions are code points.
import { regexParts } from '../bson/compare.js';
import { type Doc, TYPE, typeCode, typeName } from '../bson/types.js';
import { fail, MongoError } from '../errors.js';
import { compileRegex } from '../regex/regex.js';
import type { Pattern } from '../regex/regex-guard.js';
import { type ExpressionOperator, int, namedOperator, nullish, type OperatorTable } from './operator.js';

/** Compiles a pattern. Throws these operators' error code for an invalid one (the filter's `$regex` has another code). */
function compiledFor(name: string, pattern: string, options: string): Pattern {
  if (pattern.includes('\0')) fail(51109, `${name}: regular expression cannot contain an embedded null byte`);
  try {
    return compileRegex(pattern, options);
  } catch (error) {
    if (!(error instanceof MongoError) || error.code !== 51091) throw error;
    return fail(51111, `Invalid Regex in ${name}: ${error.message}`, { cause: error });
  }
}

/** Keeps the last pattern compiled: usually it is the same for every document. */
class PatternCache {
  #key = '';
  #compiled: { pattern: Pattern; all: RegExp } | undefined;

  get(name: string, source: string, options: string): { pattern: Pattern; all: RegExp } {
    const key = `${options}/${source}`;
    if (!this.#compiled || this.#key !== key) {
      const pattern = compiledFor(name, source, options);
      this.#compiled = { pattern, all: new RegExp(pattern.regex.source, `${pattern.regex.flags}g`) };
      this.#key = key;
    }
    this.#compiled.all.lastIndex = 0;
    return this.#compiled;
  }
}

function patternOf(name: string, { regex, options }: Doc): { pattern: string; options: string } {
  if (!nullish(options) && typeof options !== 'string') fail(51106, `${name} needs 'options' to be of type string`);
  const flags = (options ?? '') as string;
  if (typeCode(regex) === TYPE.regex) {
    const parts = regexParts(regex);
    if (parts.options !== '' && !nullish(options)) {
      fail(51107, `${name}: found regex option(s) specified in both 'regex' and 'option' fields`);
    }
    return { pattern: parts.pattern, options: parts.options || flags };
  }
  if (typeof regex !== 'string') return fail(51105, `${name} needs 'regex' to be of type string or regex`);
  return { pattern: regex, options: flags };
}

/** The evaluated input and the compiled pattern; undefined if the input or the pattern is null. */
function prepared(name: string, cache: PatternCache, values: Doc) {
  const { input } = values;
  if (!nullish(input) && typeof input !== 'string')
    fail(51104, `${name} needs 'input' to be of type string, found ${typeName(input)}`);
  if (nullish(values.regex)) return undefined;
  const { pattern, options } = patternOf(name, values);
  const compiled = cache.get(name, pattern, options);
  return nullish(input) ? undefined : { ...compiled, input: input as string };
}

function matchDocument(match: RegExpExecArray): Doc {
  const [text, ...captures] = match;
  return {
    match: text,
    idx: int([...match.input.slice(0, match.index)].length),
    captures: captures.map((capture) => capture ?? null),
  };
}

function findAll(regex: RegExp, input: string): Doc[] {
  // With the flags `gu`, matchAll moves on by a whole code point after an empty match. MongoDB finds no match at the
  // end of the text, except in an empty text.
  const matches = [...input.matchAll(regex)].filter((match) => match.index < input.length || input === '');
  return matches.map(matchDocument);
}

function regexOperator(
  name: string,
  none: unknown,
  apply: (regex: RegExp, input: string) => unknown,
): ExpressionOperator {
  const cache = new PatternCache();
  const spec = {
    required: ['input', 'regex'],
    optional: ['options'],
    notDocument: 51103,
    unknown: 31024,
    missing: { input: 31022, regex: 31023 },
  };
  return namedOperator(name, spec, (values) => {
    const ready = prepared(name, cache, values);
    if (!ready) return none;
    const { pattern, all, input } = ready;
    return pattern.run(input, all, (regex) => apply(regex, input));
  });
}

/** Regular expression operators. */
export const REGEX: OperatorTable = {
  $regexFind: regexOperator('$regexFind', null, (regex, input) => {
    const match = regex.exec(input);
    return match ? matchDocument(match) : null;
  }),
  $regexFindAll: regexOperator('$regexFindAll', [], findAll),
  $regexMatch: regexOperator('$regexMatch', false, (regex, input) => regex.test(input)),
};
