// The fields of an object, written one behind the other. Fields that are made of the same things are kept together as one text.

import type { Output } from './output.js';
import { type RowTextCache, RowTexts } from './row-text-cache.js';

export type Source = Readonly<Record<string, unknown>>;
type WriteFields = (source: Source, out: Output) => void;

/** What a field's text is made of, as deep as it goes: of its own row, of rows of the catalog, or of whatever a request has. */
export type MadeOf = 'row' | 'catalog' | 'request';

export interface Making {
  of: MadeOf;
  /** Names of those that it takes. */
  variables: readonly string[];
}

/** One field of an object, with its name. */
export interface FieldWriter extends Making {
  write: WriteFields;
}

/** What is made of several things. */
export function madeOfAll(all: readonly Making[]): Making {
  const of = (['request', 'catalog'] as const).find((what) => all.some((each) => each.of === what)) ?? 'row';
  return { of, variables: [...new Set(all.flatMap(({ variables }) => variables))].sort() };
}

export function constant(text: string): FieldWriter {
  const write: WriteFields = (_source, out) => {
    out.text += text;
  };
  return { write, of: 'row', variables: [] };
}

/** Writes fields in their order. `fragments`: where texts are kept that may be given again; undefined: all are made anew. */
export function inOrder(fields: readonly FieldWriter[], fragments: RowTextCache | undefined): WriteFields {
  if (!fragments) return together(fields);
  return together(stretches(fields, ({ of }) => of !== 'request').map((stretch) => ofCatalog(stretch, fragments)));
}

/** Fields of which none needs the request: kept until the catalog changes, and what is the row's own in them until the row does. */
function ofCatalog(fields: readonly FieldWriter[], fragments: RowTextCache): Pick<FieldWriter, 'write'> {
  const making = madeOfAll(fields);
  const write = together(stretches(fields, ({ of }) => of === 'row').map((stretch) => ofRow(stretch, fragments)));
  return { write: making.of === 'catalog' ? keeping(write, making, fragments) : write };
}

/** Fewer pieces (the closing brace is one) are written as quickly as their text is found. */
const MANY = 5;

function ofRow(fields: readonly FieldWriter[], fragments: RowTextCache): Pick<FieldWriter, 'write'> {
  const write = together(fields);
  return { write: fields.length >= MANY ? keeping(write, madeOfAll(fields), fragments) : write };
}

/** Fields that follow each other and are all so; the others each for itself. */
function stretches(fields: readonly FieldWriter[], isSo: (field: FieldWriter) => boolean): FieldWriter[][] {
  const found: FieldWriter[][] = [];
  let last: FieldWriter[] | undefined;
  for (const field of fields) {
    if (last && isSo(field)) last.push(field);
    else {
      const begun = [field];
      found.push(begun);
      last = isSo(field) ? begun : undefined;
    }
  }
  return found;
}

function together(fields: readonly Pick<FieldWriter, 'write'>[]): WriteFields {
  const [first, ...more] = fields.map(({ write }) => write);
  if (!first) return () => {};
  if (more.length === 0) return first;
  const writes = [first, ...more];
  return (source, out) => {
    for (const write of writes) write(source, out);
  };
}

/** Characters of the longest variables that texts are kept with. */
const MAX_VARIABLES = 200;

/** Writes what was kept where it still holds; what is met for the second time is kept. */
function keeping(write: WriteFields, { of, variables: names }: Making, fragments: RowTextCache): WriteFields {
  const texts = new RowTexts(fragments);
  return (source, out) => {
    const variables = names.length === 0 ? '' : out.variablesText(names);
    const age = of === 'catalog' ? out.age : undefined;
    if ((of === 'catalog' && age === undefined) || variables.length > MAX_VARIABLES) return write(source, out);
    const kept = texts.find(source, { age, variables });
    const text = kept && texts.give(kept);
    if (text !== undefined) {
      out.text += text;
      return;
    }
    // Too large, or a part of a text that is going to be kept itself.
    if (kept?.text === null || !out.keeps) return write(source, out);
    if (kept === undefined) {
      texts.meet(source, { age, variables });
      return write(source, out);
    }
    const made = out.apart((own) => write(source, own));
    if (typeof made === 'string') out.text += texts.keep(kept, made);
    else out.wait(made, append);
  };
}

function append(text: unknown, out: Output): void {
  out.text += text as string;
}
