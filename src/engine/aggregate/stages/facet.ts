// $facet: several pipelines over one input, read once.
import { roughSize } from '../../bson/rough-size.js';
import { type Doc, isDocument, setOwn, typeName } from '../../bson/types.js';
import { fail } from '../../errors.js';
import { checkFieldName } from '../../expressions/field-path.js';
import { type CompiledPipeline, MemoryMeter, type RunEnv, type StageCompiler } from '../stage.js';

interface Facet {
  name: string;
  pipeline: CompiledPipeline;
}

/** One input for several readers: a document is held until every active reader has received it. */
class Tee {
  readonly #source: AsyncIterator<Doc>;
  #pending: { readers: Set<number>; next: Promise<IteratorResult<Doc>> } | undefined;
  readonly #readers = new Set<number>();
  #wake: (() => void)[] = [];

  constructor(source: AsyncIterable<Doc>, readers: number) {
    this.#source = source[Symbol.asyncIterator]();
    for (let i = 0; i < readers; i++) this.#readers.add(i);
  }

  /** The next document for this reader. */
  async #next(reader: number): Promise<IteratorResult<Doc>> {
    while (this.#pending && !this.#pending.readers.has(reader)) {
      await new Promise<void>((resolve) => this.#wake.push(resolve));
    }
    this.#pending ??= { readers: new Set(this.#readers), next: this.#source.next() };
    const current = this.#pending;
    try {
      return await current.next;
    } finally {
      this.#had(current.readers, reader);
    }
  }

  #had(readers: Set<number>, reader: number): void {
    readers.delete(reader);
    if (readers.size > 0) return;
    this.#pending = undefined;
    const sleeper = this.#wake;
    this.#wake = [];
    for (const wake of sleeper) wake();
  }

  #leave(reader: number): void {
    this.#readers.delete(reader);
    if (this.#pending) this.#had(this.#pending.readers, reader);
    if (this.#readers.size === 0) void this.#source.return?.();
  }

  async *reader(reader: number): AsyncGenerator<Doc> {
    try {
      for (;;) {
        const result = await this.#next(reader);
        if (result.done) return;
        yield result.value;
      }
    } finally {
      this.#leave(reader);
    }
  }
}

async function collect(source: AsyncIterable<Doc>, meter: MemoryMeter): Promise<Doc[]> {
  const docs: Doc[] = [];
  for await (const doc of source) {
    meter.add(roughSize(doc));
    docs.push(doc);
  }
  return docs;
}

async function* faceted(source: AsyncIterable<Doc>, facets: readonly Facet[], env: RunEnv): AsyncGenerator<Doc> {
  const tee = new Tee(source, facets.length);
  const meter = new MemoryMeter('$facet');
  const results = await Promise.all(facets.map((facet, i) => collect(facet.pipeline.run(tee.reader(i), env), meter)));
  const doc: Doc = {};
  facets.forEach((facet, i) => {
    setOwn(doc, facet.name, results[i]);
  });
  yield doc;
}

/** $facet: {<field>: <pipeline>, …}. */
export const facet: StageCompiler = (spec, context) => {
  if (!isDocument(spec) || Object.keys(spec).length === 0) {
    return fail(40169, `the $facet specification must be a non-empty object, but found: ${typeName(spec)}`);
  }
  const facets = Object.keys(spec).map((name): Facet => {
    checkFieldName(name);
    if (name.includes('.')) fail(40169, `$facet field names may not contain '.': ${name}`);
    const stages = spec[name];
    if (!Array.isArray(stages)) fail(40170, `arguments to $facet must be arrays, ${name} is type ${typeName(stages)}`);
    for (const stage of stages) {
      if (!isDocument(stage))
        fail(
          40171,
          `elements of arrays in $facet spec must be non-empty objects, ${name} argument contained an element of type ${typeName(stage)}`,
        );
    }
    return { name, pipeline: context.inner(stages, context.names, 'facet') };
  });
  return { kind: 'stream', run: (source, env) => faceted(source, facets, env) };
};
