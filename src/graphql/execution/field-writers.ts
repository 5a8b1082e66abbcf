// Writers of an object's fields, one after the other. Neighbouring fields with the same dependencies are cached together as one text.

import { type Leaf, type SourceObject, usualValue } from './json-text.js';
import type { Output } from './output.js';
import { type RowTextCache, RowTexts } from './row-text-cache.js';

type WriteFields = (source: SourceObject, out: Output) => void;

/** What a field's text depends on, including everything below it: its own row, rows of the catalog, or anything in the request. */
export type DependencyScope = 'row' | 'catalog' | 'request';

export interface Dependencies {
  of: DependencyScope;
  /** Names of the variables that it uses. */
  variables: readonly string[];
}

interface Writer {
  write: WriteFields;
  /** What it writes, if that is a leaf which is read from the object, or a constant text. */
  leaf?: Leaf | string;
}

/** One field of an object, with its name. */
export interface FieldWriter extends Dependencies, Writer {}

/** The dependencies of several parts together. */
export function allDependencies(all: readonly Dependencies[]): Dependencies {
  const of = (['request', 'catalog'] as const).find((what) => all.some((each) => each.of === what)) ?? 'row';
  return { of, variables: [...new Set(all.flatMap(({ variables }) => variables))].sort() };
}

export function constant(text: string): FieldWriter {
  const write: WriteFields = (_source, out) => {
    out.text += text;
  };
  return { write, leaf: text, of: 'row', variables: [] };
}

/** Writes fields in their order. `rowTexts`: the row text cache; undefined: nothing is cached. */
export function inOrder(fields: readonly FieldWriter[], rowTexts: RowTextCache | undefined): WriteFields {
  if (!rowTexts) return together(fields);
  return together(stretches(fields, ({ of }) => of !== 'request').map((stretch) => ofCatalog(stretch, rowTexts)));
}

/**
 * Fields that do not depend on the request. Their text is cached until the catalog changes or, if they depend only on
 * the row, until the row does.
 */
function ofCatalog(fields: readonly FieldWriter[], rowTexts: RowTextCache): Writer {
  const dependencies = allDependencies(fields);
  const write = together(stretches(fields, ({ of }) => of === 'row').map((stretch) => ofRow(stretch, rowTexts)));
  return { write: dependencies.of === 'catalog' ? cachedWriter(write, dependencies, rowTexts) : write };
}

/** With fewer pieces (the closing brace counts as one), writing is as fast as looking up the text. */
const MANY = 5;

function ofRow(fields: readonly FieldWriter[], rowTexts: RowTextCache): Writer {
  const write = together(fields);
  return { write: fields.length >= MANY ? cachedWriter(write, allDependencies(fields), rowTexts) : write };
}

/** Groups neighbouring fields for which `isSo` holds; every other field is a group of its own. */
function stretches<T>(fields: readonly T[], isSo: (field: T) => boolean): T[][] {
  const groups: T[][] = [];
  let last: T[] | undefined;
  for (const field of fields) {
    if (last && isSo(field)) last.push(field);
    else {
      const group = [field];
      groups.push(group);
      last = isSo(field) ? group : undefined;
    }
  }
  return groups;
}

function together(fields: readonly Writer[]): WriteFields {
  return each(stretches(fields, ({ leaf }) => leaf !== undefined).map(leavesTogether));
}

function each([first, ...more]: readonly WriteFields[]): WriteFields {
  if (!first) return () => {};
  if (more.length === 0) return first;
  const writes = [first, ...more];
  return (source, out) => {
    for (const write of writes) write(source, out);
  };
}

/** Neighbouring leaves as one text, with as few pieces as possible, if all have usual values; otherwise one by one. */
function leavesTogether(fields: readonly Writer[]): WriteFields {
  const oneByOne = each(fields.map(({ write }) => write));
  if (fields.length === 1) return oneByOne;
  const leaves: Leaf[] = [];
  // A closing quotation mark is written with what follows it.
  let end = '';
  for (const { leaf = '' } of fields) {
    if (typeof leaf === 'string') end += leaf;
    else {
      leaves.push({ ...leaf, before: `${end}${leaf.before}${leaf.isQuoted ? '"' : ''}` });
      end = leaf.isQuoted ? '"' : '';
    }
  }
  return (source, out) => {
    let { text } = out;
    for (const leaf of leaves) {
      const value = usualValue(leaf, source, out.plain);
      if (value === undefined) return oneByOne(source, out);
      text += leaf.before + value;
    }
    out.text = text + end;
  };
}

/** Longest text of variables in a cache key, in characters. */
const MAX_VARIABLES = 200;

/** Writes the cached text if it is valid. A row's text is cached when the row occurs for the second time. */
function cachedWriter(write: WriteFields, { of, variables: names }: Dependencies, rowTexts: RowTextCache): WriteFields {
  const texts = new RowTexts(rowTexts);
  return (source, out) => {
    const variables = names.length === 0 ? '' : out.variablesText(names);
    const catalogVersion = of === 'catalog' ? out.catalogVersion : undefined;
    if ((of === 'catalog' && catalogVersion === undefined) || variables.length > MAX_VARIABLES)
      return write(source, out);
    const row = texts.keyOf(source);
    if (row === undefined) return write(source, out);
    const entry = texts.find(row, { catalogVersion, variables });
    const text = entry && texts.textOf(entry);
    if (text !== undefined) {
      out.text += text;
      return;
    }
    rowTexts.counts.misses += 1;
    // The text is too large, or is part of a larger text that will be cached.
    if (entry?.text === null || !out.keeps) return write(source, out);
    if (entry === undefined) {
      texts.add(row, { catalogVersion, variables });
      return write(source, out);
    }
    const newText = out.apart((own) => write(source, own));
    if (typeof newText === 'string') out.text += texts.store(entry, newText);
    else out.wait(newText, append);
  };
}

function append(text: unknown, out: Output): void {
  out.text += text as string;
}
