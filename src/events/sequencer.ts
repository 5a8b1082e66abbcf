// Numbers events. ONE elected process reads the change stream, which is in commit order (`_id` order is not), and stamps a dense `seq`. It
// uses no transaction: if it were killed in the middle of one, its rows would be locked for up to a minute.
// docs/decisions/0015-sequence-numbers-without-a-transaction.md explains why numbers are still dense and unique.
import { type ChangeStream, type ChangeStreamInsertDocument, MongoServerError, type ResumeToken } from 'mongodb';
import type { Connection, Types } from 'mongoose';
import { native } from '../base/mongodb/native.js';
import type { EventRow } from '../store/event-port.js';
import type { EventType } from '../store/event-types.js';
import type { Checkpoint, Term } from '../store/lease.js';
import { updateInPieces } from '../store/pieces.js';
import { type LogProgress, newestAssigned, newestStamped } from './log-state.js';
import type { EventModels } from './models.js';

/** Saved before each batch is stamped: the log's progress, and where the stream resumes. */
export interface SequencerState extends LogProgress {
  resumeToken?: ResumeToken;
}

/**
 * How long the server waits for an event before it replies: for the first reply, after which the log is checked, and
 * for later ones. Milliseconds.
 */
const FIRST_AWAIT_MS = 100;
const AWAIT_MS = 30_000;
/** Most rows that one command stamps. */
const BATCH = 500;
/** MongoDB: InvalidResumeToken, ChangeStreamFatalError, ChangeStreamHistoryLost: the token can never be resumed. */
const HISTORY_LOST = new Set([260, 280, 286]);

export interface SequencerOptions {
  connection: Connection;
  models: EventModels;
  clock(): number;
  /** How long an event stays in the log, milliseconds. */
  retentionMs: number;
  /** Called after every batch, with the types of its events. */
  onStamped(types: readonly EventType[]): void;
}

type Inserted = ChangeStreamInsertDocument<EventRow>;

/** The state of one run of the sequencer. */
interface SequencerRun extends SequencerOptions {
  checkpoint: Checkpoint<SequencerState>;
  signal: AbortSignal;
  state: SequencerState;
}

/** Stamps events until the term ends. */
export async function sequence(term: Term, options: SequencerOptions): Promise<void> {
  const checkpoint = await term.checkpoint<SequencerState>('sequencer');
  const saved = (await checkpoint.state()) ?? { lastSeq: 0 };
  // BSON has no undefined: a term that ended before its first token stored null.
  const resumeToken = saved.resumeToken ?? undefined;
  const stamped = await newestStamped(options.models);
  const lastSeq = newestAssigned(saved, stamped);
  const state = { ...saved, lastSeq, upTo: lastSeq, expireAt: stamped?.expireAt ?? saved.expireAt };
  const run: SequencerRun = { ...options, checkpoint, signal: term.signal, state };
  await shorten(run);
  try {
    await follow(run, resumeToken);
  } catch (error) {
    if (resumeToken === undefined || !(error instanceof NotResumed || isHistoryLost(error))) throw error;
    // Pending rows are stamped in the order of their ids, then the stream is followed as usual.
    await follow(run, undefined);
  }
}

/** Applies a shorter retention to existing rows, the oldest first: events expire in their order, and the newest shows what is left to do. */
async function shorten(run: SequencerRun): Promise<void> {
  const { models, clock, retentionMs, state, signal } = run;
  const expireAt = new Date(clock() + retentionMs);
  if (state.expireAt === undefined || state.expireAt <= expireAt) return;
  const later = { expireAt: { $gt: expireAt } };
  await updateInPieces(models.events, later, { $set: { expireAt } }, { by: 'seq', from: 1, signal });
  run.state = { ...state, expireAt };
  await run.checkpoint.advance(run.state);
}

async function follow(run: SequencerRun, resumeAfter: ResumeToken): Promise<void> {
  const { signal } = run;
  // The stream is opened before pending rows are read, so that nothing is missed in between.
  const at = await withStream(run, openStream(run, resumeAfter, FIRST_AWAIT_MS), async (stream) => {
    const batch = await take(stream, signal).catch((error: unknown) => {
      throw resumeAfter !== undefined && isRefusal(error) ? new NotResumed(error) : error;
    });
    if (resumeAfter === undefined) await stampWaiting(run);
    await stamp(run, batch);
    return stream.resumeToken;
  });
  if (signal.aborted) return;
  await withStream(run, openStream(run, at, AWAIT_MS), async (stream) => {
    while (!signal.aborted) {
      run.state = { ...run.state, resumeToken: stream.resumeToken };
      await stamp(run, await take(stream, signal));
    }
  });
}

async function withStream<T>(
  { signal }: SequencerRun,
  stream: ChangeStream<EventRow, Inserted>,
  work: (stream: ChangeStream<EventRow, Inserted>) => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work(stream);
  } catch (error) {
    if (!signal.aborted) throw error;
    return undefined;
  } finally {
    await stream.close().catch(() => {});
  }
}

function openStream(
  { connection, models }: SequencerRun,
  resumeAfter: ResumeToken,
  maxAwaitTimeMS: number,
): ChangeStream<EventRow, Inserted> {
  const inserts = [{ $match: { operationType: 'insert' } }, { $project: { documentKey: 1, operationType: 1 } }];
  return connection
    .getClient()
    .db(connection.name)
    .collection<EventRow>(models.events.collection.name)
    .watch<EventRow, Inserted>(inserts, {
      ...(resumeAfter === undefined ? {} : { resumeAfter }),
      maxAwaitTimeMS,
    });
}

/** The next events of the stream, in commit order, at most one batch. Waits up to one await time; none when the signal aborts. */
async function take(stream: ChangeStream<EventRow, Inserted>, signal: AbortSignal): Promise<Types.ObjectId[]> {
  let stop = (): void => {};
  const aborted = new Promise<[]>((resolve) => {
    stop = () => resolve([]);
  });
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  // Closing is not enough: `tryNext` keeps waiting in a stream that is closed before it is open.
  const ids = await Promise.race([aborted, read(stream)]).finally(() => signal.removeEventListener('abort', stop));
  return signal.aborted ? [] : ids;
}

async function read(stream: ChangeStream<EventRow, Inserted>): Promise<Types.ObjectId[]> {
  const ids: Types.ObjectId[] = [];
  for (let next = await stream.tryNext(); next !== null; next = await stream.tryNext()) {
    ids.push(next.documentKey._id);
    if (ids.length >= BATCH || stream.bufferedCount() === 0) break;
  }
  // A stream whose collection was dropped returns nothing immediately and forever, so this term ends.
  if (ids.length === 0 && stream.closed) throw new Error('the change stream of the event log has ended');
  return ids;
}

/** The events that are stamped next when a term begins. */
export const nextPending = ({ events }: EventModels) =>
  events.find({ pending: true }, { _id: 1 }).sort({ _id: 1 }).limit(BATCH);

async function stampWaiting(run: SequencerRun): Promise<void> {
  for (;;) {
    const rows = await nextPending(run.models).lean();
    if (rows.length === 0) return;
    await stamp(
      run,
      rows.map(({ _id }) => _id),
    );
  }
}

/** @throws LeaseLost, StampedElsewhere, or the driver's duplicate key error, all because of another sequencer. The next term reads the log again. */
async function stamp(run: SequencerRun, reported: readonly Types.ObjectId[]): Promise<void> {
  const pending = await pendingOf(run, reported);
  if (pending.length === 0) return;
  const ids = pending.map(({ _id }) => _id);
  const { models, checkpoint, clock, retentionMs, state } = run;
  const upTo = state.lastSeq + ids.length;
  const expireAt = new Date(Math.max(clock() + retentionMs, state.expireAt?.getTime() ?? 0));
  // Saved before any row has its number, so that numbers are known even after their rows have expired.
  await checkpoint.advance({ ...state, upTo, batchExpireAt: expireAt });
  const writes = ids.map((_id, index) => ({
    updateOne: {
      filter: { _id, pending: true },
      update: { $set: { seq: state.lastSeq + index + 1, expireAt }, $unset: { pending: 1 } },
    },
  }));
  const { matchedCount } = await native(models.events).bulkWrite(writes, { ordered: true });
  if (matchedCount < ids.length) throw new StampedElsewhere('another process is also numbering events');
  run.state = { ...state, lastSeq: upTo, upTo, expireAt };
  // The first batch: until now, a log without rows never had any.
  if (state.lastSeq === 0) await checkpoint.advance(run.state);
  run.onStamped(pending.map(({ type }) => type));
}

/**
 * The store refuses the saved resume token: its oplog no longer reaches back so far, or a dump of another store was
 * restored. MongoDB has several codes for that.
 */
class NotResumed extends Error {
  override readonly name = 'NotResumed';

  constructor(cause: unknown) {
    super('the change stream of the event log is not resumed', { cause });
  }
}

/** Whether the store refused the request (and is not just unreachable). */
const isRefusal = (error: unknown): boolean =>
  error instanceof MongoServerError && !error.hasErrorLabel('ResumableChangeStreamError');

/** Another process also numbers events: this process or the other one has lost the lease. */
class StampedElsewhere extends Error {
  override readonly name = 'StampedElsewhere';
}

type PendingEvent = Pick<EventRow, 'type'> & { _id: Types.ObjectId };

/** Rows without a number yet: the stream repeats rows that were numbered since the progress was saved, or since it was opened. */
async function pendingOf({ models }: SequencerRun, ids: readonly Types.ObjectId[]): Promise<PendingEvent[]> {
  if (ids.length === 0) return [];
  const filter = { _id: { $in: [...ids] }, pending: true };
  const options = { projection: { type: 1 }, batchSize: BATCH + 1 } as const;
  const rows = await models.events.collection.find<PendingEvent>(filter, options).toArray();
  const pending = new Map(rows.map((row) => [row._id.toHexString(), row]));
  return ids.flatMap((id) => pending.get(id.toHexString()) ?? []);
}

function isHistoryLost(error: unknown): boolean {
  return error instanceof Error && 'code' in error && HISTORY_LOST.has(Number(error.code));
}
