// Every aggregation stage in one alphabetic table, and the stages this store refuses; checks, docs and commands derive from it.
import type { ErrorName } from '../errors.js';
import type { StageCompiler } from './stage.js';
import { bucket, bucketAuto } from './stages/bucket.js';
import { facet } from './stages/facet.js';
import { group, sortByCount } from './stages/group.js';
import { lookup, unionWith } from './stages/lookup.js';
import { addFields, project, set, unset } from './stages/project.js';
import { redact } from './stages/redact.js';
import { countStage, documents, limit, match, replaceRoot, replaceWith, skip } from './stages/simple.js';
import { sample, sort } from './stages/sort.js';
import { collStats, indexStats } from './stages/statistics.js';
import { unwind } from './stages/unwind.js';

/** The properties of a stage, without its code. */
export interface StageRow {
  name: string;
  compile: StageCompiler;
  /** Creates its own documents: only at the start of a pipeline. */
  first: boolean;
  inFacet: boolean;
  /** Allowed in the pipelines of `$lookup` and `$unionWith`. */
  inLookup: boolean;
  inUpdate: boolean;
  inTransaction: boolean;
  /** Part of the stable API version 1. */
  stable: boolean;
}

type Exceptions = Partial<Omit<StageRow, 'name' | 'compile'>>;

function row(name: string, compile: StageCompiler, exceptions: Exceptions = {}): StageRow {
  const usual = { first: false, inFacet: true, inLookup: true, inUpdate: false, inTransaction: true, stable: true };
  return { name, compile, ...usual, ...exceptions };
}

const UPDATE = { inUpdate: true };
/** Stages that report on the pipeline's own collection: only first, and neither in $facet and $lookup nor in transactions. */
const OWN = { first: true, inFacet: false, inLookup: false, inTransaction: false };

/** The stages, in alphabetic order. `$changeStream` is not listed: commands/change-stream.ts runs it. */
export const stageTable: readonly StageRow[] = [
  row('$addFields', addFields, UPDATE),
  row('$bucket', bucket),
  row('$bucketAuto', bucketAuto),
  row('$collStats', collStats, { ...OWN, stable: false }),
  row('$count', countStage),
  row('$documents', documents, { first: true, inFacet: false }),
  row('$facet', facet, { inFacet: false }),
  row('$group', group),
  row('$indexStats', indexStats, { ...OWN, stable: false }),
  row('$limit', limit),
  row('$lookup', lookup),
  row('$match', match),
  row('$project', project, UPDATE),
  row('$redact', redact),
  row('$replaceRoot', replaceRoot, UPDATE),
  row('$replaceWith', replaceWith, UPDATE),
  row('$sample', sample),
  row('$set', set, UPDATE),
  row('$skip', skip),
  row('$sort', sort),
  row('$sortByCount', sortByCount),
  row('$unionWith', unionWith),
  row('$unset', unset, UPDATE),
  row('$unwind', unwind),
];

/** The table by name. */
export const STAGES: ReadonlyMap<string, StageRow> = new Map(stageTable.map((each) => [each.name, each]));

/** A stage of MongoDB that is refused, with the error. */
export interface RefusedStage {
  name: string;
  code: ErrorName;
  message: string;
  stable: boolean;
}

function refused(name: string, stable = true, code: ErrorName = 'NotImplemented'): RefusedStage {
  return { name, code, stable, message: `The aggregation stage ${name} is not supported by this store` };
}

function search(name: string): RefusedStage {
  return refused(name, false, 'SearchNotEnabled');
}

/** Stages that MongoDB has and this store does not. */
export const refusedStages: readonly RefusedStage[] = [
  refused('$changeStreamSplitLargeEvent'),
  refused('$currentOp', false),
  refused('$densify'),
  refused('$fill'),
  refused('$geoNear'),
  refused('$graphLookup'),
  refused('$listLocalSessions', false),
  refused('$listSampledQueries', false),
  search('$listSearchIndexes'),
  refused('$listSessions', false),
  refused('$merge'),
  refused('$out'),
  refused('$planCacheStats', false),
  refused('$querySettings', false),
  search('$rankFusion'),
  search('$search'),
  search('$searchMeta'),
  refused('$setWindowFields'),
  refused('$shardedDataDistribution', false),
  search('$vectorSearch'),
];

/** Stages outside of the stable API version 1 (of `$collStats`, only the count is inside). */
export const UNSTABLE_STAGES: ReadonlySet<string> = new Set(
  [...stageTable, ...refusedStages].filter((stage) => !stage.stable).map((stage) => stage.name),
);

/** The refused stages by name. */
export const REFUSED_STAGES: ReadonlyMap<string, RefusedStage> = new Map(
  refusedStages.map((each) => [each.name, each]),
);
