// Updates of all three kinds (replacement, operators, pipeline) compiled once and applied to each document.
import type { Timestamp } from 'bson';
import { compileUpdatePipeline } from '../aggregate/pipeline.js';
import { baseVars } from '../expressions/types.js';
import { equalValues, identicalValues } from '../bson/compare.js';
import { withTimestamps } from '../bson/empty-timestamp.js';
import { withBytesOf } from '../bson/raw.js';
import { showValue } from '../bson/show.js';
import { type Doc, isDocument } from '../bson/types.js';
import { fail } from '../errors.js';
import { compileArrayFilters } from './array-filters.js';
import type { FieldChange } from './diff.js';
import { readModifiers } from './modifiers.js';
import { modify } from './modify.js';
import { requirePlainName } from './operation.js';

/** Options of an update: `vars` are the command's `let` and the statement's constants, by name. */
export interface UpdateOptions {
  arrayFilters?: readonly unknown[];
  vars?: Doc;
  /** The server's time, for empty timestamps of a replacement. */
  clock?: () => Timestamp;
}

/** The context of applying an update to one document. */
export interface UpdateMoment {
  /** The array position the query matched, for the positional `$`. */
  position?: number | null;
  /** Whether an upsert creates the document. */
  inserting?: boolean;
  now?: Date;
  /** Operators add their changes here, for `updateDescription`. For other kinds of updates, the documents are compared instead. */
  changes?: FieldChange[];
}

/** A compiled update. */
export interface CompiledUpdate {
  kind: 'replace' | 'operators' | 'pipeline';
  /** The updated document; the same object if nothing changed. Never changes its input. Throws ImmutableField for a new `_id`. */
  apply(doc: Doc, moment?: UpdateMoment): Doc;
}

function checkId(before: Doc, after: Doc, kind: CompiledUpdate['kind']): void {
  if (before._id === undefined || equalValues(before._id, after._id)) return;
  if (kind === 'operators') {
    fail('ImmutableField', "Performing an update on the path '_id' would modify the immutable field '_id'");
  }
  fail(
    'ImmutableField',
    `After applying the update, the (immutable) field '_id' was found to have been altered to _id: ${showValue(after._id)}`,
  );
}

/** The old `_id` goes first; the rest follows in the order of the replacement. */
function withIdOf(before: Doc, replacement: Doc): Doc {
  const { _id: args, ...rest } = replacement;
  const id = before._id ?? args;
  return withBytesOf(replacement, id === undefined ? rest : { _id: id, ...rest });
}

function compileReplacement(args: Doc, clock: UpdateOptions['clock']): CompiledUpdate {
  const replacement = clock ? withTimestamps(args, clock) : args;
  return {
    kind: 'replace',
    apply: (doc, { inserting = false } = {}) => {
      if (replacement._id !== undefined) checkId(doc, replacement, 'replace');
      const after = withIdOf(doc, replacement);
      if (identicalValues(doc, after)) return doc;
      if (!inserting) for (const name of Object.keys(replacement)) requirePlainName(name);
      return after;
    },
  };
}

function compileOperatorUpdate(update: Doc, { arrayFilters = [], vars }: UpdateOptions): CompiledUpdate {
  const filters = compileArrayFilters(arrayFilters, { vars });
  const modifications = readModifiers(update, filters, { vars });
  filters.checkAllUsed(update);
  return {
    kind: 'operators',
    apply: (doc, { position = null, inserting = false, now = new Date(), changes } = {}) => {
      const after = modify(doc, modifications, filters, { position, inserting, now, changes });
      checkId(doc, after, 'operators');
      return after;
    },
  };
}

function compilePipelineUpdate(stages: readonly unknown[], vars: Doc): CompiledUpdate {
  const run = compileUpdatePipeline(stages as Doc[], vars);
  return {
    kind: 'pipeline',
    apply: (doc, { now = new Date() } = {}) => {
      const result = run(doc, baseVars({ vars, now }));
      if (result._id !== undefined) checkId(doc, result, 'pipeline');
      const after = withIdOf(doc, result);
      return identicalValues(doc, after) ? doc : after;
    },
  };
}

/**
 * Compiles the update of `update` and `findAndModify`: a pipeline (array), operators (first field starts with `$`), or a replacement.
 * Throws MongoDB's error for a malformed update (FailedToParse, ConflictingUpdateOperators, DollarPrefixedFieldName, …).
 */
export function compileUpdate(update: Doc | readonly unknown[], options: UpdateOptions = {}): CompiledUpdate {
  const filtered = (options.arrayFilters?.length ?? 0) > 0;
  if (Array.isArray(update)) {
    if (filtered) fail('FailedToParse', 'arrayFilters may not be specified for pipeline-syle updates');
    return compilePipelineUpdate(update, options.vars ?? {});
  }
  const document = isDocument(update)
    ? update
    : fail('FailedToParse', 'Update argument must be either an object or an array');
  if (Object.keys(document)[0]?.startsWith('$')) return compileOperatorUpdate(document, options);
  if (filtered) fail('FailedToParse', 'arrayFilters may not be specified for replacement-style updates');
  return compileReplacement(document, options.clock);
}
