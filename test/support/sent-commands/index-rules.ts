// Whether a read can use an index: its filter bounds the first field of the index, or it follows the order of the index up to a limit.
import { implies, operatorsOf } from './implied.js';
import type { Read } from './reads.js';
import { type Doc, docOf, docsIn, isOperators } from './values.js';

export interface Index {
  fields: string[];
  partialFilter?: unknown;
}

/** The parts of a filter, all of which must be met. */
interface Parts {
  /** The conditions of each field. */
  conditions: Map<string, unknown[]>;
  /** Fields inside of `$elemMatch`: an index can be bounded by them, but they imply no partial filter. */
  elements: Map<string, unknown[]>;
  /** The branches of each `$or`. */
  choices: Doc[][];
}

const ID: Index = { fields: ['_id'] };

/** @param indexes the indexes of the collection, without that of `_id` */
export function hasIndex({ filter, sort, isLimited, isPiece }: Read, indexes: readonly Index[]): boolean {
  if (isPiece) return true;
  const all = [ID, ...indexes];
  const parts = partsOf([filter]);
  if (isBounded(parts, all)) return true;
  if (!isLimited) return false;
  const isUnfiltered = parts.conditions.size === 0 && parts.choices.length === 0;
  const [order] = Object.keys(sort);
  return order === undefined ? isUnfiltered : all.some((index) => followsOrder(parts, order, index));
}

/** Whether the read follows the order of an index: then it ends at the limit, if the filter skips no row. */
function followsOrder({ conditions, choices }: Parts, order: string, index: Index): boolean {
  const covered = new Set([...index.fields, ...Object.keys(docOf(index.partialFilter))]);
  return (
    index.fields[0] === order &&
    choices.length === 0 &&
    implies(conditions, index.partialFilter) &&
    [...conditions.keys()].every((field) => covered.has(field))
  );
}

function isBounded(parts: Parts, indexes: readonly Index[]): boolean {
  const { conditions, elements, choices } = parts;
  const byField = indexes.some(({ fields: [first = ''], partialFilter }) => {
    if (!implies(conditions, partialFilter)) return false;
    // Every row of a partial index has the field that its filter requires.
    if (first in docOf(partialFilter)) return true;
    return [...(conditions.get(first) ?? []), ...(elements.get(first) ?? [])].some(bounds);
  });
  return (
    byField ||
    choices.some(
      (branches) => branches.length > 0 && branches.every((branch) => isBounded(joined(parts, branch), indexes)),
    )
  );
}

/** A branch of an `$or`, together with the conditions beside the `$or`. */
function joined({ conditions, elements }: Parts, branch: Doc): Parts {
  const own = partsOf([branch]);
  for (const [mine, theirs] of [
    [own.conditions, conditions],
    [own.elements, elements],
  ] as const) {
    for (const [field, values] of theirs) mine.set(field, [...(mine.get(field) ?? []), ...values]);
  }
  return own;
}

function partsOf(filters: readonly Doc[]): Parts {
  const parts: Parts = { conditions: new Map(), elements: new Map(), choices: [] };
  const add = (map: Map<string, unknown[]>, field: string, condition: unknown): void =>
    void map.set(field, [...(map.get(field) ?? []), condition]);
  const visit = (filter: Doc): void => {
    for (const [name, value] of Object.entries(filter)) {
      if (name === '$and') for (const each of docsIn(value)) visit(each);
      else if (name === '$or') parts.choices.push(docsIn(value));
      else if (!name.startsWith('$')) {
        add(parts.conditions, name, value);
        const { $elemMatch } = docOf(value);
        for (const [inner, condition] of Object.entries(docOf($elemMatch)))
          if (inner.startsWith('$')) add(parts.conditions, name, { [inner]: condition });
          else add(parts.elements, `${name}.${inner}`, condition);
      }
    }
  };
  for (const filter of filters) visit(filter);
  return parts;
}

/** Whether the condition restricts the read to a part of an index. */
function bounds(condition: unknown): boolean {
  const operators = operatorsOf(condition);
  return Object.entries(operators).some(([name, operand]) => {
    if (name === '$regex') return /^\^[^|]*$/.test(operand instanceof RegExp ? operand.source : String(operand));
    if (name === '$all') return Array.isArray(operand) && operand.some((each) => !isOperators(each));
    return BOUNDING.has(name);
  });
}

const BOUNDING: ReadonlySet<string> = new Set(['$eq', '$in', '$gt', '$gte', '$lt', '$lte']);
