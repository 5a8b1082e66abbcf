// Read and write concerns: those that a replica set of one member can meet, and errors for the others.
import { Int32, Timestamp } from 'bson';
import { type Doc, isDocument, isNumber, TYPE, typeCode } from '../bson/types.js';
import { fail } from '../errors.js';
import { fromTimestamp, toTimestamp } from '../store/clock.js';
import { Args, wrongType } from './args.js';
import type { Command, Ctx } from './context.js';

const LEVELS = new Set(['local', 'available', 'majority', 'linearizable', 'snapshot']);
/** The only member serves every read preference: it is both primary and nearest. */
const READ_MODES = new Set<unknown>(['primary', 'primaryPreferred', 'secondary', 'secondaryPreferred', 'nearest']);
const READ_CONCERN_FIELDS = new Set(['level', 'afterClusterTime', 'atClusterTime', 'provenance']);
const WRITE_CONCERN_FIELDS = new Set(['w', 'j', 'wtimeout', 'wtimeoutMS', 'fsync', 'provenance', 'getLastError']);
const SNAPSHOT_READS = new Set(['find', 'aggregate', 'distinct']);

/** Checks both concerns of a command and prepares a snapshot read. */
export function requireConcerns(ctx: Ctx, command: Command): void {
  const { args } = ctx;
  requireWriteConcern(ctx, command);
  requireClusterTime(args);
  const mode = args.document('$readPreference')?.mode;
  if (mode !== undefined && !READ_MODES.has(mode)) {
    fail('FailedToParse', `Unrecognized read preference mode: ${JSON.stringify(mode)}`);
  }
  const concern = args.document('readConcern');
  if (!concern || Object.keys(concern).length === 0) return;
  const inner = new Args(concern, `${command.name}.readConcern`);
  inner.allow(READ_CONCERN_FIELDS);
  const level = inner.string('level');
  if (level !== undefined && !LEVELS.has(level)) {
    fail('FailedToParse', `Enumeration value '${level}' for field 'readConcern.level' is not a valid value.`);
  }
  if (ctx.txn) return;
  if (!command.reads && level !== undefined && level !== 'local') {
    fail('InvalidOptions', `Command ${command.name} does not support { readConcern: { level: "${level}" } }`);
  }
  if (level === 'snapshot') readSnapshot(ctx, command, inner.timestamp('atClusterTime'));
}

function readSnapshot(ctx: Ctx, command: Command, at: Timestamp | undefined): void {
  if (!SNAPSHOT_READS.has(command.name)) {
    fail('InvalidOptions', `Command ${command.name} does not support { readConcern: { level: "snapshot" } }`);
  }
  ctx.snapshot = ctx.engine.snapshots.at(at ? fromTimestamp(at) : undefined);
  ctx.atClusterTime = at ?? toTimestamp(ctx.snapshot.ts);
}

/** Cluster times are not signed, so one from another server is ignored; its form is still checked. */
function requireClusterTime(args: Args): void {
  const clusterTime = args.document('$clusterTime');
  if (!clusterTime) return;
  const time = new Args(clusterTime, '$clusterTime');
  if (!time.timestamp('clusterTime')) time.missing('clusterTime');
  const signature = time.document('signature');
  if (!signature) return;
  const inner = new Args(signature, '$clusterTime.signature');
  if (!inner.has('hash')) inner.missing('hash');
  if (typeCode(signature.hash) !== TYPE.binData) wrongType('$clusterTime.signature.hash', signature.hash, 'binData');
  if (!inner.long('keyId')) inner.missing('keyId');
}

function requireWriteConcern(ctx: Ctx, command: Command): void {
  const concern = ctx.args.document('writeConcern');
  if (!concern) return;
  new Args(concern, `${command.name}.writeConcern`).allow(WRITE_CONCERN_FIELDS);
  if (!command.writes && command.name !== 'aggregate') {
    fail('InvalidOptions', `Command ${command.name} does not support writeConcern`);
  }
  if (ctx.txn && command.name !== 'commitTransaction' && command.name !== 'abortTransaction') {
    fail('InvalidOptions', `${command.name} is not allowed with a writeConcern in a multi-document transaction`);
  }
  const { w } = concern;
  if (w !== undefined && !isNumber(w) && typeof w !== 'string' && !isDocument(w)) {
    fail('FailedToParse', 'w has to be a number, string, or object');
  }
}

/** The writeConcernError of a concern that one member cannot meet. The write itself is not undone. */
export function writeConcernFault(args: Args): Doc | undefined {
  const w = args.document('writeConcern')?.w;
  if (isNumber(w) && Number(w) > 1) {
    return {
      code: new Int32(100),
      codeName: 'UnsatisfiableWriteConcern',
      errmsg: 'Not enough data-bearing nodes',
      errInfo: concernInfo(args),
    };
  }
  if (isDocument(w) || (typeof w === 'string' && w !== 'majority')) {
    const errmsg = `No write concern mode named '${isDocument(w) ? JSON.stringify(w) : w}' found in replica set configuration`;
    return { code: new Int32(79), codeName: 'UnknownReplWriteConcern', errmsg, errInfo: concernInfo(args) };
  }
  return undefined;
}

function concernInfo(args: Args): Doc {
  return { writeConcern: args.document('writeConcern') ?? {} };
}
