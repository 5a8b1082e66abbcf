// The shapes that expressions, stages and their callers share.
import type { Doc } from '../bson/types.js';

/** Variables by name without the `$$`: NOW, CLUSTER_TIME, and those of `let`. */
export type Vars = Record<string, unknown>;

/** A compiled expression: the value for a document; undefined is "missing". */
export type Evaluate = (doc: Doc, vars: Vars) => unknown;

/** A compiled expression; `constant` if it has the same value for every document. */
export interface Expression {
  run: Evaluate;
  constant: boolean;
}

/** A query of another collection; `vars` are what `$expr` in the filter may read. */
export interface ForeignQuery {
  sort?: Doc;
  skip?: number;
  limit?: number;
  vars?: Vars;
  /** Top-level fields of the documents to read; null or absent: all. The sort and the filter may read others. */
  fields?: readonly string[] | null;
  /** The same object for queries that differ only in values: they share a plan if it depends on no value. */
  similar?: object;
  /** The filter is `{[field]: {$eq: value}}` and `rest`; in similar queries, only the value differs. */
  join?: { field: string; value: unknown; rest: Doc };
}

/** A collection of the same database, read through the store's planner. A collection that does not exist is empty. */
export interface ForeignSource {
  find(filter: Doc, query?: ForeignQuery): AsyncIterable<Doc>;
  /** Reads documents as they are stored, or (`names`) with these top-level fields alone. Absent: this source has no stored bytes. */
  encoded?(names: readonly string[] | null): EachEncoded;
}

/**
 * Passes each document to `take`. Returns a promise unless all were passed synchronously. `filter` is called only if
 * the query's `join` has no plan.
 */
export type EachEncoded = (
  filter: () => Doc,
  query: ForeignQuery,
  take: (bytes: Buffer) => void,
) => Promise<void> | undefined;

/** The store, as a running pipeline uses it. */
export interface PipelineEnv {
  /** The collection's full name, for `$indexStats` and `$collStats`. */
  namespace: string;
  /** The command's `let`, by name. */
  vars: Vars;
  /** `$$NOW`: one moment for the whole command. */
  now: Date;
  /** `$$CLUSTER_TIME`, a Timestamp. */
  clusterTime?: unknown;
  /** `host:port` of this server, for `$indexStats` and `$collStats`. */
  host: string;
  foreign(collection: string): ForeignSource;
  /** How many documents the collection has; throws NamespaceNotFound if it does not exist. */
  count(): number | Promise<number>;
  /** The collection's sizes as `collStats` returns them, divided by `scale`. */
  sizes(scale: number): Doc | Promise<Doc>;
  /** Each index as `listIndexes` returns it, with how often it was used and since when. */
  indexStats(): readonly IndexUse[] | Promise<readonly IndexUse[]>;
}

/** One index's use since the server started. */
export interface IndexUse {
  name: string;
  key: Doc;
  ops: number;
  since: Date;
  spec: Doc;
}

/** The system variables besides the client's own; one object for all evaluations of a command. */
export function baseVars(env: { vars?: Vars; now: Date; clusterTime?: unknown }): Vars {
  const vars: Vars = Object.assign(Object.create(null), env.vars);
  vars.NOW ??= env.now;
  if (env.clusterTime !== undefined) vars.CLUSTER_TIME = env.clusterTime;
  return vars;
}

/** A child scope: reads fall through to the outer one, writes stay inside. */
export function childVars(vars: Vars): Vars {
  return Object.create(vars);
}
