// The stable API: the version that a client may request, and what apiStrict excludes.
import { UNSTABLE_STAGES } from '../aggregate/stage-table.js';
import { type Doc, isDocument } from '../bson/types.js';
import { fail } from '../errors.js';
import type { Args } from './args.js';
import type { Command } from './context.js';

/** Command fields outside of API version 1. */
export const UNSTABLE_FIELDS: Readonly<Record<string, readonly string[]>> = {
  find: ['awaitData', 'max', 'min', 'noCursorTimeout', 'oplogReplay', 'returnKey', 'showRecordId', 'tailable'],
  aggregate: ['explain'],
  count: ['fields'],
  create: ['autoIndexId', 'capped', 'indexOptionDefaults', 'max', 'size', 'storageEngine'],
  getMore: ['lastKnownCommittedOpTime', 'term'],
};
/** Fields outside of it that any command may have. */
export const UNSTABLE_ANYWHERE: readonly string[] = [
  ...['$audit', '$client', '$configServerState', '$queryOptions', 'allowImplicitCollectionCreation', 'coordinator'],
];
/** Fields of the statements in a command. */
export const UNSTABLE_IN_STATEMENTS: Readonly<Record<string, readonly string[]>> = {
  updates: ['sampleId', 'sort'],
  indexes: ['background', 'bucketSize', 'prepareUnique', 'sparse', 'storageEngine'],
};
export const UNSTABLE_CHANGE_STREAM_OPTIONS: readonly string[] = ['showExpandedEvents'];

/** Checks apiVersion, apiStrict and apiDeprecationErrors of a command. Throws 322 and 323. */
export function requireApi(command: Command, args: Args): void {
  const version = args.string('apiVersion');
  const strict = args.boolean('apiStrict');
  if (version === undefined) {
    if (args.has('apiStrict') || args.has('apiDeprecationErrors')) {
      fail(4886600, 'Provided apiStrict and/or apiDeprecationErrors without passing apiVersion');
    }
    return;
  }
  if (version !== '1') fail('APIVersionError', 'API version must be "1"');
  if (!strict) return;
  if (!command.stable) {
    fail(
      'APIStrictError',
      `Provided apiStrict:true, but the command ${command.name} is not in API Version 1. Information on supported commands and migrations in API Version 1 can be found at https://dochub.mongodb.org/core/manual-versioned-api.`,
    );
  }
  requireStable(args.doc, [...(UNSTABLE_FIELDS[command.name] ?? []), ...UNSTABLE_ANYWHERE], command.name);
  for (const [list, fields] of Object.entries(UNSTABLE_IN_STATEMENTS)) {
    if (!command.fields.includes(list)) continue;
    for (const statement of args.array(list) ?? []) requireStable(statement, fields, `${command.name}.${list}`);
  }
  if (command.name === 'aggregate') requireStableStages(args.array('pipeline') ?? []);
}

function requireStable(doc: unknown, unstable: readonly string[], path: string): void {
  if (!isDocument(doc)) return;
  for (const field of unstable) {
    if (Object.hasOwn(doc, field))
      fail('APIStrictError', `BSON field '${path}.${field}' is not allowed with apiStrict:true.`);
  }
}

function requireStableStages(stages: unknown[]): void {
  for (const stage of stages.filter(isDocument)) {
    const name = Object.keys(stage)[0] ?? '';
    if (UNSTABLE_STAGES.has(name) && !isCount(stage)) {
      fail('APIStrictError', `stage ${name} is not allowed with 'apiStrict: true' in API Version 1`);
    }
    requireStable(stage.$changeStream, UNSTABLE_CHANGE_STREAM_OPTIONS, '$changeStream');
    for (const inner of pipelinesIn(stage[name])) requireStableStages(inner);
  }
}

/** $collStats with nothing but count is in the API: estimated counts use it. */
function isCount(stage: Doc): boolean {
  const spec = stage.$collStats;
  return isDocument(spec) && Object.keys(spec).length === 1 && Object.hasOwn(spec, 'count');
}

function pipelinesIn(spec: unknown): unknown[][] {
  if (!isDocument(spec)) return [];
  return Object.values(spec).filter((value): value is unknown[] => Array.isArray(value));
}
