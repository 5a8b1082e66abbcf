// What a stage is: compiled from its specification once, then run over a stream of documents.
import { type Doc, isDocument } from '../bson/types.js';
import { type ErrorName, fail, MongoError } from '../errors.js';
import type { PipelineEnv, Vars } from '../expressions/types.js';

/** The environment of a running stage: the store, and the variables' values. */
export interface RunEnv extends PipelineEnv {
  /** `env.vars` with NOW and the other system variables; computed once for a pipeline. */
  scope: Vars;
}

/** A compiled stage: maps each document to one document or none, or a stream to another. */
export type Stage =
  | { kind: 'map'; map: (doc: Doc, vars: Vars) => Doc | null }
  | {
      kind: 'stream';
      run: (source: AsyncIterable<Doc>, env: RunEnv) => AsyncIterable<Doc>;
      /** A sort that returns only its first `limit` documents. */
      bounded?: (limit: number) => Stage;
      /** The count of a $skip or a $limit: a sort before them can be bounded. */
      skips?: number;
      takes?: number;
      /** The stage to use if it is the pipeline's last: its documents go to the client only, so they may contain an EncodedDocument. */
      last?: Stage;
    };

/** The context in which a pipeline is used; some stages are not allowed in all of them. */
export type PipelinePlace = 'top' | 'facet' | 'lookup' | 'unionWith' | 'update';

/** A pipeline ready to run any number of times. */
export interface CompiledPipeline {
  /** Whether it begins with a stage that creates its own documents (`$documents`, `$indexStats`, `$collStats`). */
  selfStarting: boolean;
  /** Applies it to one document; absent unless each stage maps a document to one or none. */
  mapOne?: (doc: Doc, vars: Vars) => Doc | null;
  /** Runs it over a source, without its first `from` stages. */
  run(source: AsyncIterable<Doc>, env: RunEnv, from?: number): AsyncIterable<Doc>;
}

/** The context in which a stage is compiled. */
export interface StageContext {
  /** Names of the variables in scope. */
  names: readonly string[];
  place: PipelinePlace;
  /** Compiles a pipeline inside a stage. */
  inner(stages: readonly Doc[], names: readonly string[], place: PipelinePlace): CompiledPipeline;
}

/** Compiles a stage's specification. Throws MongoDB's parse errors. */
export type StageCompiler = (spec: unknown, context: StageContext) => Stage;

/** Runs `work` and puts "Invalid $stage :: caused by ::" before the message of an error, as MongoDB does for projections. */
export function blame<T>(stage: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof MongoError)) throw error;
    throw new MongoError(error.code, error.codeName, `Invalid ${stage} :: caused by :: ${error.message}`, error);
  }
}

/** The specification as a document, or the stage's error. */
export function documentSpec(spec: unknown, code: ErrorName | number, message: string): Doc {
  return isDocument(spec) ? spec : fail(code, message);
}

/** Combines streaming stages into one. */
export function inSequence(stages: readonly Stage[]): Stage {
  const each = (source: AsyncIterable<Doc>, stage: Stage, env: RunEnv): AsyncIterable<Doc> =>
    stage.kind === 'stream' ? stage.run(source, env) : source;
  return { kind: 'stream', run: (source, env) => stages.reduce((current, stage) => each(current, stage, env), source) };
}

/** An empty source. */
export async function* nothing(): AsyncGenerator<Doc> {}

/** MongoDB's limit for what a blocking stage may hold in memory, in bytes. */
export const MEMORY_LIMIT = 104_857_600;

/** Estimates what a stage holds, and refuses (292) what MongoDB would without disk use. */
export class MemoryMeter {
  #bytes = 0;
  readonly #stage: string;

  constructor(stage: string) {
    this.#stage = stage;
  }

  add(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= MEMORY_LIMIT) return;
    fail(
      'QueryExceededMemoryLimitNoDiskUseAllowed',
      `Exceeded memory limit for ${this.#stage}: more than ${MEMORY_LIMIT} bytes; this store does not sort or group on disk`,
    );
  }

  set(bytes: number): void {
    this.#bytes = 0;
    this.add(bytes);
  }

  get bytes(): number {
    return this.#bytes;
  }
}
