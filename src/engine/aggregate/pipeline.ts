// Pipelines: checked and compiled whole, then run lazily. Neighbouring one-to-one stages are fused into one pass.
import { type Doc, isDocument } from '../bson/types.js';
import { fail } from '../errors.js';
import {
  type CompiledPipeline,
  nothing,
  type PipelinePlace,
  type RunEnv,
  type Stage,
  type StageContext,
} from './stage.js';
import { REFUSED_STAGES, STAGES, type StageRow } from './stage-table.js';
import { baseVars, type PipelineEnv, type Vars } from '../expressions/types.js';

const MAX_STAGES = 1000;

/** The stage's name and specification; 40323 when the document has not exactly one field. */
export function stageOf(stage: unknown): { name: string; spec: unknown } {
  if (!isDocument(stage)) return fail('TypeMismatch', "Each element of the 'pipeline' array must be an object");
  const names = Object.keys(stage);
  if (names.length !== 1) {
    fail(40323, 'A pipeline stage specification object must contain exactly one field.');
  }
  const name = names[0] as string;
  return { name, spec: stage[name] };
}

/** The table's row for a stage. Errors: 40324 for a name MongoDB does not know, NotImplemented for one this store refuses. */
export function rowOf(name: string): StageRow {
  const row = STAGES.get(name);
  if (row) return row;
  const refused = REFUSED_STAGES.get(name);
  if (refused) fail(refused.code, refused.message);
  return fail(40324, `Unrecognized pipeline stage name: '${name}'`);
}

function checkPlace(row: StageRow, place: PipelinePlace, index: number): void {
  if (row.first && index > 0) fail(40602, `${row.name} is only valid as the first stage in a pipeline`);
  if (place === 'facet' && !row.inFacet) {
    fail(40600, `${row.name} is not allowed to be used within a $facet stage`);
  }
  if (place === 'lookup' && !row.inLookup) fail(51047, `${row.name} is not allowed within a $lookup's sub-pipeline`);
  if (place === 'unionWith' && !row.inLookup)
    fail(31441, `${row.name} is not allowed within a $unionWith's sub-pipeline`);
  if (place === 'update' && !row.inUpdate) {
    fail('InvalidOptions', `${row.name} is not allowed to be used within an update`);
  }
}

async function* mapped(source: AsyncIterable<Doc>, maps: readonly Map1[], vars: Vars): AsyncGenerator<Doc> {
  for await (const doc of source) {
    const result = applyAll(maps, doc, vars);
    if (result !== null) yield result;
  }
}

type Map1 = (doc: Doc, vars: Vars) => Doc | null;

function applyAll(maps: readonly Map1[], doc: Doc, vars: Vars): Doc | null {
  let current: Doc | null = doc;
  for (const map of maps) {
    current = map(current, vars);
    if (current === null) return null;
  }
  return current;
}

function chain(stages: readonly Stage[], source: AsyncIterable<Doc>, env: RunEnv): AsyncIterable<Doc> {
  let current = source;
  let maps: Map1[] = [];
  const flush = (): void => {
    if (maps.length > 0) current = mapped(current, maps, env.scope);
    maps = [];
  };
  for (const stage of stages) {
    if (stage.kind === 'map') {
      maps.push(stage.map);
    } else {
      flush();
      current = stage.run(current, env);
    }
  }
  flush();
  return current;
}

/** Checks and compiles the stages of a pipeline that is used in `place`; `names` are the variables in scope. */
export function compileStages(stages: readonly Doc[], names: readonly string[], place: PipelinePlace): Stage[] {
  if (stages.length > MAX_STAGES) fail(7749501, `Pipeline length must be no longer than ${MAX_STAGES} stages`);
  const context: StageContext = { names, place, inner: compilePipeline };
  const compiled = stages.map((stage, index) => {
    const { name, spec } = stageOf(stage);
    const row = rowOf(name);
    checkPlace(row, place, index);
    return row.compile(spec, context);
  });
  return compiled.map((stage, index) => boundedSort(stage, compiled.slice(index + 1)));
}

/** A sort before $skip and $limit keeps only as many documents as these need. */
function boundedSort(stage: Stage, following: readonly Stage[]): Stage {
  if (stage.kind !== 'stream' || !stage.bounded) return stage;
  let skipped = 0;
  for (const next of following) {
    if (next.kind !== 'stream') return stage;
    if (next.takes !== undefined) return stage.bounded(skipped + next.takes);
    if (next.skips === undefined) return stage;
    skipped += next.skips;
  }
  return stage;
}

/** A pipeline ready to run any number of times. Throws MongoDB's parse errors. */
export function compilePipeline(
  stages: readonly Doc[],
  names: readonly string[],
  place: PipelinePlace,
): CompiledPipeline {
  const compiled = compileStages(stages, names, place);
  const last = compiled.at(-1);
  if (place === 'top' && last?.kind === 'stream' && last.last) compiled[compiled.length - 1] = last.last;
  const selfStarting = stages.length > 0 && rowOf(stageOf(stages[0]).name).first;
  const maps = compiled.flatMap((stage) => (stage.kind === 'map' ? [stage.map] : []));
  return {
    selfStarting,
    ...(maps.length === compiled.length && { mapOne: (doc: Doc, vars: Vars) => applyAll(maps, doc, vars) }),
    run: (source, env, from = 0) => chain(compiled.slice(from), source, env),
  };
}

/**
 * Runs a pipeline over a source, lazily: it reads documents as results are consumed, and never changes them. Parse
 * errors are thrown at once, others while iterating. For a self-starting pipeline, pass an empty source.
 */
export function runPipeline(
  stages: readonly Doc[],
  source: AsyncIterable<Doc> | null,
  env: PipelineEnv,
): AsyncIterable<Doc> {
  return runChecked(checkPipeline(stages, env.vars), source, env);
}

/** Refuses stages that may not run in a transaction (263): `$indexStats`, `$collStats`. */
export function requireTransactional(stages: readonly Doc[]): void {
  for (const stage of stages) {
    const row = rowOf(stageOf(stage).name);
    if (row.inTransaction) continue;
    fail(
      'OperationNotSupportedInTransaction',
      `Operation not permitted in transaction :: caused by :: Stage not supported inside of a multi-document transaction: ${row.name}`,
    );
  }
}

/** Checks a pipeline without running it, and returns it for `runChecked`. Throws the parse errors of `runPipeline`. */
export function checkPipeline(stages: readonly Doc[], vars: Vars = {}): CompiledPipeline {
  return compilePipeline(stages, Object.keys(vars), 'top');
}

/** Runs a checked pipeline as `runPipeline` does, without its first `from` stages. */
export function runChecked(
  pipeline: CompiledPipeline,
  source: AsyncIterable<Doc> | null,
  env: PipelineEnv,
  from = 0,
): AsyncIterable<Doc> {
  return pipeline.run(source ?? nothing(), { ...env, scope: baseVars(env) }, from);
}

/**
 * Compiles the pipeline of an update (`$set`/`$addFields`, `$unset`/`$project`, `$replaceRoot`/`$replaceWith` only; InvalidOptions otherwise).
 * The result returns a new document and does not change its input; `vars` as in `compileExpression`.
 */
export function compileUpdatePipeline(stages: readonly Doc[], vars: Vars = {}): (doc: Doc, vars: Vars) => Doc {
  const maps = compileStages(stages, Object.keys(vars), 'update').map((stage) => {
    if (stage.kind !== 'map') throw new Error('update stages are one-to-one');
    return stage.map;
  });
  return (doc, values) => applyAll(maps, doc, values) ?? doc;
}
