// arrayFilters: select the elements of `$[identifier]`.

import { showValue } from '../bson/show.js';
import { type Doc, isDocument } from '../bson/types.js';
import { fail } from '../errors.js';
import { compileFilter, type FilterEnv } from '../query/matcher.js';

/** Tests by identifier, and which of them the update has used. */
export interface ArrayFilters {
  test(identifier: string, element: unknown, path: string): boolean;
  /** Throws unless the identifier has a filter. */
  require(identifier: string, path: string): void;
  /** Throws unless each filter was required by some path. */
  checkAllUsed(update: Doc): void;
}

function identifiersOf(filter: Doc): string[] {
  return Object.keys(filter).flatMap((name) => {
    if (!name.startsWith('$')) return [name.split('.')[0] as string];
    const branches = filter[name];
    return Array.isArray(branches) ? branches.filter(isDocument).flatMap(identifiersOf) : [];
  });
}

function identifierOf(filter: unknown): string {
  if (!isDocument(filter)) fail('TypeMismatch', 'arrayFilters must be an array of documents');
  const [first, ...others] = identifiersOf(filter);
  if (first === undefined) {
    fail('FailedToParse', 'Cannot use an expression without a top-level field name in arrayFilters');
  }
  const other = others.find((name) => name !== first);
  if (other !== undefined) {
    fail(
      'FailedToParse',
      `Error parsing array filter :: caused by :: Expected a single top-level field name, found '${first}' and '${other}'`,
    );
  }
  if (!/^[a-z][a-zA-Z0-9]*$/.test(first)) {
    fail(
      'BadValue',
      `Error parsing array filter :: caused by :: The top-level field name must be an alphanumeric string beginning with a lowercase letter, found '${first}'`,
    );
  }
  return first;
}

/** Compiles the option `arrayFilters`. Throws FailedToParse or BadValue for malformed or repeated identifiers. */
export function compileArrayFilters(filters: readonly unknown[], env: FilterEnv): ArrayFilters {
  const tests = new Map<string, (element: unknown) => boolean>();
  const used = new Set<string>();
  for (const filter of filters) {
    const identifier = identifierOf(filter);
    if (tests.has(identifier)) {
      fail('FailedToParse', `Found multiple array filters with the same top-level field name ${identifier}`);
    }
    const compiled = compileFilter(filter as Doc, env);
    tests.set(identifier, (element) => compiled.test({ [identifier]: element }));
  }
  return {
    test: (identifier, element) => tests.get(identifier)?.(element) === true,
    require: (identifier, path) => {
      if (!tests.has(identifier)) {
        fail('BadValue', `No array filter found for identifier '${identifier}' in path '${path}'`);
      }
      used.add(identifier);
    },
    checkAllUsed: (update) => {
      for (const identifier of tests.keys()) {
        if (used.has(identifier)) continue;
        fail(
          'FailedToParse',
          `The array filter for identifier '${identifier}' was not used in the update ${showValue(update)}`,
        );
      }
    },
  };
}
