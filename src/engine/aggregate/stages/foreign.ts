// Pipelines over another collection, of $lookup and $unionWith: the planner runs their leading stages.
import { type Doc, isDocument, typeName } from '../../bson/types.js';
import { fail } from '../../errors.js';
import { wholeFields } from '../../query/projection.js';
import { topLevel } from '../dependencies.js';
import { type SplitPipeline, splitPipeline } from '../split.js';
import { type CompiledPipeline, nothing, type PipelinePlace, type RunEnv, type StageContext } from '../stage.js';
import type { ForeignQuery, Vars } from '../../expressions/types.js';

/** A pipeline over another collection; the planner runs its leading part. */
export interface ForeignPipeline {
  from: string;
  lead: SplitPipeline;
  whole: CompiledPipeline;
  /** How many of its stages the planner runs. The others are called the rest. */
  planned: number;
  /** Top-level fields that the rest reads; null: all. */
  fields: string[] | null;
  /** If the rest only projects: the top-level fields that it keeps (null: all). Undefined otherwise. */
  shows: string[] | null | undefined;
}

export function foreignPipeline(
  from: unknown,
  stages: Doc[],
  names: string[],
  context: StageContext,
  place: PipelinePlace,
): ForeignPipeline {
  const whole = context.inner(stages, names, place);
  if (whole.selfStarting)
    return { from: '', lead: splitPipeline(stages), whole, planned: 0, fields: null, shows: undefined };
  if (typeof from !== 'string')
    fail(
      'FailedToParse',
      `the collection of a ${place} must be named by a string; ${typeName(from)} is not supported by this store`,
    );
  const lead = splitPipeline(stages);
  const fields = lead.fields && topLevel(lead.fields);
  return { from, lead, whole, planned: stages.length - lead.rest.length, fields, shows: shownFields(lead.rest) };
}

function shownFields([stage, ...more]: readonly Doc[]): string[] | null | undefined {
  if (stage === undefined) return null;
  return more.length === 0 && isDocument(stage.$project) ? wholeFields(stage.$project) : undefined;
}

/** A filter to add to the pipeline's own, with the properties of ForeignQuery that describe it. */
export type Extra = { filter?: () => Doc } & Pick<ForeignQuery, 'similar' | 'join'>;

/** The filter (built on demand) and the query of the leading part. */
export function leadOf({ lead, fields }: ForeignPipeline, { filter: extra, similar, join }: Extra, vars: Vars) {
  const filter = (): Doc => {
    if (!extra) return lead.filter;
    return Object.keys(lead.filter).length > 0 ? { $and: [extra(), lead.filter] } : extra();
  };
  const { sort, skip, limit } = lead;
  return { filter, query: { sort, skip, limit, vars, fields, similar, join } };
}

/** Runs it. */
export function runForeign(pipeline: ForeignPipeline, extra: Extra, env: RunEnv): AsyncIterable<Doc> {
  if (pipeline.whole.selfStarting) return pipeline.whole.run(nothing(), env);
  const { filter, query } = leadOf(pipeline, extra, env.scope);
  return pipeline.whole.run(env.foreign(pipeline.from).find(filter(), query), env, pipeline.planned);
}

export function stagesOf(pipeline: unknown, stage: string): Doc[] {
  if (!Array.isArray(pipeline)) fail('TypeMismatch', `'pipeline' option of ${stage} must be specified as an array`);
  return pipeline.map((each) =>
    isDocument(each) ? each : fail('TypeMismatch', "Each element of the 'pipeline' array must be an object"),
  );
}
