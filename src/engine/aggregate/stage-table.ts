// Every aggregation stage in one alphabetic table, and the stages this store refuses; checks, docs and commands derive from it.
import type { ErrorName } from '../errors.js';
import type { StageCompiler } from './stage.js';
import { group, sortByCount } from './stages/group.js';
import { addFields, project, set, unset } from './stages/project.js';
import { countStage, documents, limit, match, replaceRoot, replaceWith, skip } from './stages/simple.js';
import { sample, sort } from './stages/sort.js';
import { unwind } from './stages/unwind.js';

/** What is known of a stage besides its code. */
export interface StageRow {
  name: string;
  compile: StageCompiler;
  /** Makes its own documents: only at the start of a pipeline. */
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

/** The stages, in alphabetic order. `$changeStream` is the store's own and is not here. */
export const stageTable: readonly StageRow[] = [
  row('$addFields', addFields, UPDATE),
  row('$count', countStage),
  row('$documents', documents, { first: true, inFacet: false }),
  row('$group', group),
  row('$limit', limit),
  row('$match', match),
  row('$project', project, UPDATE),
  row('$replaceRoot', replaceRoot, UPDATE),
  row('$replaceWith', replaceWith, UPDATE),
  row('$sample', sample),
  row('$set', set, UPDATE),
  row('$skip', skip),
  row('$sort', sort),
  row('$sortByCount', sortByCount),
  row('$unset', unset, UPDATE),
  row('$unwind', unwind),
];

/** The table by name. */
export const STAGES: ReadonlyMap<string, StageRow> = new Map(stageTable.map((each) => [each.name, each]));

/** A stage of MongoDB that is refused, and how. */
export interface RefusedStage {
  name: string;
  code: ErrorName;
  message: string;
}

function refused(name: string, code: ErrorName = 'NotImplemented'): RefusedStage {
  return { name, code, message: `The aggregation stage ${name} is not supported by this store` };
}

/** Stages MongoDB has and this store has not. */
export const refusedStages: readonly RefusedStage[] = [
  refused('$bucketAuto'),
  refused('$changeStreamSplitLargeEvent'),
  refused('$currentOp'),
  refused('$densify'),
  refused('$fill'),
  refused('$geoNear'),
  refused('$graphLookup'),
  refused('$listLocalSessions'),
  refused('$listSampledQueries'),
  refused('$listSearchIndexes', 'SearchNotEnabled'),
  refused('$listSessions'),
  refused('$merge'),
  refused('$out'),
  refused('$planCacheStats'),
  refused('$querySettings'),
  refused('$rankFusion', 'SearchNotEnabled'),
  refused('$search', 'SearchNotEnabled'),
  refused('$searchMeta', 'SearchNotEnabled'),
  refused('$setWindowFields'),
  refused('$shardedDataDistribution'),
  refused('$vectorSearch', 'SearchNotEnabled'),
];

/** The refused stages by name. */
export const REFUSED_STAGES: ReadonlyMap<string, RefusedStage> = new Map(
  refusedStages.map((each) => [each.name, each]),
);
