// Runs modifications on a document: replaces positional parts with positions, then runs each operation at its concrete path.
import { showId, showValue } from '../bson/show.js';
import type { Doc } from '../bson/types.js';
import { fail } from '../errors.js';
import type { ArrayFilters } from './array-filters.js';
import type { FieldChange } from './diff.js';
import { locate, notTraversable, notViable, withoutValue, withValue } from './edit.js';
import { type Modification, positionalOf } from './modifiers.js';
import { KEEP, type Moment, REMOVE, requirePlainName, type UpdateOperation } from './operation.js';

/** The context of a run. */
export interface RunContext {
  /** The array position the query matched, for `$`. */
  position: number | null;
  inserting: boolean;
  now: Date;
  /** Receives the changes, path by path, in the form of change streams. */
  changes?: FieldChange[];
}

interface Run extends RunContext {
  original: Doc;
  doc: Doc;
  filters: ArrayFilters;
  /** Concrete paths written so far; null if no positional parts can make two of them equal. */
  touched: string[] | null;
}

function arrayAt(run: Run, parts: readonly string[]): unknown[] {
  const at = locate(run.doc, parts);
  const path = parts.join('.');
  if (at.kind !== 'found') {
    return fail('BadValue', `The path '${path}' must exist in the document in order to apply array updates.`);
  }
  if (Array.isArray(at.value)) return at.value;
  const field = parts[parts.length - 1];
  return fail('BadValue', `Cannot apply array updates to non-array element ${field}: ${showValue(at.value)}`);
}

function positionsOf(run: Run, parts: readonly string[], identifier: string, path: string): string[] {
  if (identifier === '$') {
    if (run.position === null) {
      fail('BadValue', 'The positional operator did not find the match needed from the query.');
    }
    return [String(run.position)];
  }
  const positions: string[] = [];
  arrayAt(run, parts).forEach((element, i) => {
    if (identifier === '' || run.filters.test(identifier, element, path)) positions.push(String(i));
  });
  return positions;
}

/** All concrete paths of a path with positional parts. */
function expand(run: Run, parts: readonly string[]): string[][] {
  let paths: string[][] = [[]];
  for (const part of parts) {
    const identifier = positionalOf(part);
    paths =
      identifier === undefined
        ? paths.map((path) => [...path, part])
        : paths.flatMap((path) => positionsOf(run, path, identifier, parts.join('.')).map((at) => [...path, at]));
  }
  return paths;
}

function touch(run: Run, path: string): void {
  if (!run.touched) return;
  const clash = run.touched.find(
    (other) => other === path || other.startsWith(`${path}.`) || path.startsWith(`${other}.`),
  );
  if (clash !== undefined) fail('ConflictingUpdateOperators', `Update created a conflict at '${path}'`);
  run.touched.push(path);
}

/** Reports a change at the topmost path that did not exist before, as in MongoDB's oplog. */
function reportValue(run: Run, parts: readonly string[], depth: number): void {
  const path = parts.slice(0, depth);
  const at = locate(run.doc, path);
  if (at.kind === 'found') run.changes?.push({ path: path.join('.'), value: at.value });
}

function write(
  run: Run,
  parts: readonly string[],
  operation: UpdateOperation,
  value: unknown,
  depth: number,
  old: unknown,
): void {
  if (depth === 1 && !run.inserting) requirePlainName(parts[0] ?? '');
  run.doc = withValue(run.doc, parts, value) as Doc;
  if (!run.changes) return;
  if (operation.appends && Array.isArray(old) && Array.isArray(value)) {
    for (let i = old.length; i < value.length; i++) {
      run.changes.push({ path: [...parts, String(i)].join('.'), value: value[i] });
    }
  } else {
    reportValue(run, parts, depth);
  }
}

function remove(run: Run, parts: readonly string[]): void {
  const inArray = Array.isArray((locate(run.doc, parts.slice(0, -1)) as { value?: unknown }).value);
  run.doc = withoutValue(run.doc, parts) as Doc;
  run.changes?.push(inArray ? { path: parts.join('.'), value: null } : { path: parts.join('.'), removed: true });
}

function runAt(run: Run, parts: readonly string[], operation: UpdateOperation): void {
  const path = parts.join('.');
  touch(run, path);
  const at = locate(run.doc, parts);
  const moment: Moment = { path, doc: run.original, now: run.now, inserting: run.inserting };
  if (at.kind === 'found') {
    const value = operation.run(at.value, moment);
    if (value === REMOVE) remove(run, parts);
    else if (value !== KEEP) write(run, parts, operation, value, parts.length, at.value);
  } else if (operation.creates) {
    const value = operation.run(undefined, moment);
    if (value === KEEP) return;
    if (at.kind === 'blocked') notViable(parts, at);
    write(run, parts, operation, value, at.depth + 1, undefined);
  } else if (at.kind === 'blocked' && !operation.anywhere) {
    notTraversable(parts, at);
  }
}

function checkNoArray(run: Run, parts: readonly string[], what: string): void {
  for (let depth = 1; depth < parts.length; depth++) {
    const at = locate(run.doc, parts.slice(0, depth));
    if (at.kind !== 'found' || !Array.isArray(at.value)) continue;
    fail(
      'BadValue',
      `The ${what} field cannot be an array element, '${parts.join('.')}' in doc with ${showId(run.original)} has an array field called '${parts[depth - 1]}'`,
    );
  }
}

function rename(run: Run, from: readonly string[], to: readonly string[]): void {
  const source = locate(run.doc, from);
  if (source.kind === 'blocked') notTraversable(from, source);
  if (source.kind === 'missing') return;
  checkNoArray(run, from, 'source');
  checkNoArray(run, to, 'destination');
  const target = locate(run.doc, to);
  if (target.kind === 'blocked') notViable(to, target);
  const depth = target.kind === 'missing' ? target.depth + 1 : to.length;
  if (depth === 1 && !run.inserting) requirePlainName(to[0] ?? '');
  run.doc = withValue(run.doc, to, source.value) as Doc;
  reportValue(run, to, depth);
  remove(run, from);
}

/** Applies the modifications in order; returns the same document if nothing changed. */
export function modify(
  doc: Doc,
  modifications: readonly Modification[],
  filters: ArrayFilters,
  context: RunContext,
): Doc {
  const dynamic = modifications.some(({ parts }) => parts.some((part) => positionalOf(part) !== undefined));
  const run: Run = { ...context, original: doc, doc, filters, touched: dynamic ? [] : null };
  for (const { parts, operation } of modifications) {
    if ('renameFrom' in operation) rename(run, operation.renameFrom, parts);
    else for (const path of expand(run, parts)) runAt(run, path, operation);
  }
  return run.doc;
}
