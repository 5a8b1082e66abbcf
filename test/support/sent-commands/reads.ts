// The reads inside of commands: what each filters by, in which order and up to how many rows.
import { collectionOf, type Doc, docOf, docsIn } from './values.js';

export interface Read {
  /** For example `find events` or `lookup credentials`. */
  name: string;
  collection: string;
  filter: Doc;
  sort: Doc;
  isLimited: boolean;
  /**
   * Whether it reads a piece of a collection: a range of the hinted index, with any further conditions
   * (src/store/pieces.ts).
   */
  isPiece?: boolean;
}

/** Every read of a command: its own, those of its statements, and those of `$lookup` and `$unionWith`. */
export function readsOf(command: Doc): Read[] {
  const [name = ''] = Object.keys(command);
  const collection = collectionOf(command);
  if (collection === undefined) return [];
  const read = (filter: unknown, sort: unknown, isLimited: boolean, hint?: unknown): Read => ({
    name: `${name} ${collection}`,
    collection,
    filter: docOf(filter),
    sort: docOf(sort),
    isLimited,
    isPiece: isPiece(docOf(filter), hint),
  });
  if (name === 'find') return [read(command.filter, command.sort, Number(command.limit ?? 0) !== 0, command.hint)];
  if (name === 'count') return Object.keys(docOf(command.query)).length === 0 ? [] : [read(command.query, {}, false)];
  if (name === 'findAndModify') return [read(command.query, command.sort, true)];
  if (name === 'update') return docsIn(command.updates).map(({ q, multi, hint }) => read(q, {}, multi !== true, hint));
  if (name === 'delete') return docsIn(command.deletes).map(({ q, limit, hint }) => read(q, {}, limit !== 0, hint));
  if (name === 'aggregate') return readsOfPipeline(name, collection, docsIn(command.pipeline));
  return [];
}

/** The range has no bounds if the collection has no more rows than one piece. */
function isPiece({ $and }: Doc, hint: unknown): boolean {
  const [by, ...more] = Object.keys(docOf(hint));
  const [range, , ...others] = docsIn($and);
  if (by === undefined || range === undefined || more.length + others.length > 0) return false;
  return Object.keys(range).every((field) => field === by);
}

function readsOfPipeline(name: string, collection: string, stages: readonly Doc[], joined: Doc = {}): Read[] {
  const [first] = stages;
  const inner = stages.flatMap(readsOfStage);
  if (first && ('$changeStream' in first || '$collStats' in first || '$documents' in first)) return inner;
  const filters = leading(stages, '$match');
  const sorts = leading(stages.slice(filters.length), '$sort');
  const isLimited = stages[filters.length + sorts.length]?.$limit !== undefined;
  const filter = { $and: [joined, ...filters] };
  return [{ name: `${name} ${collection}`, collection, filter, sort: docOf(sorts[0]), isLimited }, ...inner];
}

/** The specifications of the stages of this name at the beginning of a pipeline. */
function leading(stages: readonly Doc[], name: string): Doc[] {
  const others = stages.findIndex((stage) => !(name in stage));
  return stages.slice(0, others < 0 ? stages.length : others).map((stage) => docOf(stage[name]));
}

function readsOfStage({ $lookup, $unionWith, $facet }: Doc): Read[] {
  const { from, foreignField, pipeline } = docOf($lookup);
  if (typeof from === 'string') {
    // The command does not contain the values to join with, so any value is assumed.
    const joined = typeof foreignField === 'string' ? { [foreignField]: { $in: ['joined'] } } : {};
    return readsOfPipeline('$lookup', from, docsIn(pipeline), joined);
  }
  const { coll, pipeline: united } = docOf($unionWith);
  if (typeof coll === 'string') return readsOfPipeline('$unionWith', coll, docsIn(united));
  return Object.values(docOf($facet)).flatMap((inner) => docsIn(inner).flatMap(readsOfStage));
}
