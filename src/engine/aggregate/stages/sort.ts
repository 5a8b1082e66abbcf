// $sort: everything, or the best k when a $limit follows; $sample.
import { integralValue } from '../../bson/numbers.js';
import { roughSize } from '../../bson/rough-size.js';
import { type Doc, isNumber } from '../../bson/types.js';
import { fail } from '../../errors.js';
import { namedArguments } from '../../expressions/operator.js';
import { sortFieldsOf, sortKeyOf } from '../../expressions/sort-pattern.js';
import { documentSpec, MEMORY_LIMIT, MemoryMeter, type Stage, type StageCompiler } from '../stage.js';

interface Keyed {
  key: Buffer;
  order: number;
  doc: Doc;
  size: number;
}

const SHRINK_FROM = 64;

/** Keeps at most twice the limit of rows; equal keys stay in order of arrival. */
class Sorter {
  #rows: Keyed[] = [];
  #order = 0;
  readonly #meter = new MemoryMeter('$sort');
  readonly #limit: number;
  readonly #keyOf: (doc: Doc) => Buffer;

  constructor(limit: number, keyOf: (doc: Doc) => Buffer) {
    this.#limit = limit;
    this.#keyOf = keyOf;
  }

  add(doc: Doc): void {
    const key = this.#keyOf(doc);
    const size = roughSize(doc) + key.length;
    this.#rows.push({ key, order: this.#order++, doc, size });
    const full = this.#meter.bytes + size > MEMORY_LIMIT && this.#rows.length > this.#limit;
    // Measures the remaining rows again, with the new document.
    if (full || this.#rows.length >= 2 * this.#limit + SHRINK_FROM) this.#shrink();
    else this.#meter.add(size);
  }

  #shrink(): void {
    this.#rows.sort((a, b) => Buffer.compare(a.key, b.key) || a.order - b.order);
    if (this.#rows.length <= this.#limit) return;
    this.#rows = this.#rows.slice(0, this.#limit);
    this.#meter.set(this.#rows.reduce((sum, each) => sum + each.size, 0));
  }

  results(): Doc[] {
    this.#shrink();
    return this.#rows.map((each) => each.doc);
  }
}

async function* sorted(source: AsyncIterable<Doc>, limit: number, keyOf: (doc: Doc) => Buffer): AsyncGenerator<Doc> {
  const sorter = new Sorter(limit, keyOf);
  for await (const doc of source) sorter.add(doc);
  yield* sorter.results();
}

/** A sort stage for a pattern. */
export function compileSort(pattern: Doc): Stage {
  const fields = sortFieldsOf(pattern);
  const bounded = (limit: number): Stage => ({
    kind: 'stream',
    run: (source) => sorted(source, limit, (doc) => sortKeyOf(doc, fields)),
    bounded,
  });
  return bounded(Number.POSITIVE_INFINITY);
}

/** $sort. */
export const sort: StageCompiler = (spec) =>
  compileSort(documentSpec(spec, 15973, 'the $sort key specification must be an object'));

/** Reservoir sampling: every document has the same probability. */
async function* sampled(source: AsyncIterable<Doc>, size: number): AsyncGenerator<Doc> {
  const meter = new MemoryMeter('$sample');
  const picks: Doc[] = [];
  let count = 0;
  for await (const doc of source) {
    count += 1;
    if (picks.length < size) {
      meter.add(roughSize(doc));
      picks.push(doc);
      continue;
    }
    const at = Math.floor(Math.random() * count);
    if (at < size) picks[at] = doc;
  }
  yield* shuffled(picks);
}

function shuffled(docs: Doc[]): Doc[] {
  for (let i = docs.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [docs[i], docs[j]] = [docs[j] as Doc, docs[i] as Doc];
  }
  return docs;
}

/** $sample: {size}. */
export const sample: StageCompiler = (spec) => {
  const args = namedArguments('$sample', spec, {
    required: ['size'],
    notDocument: 28745,
    unknown: 28748,
    missing: 28749,
  });
  const size = isNumber(args.size)
    ? integralValue(args.size)
    : fail(28746, 'size argument to $sample must be a number');
  if (size === undefined || size <= 0n) fail(28747, 'size argument to $sample must be a positive integer');
  return { kind: 'stream', run: (source) => sampled(source, Number(size)) };
};
