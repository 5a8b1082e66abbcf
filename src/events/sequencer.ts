// Gives every event its place. ONE elected process reads the change stream, whose order is commit order (`_id` order is not), and stamps a
// dense `seq`; stamps and the stream's resume token move in one transaction, so a place is given once whoever is elected.
import type { ChangeStream, ChangeStreamInsertDocument, ResumeToken } from 'mongodb';
import type { ClientSession, Connection, Types } from 'mongoose';
import type { Checkpoint, Term } from '../lease.js';
import type { EventModels, EventRow } from './models.js';

export interface SequencerState {
  lastSeq: number;
  /** Of the newest place: no later one expires before it, whatever the clocks of two processes say. */
  expireAt?: Date;
  resumeToken?: ResumeToken;
}

/** Rows stamped in one transaction at most. */
const BATCH = 500;
/** MongoDB: InvalidResumeToken, ChangeStreamFatalError, ChangeStreamHistoryLost: tokens that do not resume, now or ever. */
const HISTORY_LOST = new Set([260, 280, 286]);

export interface SequencerOptions {
  connection: Connection;
  models: EventModels;
  clock(): number;
  /** How long a stamped event is kept, milliseconds. */
  retentionMs: number;
  /** Told after every batch, with the newest place. */
  onStamped(lastSeq: number): void;
}

type Inserted = ChangeStreamInsertDocument<EventRow>;

/** What one run of the sequencer holds in its hands. */
interface Run extends SequencerOptions {
  checkpoint: Checkpoint<SequencerState>;
  signal: AbortSignal;
  /** As the checkpoint has it: nobody else moves it during this term. */
  state: SequencerState;
}

/** Stamps events until the term ends. */
export async function sequence(term: Term, options: SequencerOptions): Promise<void> {
  const checkpoint = await term.checkpoint<SequencerState>('sequencer');
  const state = (await checkpoint.state()) ?? { lastSeq: 0 };
  const run: Run = { ...options, checkpoint, signal: term.signal, state };
  await shorten(run);
  // BSON has no undefined: a term that ended before its first token left null.
  const resumeToken = run.state.resumeToken ?? undefined;
  try {
    await follow(run, resumeToken);
  } catch (error) {
    if (resumeToken === undefined || !isHistoryLost(error)) throw error;
    // The stream no longer reaches back to where we were: what waits is stamped in the order of its ids, then on as usual.
    await follow(run, undefined);
  }
}

/** A retention that was made shorter holds for what is there already. */
async function shorten(run: Run): Promise<void> {
  const { connection, models, checkpoint, clock, retentionMs, state } = run;
  const expireAt = new Date(clock() + retentionMs);
  if (state.expireAt === undefined || state.expireAt <= expireAt) return;
  await models.events.updateMany({ expireAt: { $gt: expireAt } }, { $set: { expireAt } });
  run.state = await connection.transaction(async (session) => {
    const shortened = { ...state, expireAt };
    await checkpoint.advance(shortened, session);
    return shortened;
  });
}

async function follow(run: Run, resumeAfter: ResumeToken): Promise<void> {
  const stream = openStream(run, resumeAfter);
  const stop = (): void => void stream.close().catch(() => {});
  run.signal.addEventListener('abort', stop, { once: true });
  try {
    // The stream is open before we look for what waits: between the two nothing can be missed.
    let batch = await take(stream);
    if (resumeAfter === undefined) await stampWaiting(run);
    await stamp(run, batch, stream.resumeToken);
    while (!run.signal.aborted) {
      batch = await take(stream);
      if (batch.length > 0) await stamp(run, batch, stream.resumeToken);
    }
  } catch (error) {
    if (!run.signal.aborted) throw error;
  } finally {
    run.signal.removeEventListener('abort', stop);
    await stream.close().catch(() => {});
  }
}

function openStream({ connection, models }: Run, resumeAfter: ResumeToken): ChangeStream<EventRow, Inserted> {
  const inserts = [{ $match: { operationType: 'insert' } }, { $project: { documentKey: 1, operationType: 1 } }];
  return connection
    .getClient()
    .db(connection.name)
    .collection<EventRow>(models.events.collection.name)
    .watch<EventRow, Inserted>(inserts, {
      ...(resumeAfter === undefined ? {} : { resumeAfter }),
      maxAwaitTimeMS: 1_000,
    });
}

/** The next events of the stream, in commit order: at least a wait of one await time, at most one batch. */
async function take(stream: ChangeStream<EventRow, Inserted>): Promise<Types.ObjectId[]> {
  const ids: Types.ObjectId[] = [];
  for (let next = await stream.tryNext(); next !== null; next = await stream.tryNext()) {
    ids.push(next.documentKey._id);
    if (ids.length >= BATCH || stream.bufferedCount() === 0) break;
  }
  // A stream whose collection was dropped answers "nothing" at once, for ever: this term is over.
  if (ids.length === 0 && stream.closed) throw new Error('the change stream of the event log has ended');
  return ids;
}

async function stampWaiting(run: Run): Promise<void> {
  for (;;) {
    const rows = await run.models.events.find({ pending: true }, { _id: 1 }).sort({ _id: 1 }).limit(BATCH).lean();
    if (rows.length === 0) return;
    const waiting = rows.map(({ _id }) => _id);
    await stamp(run, waiting, undefined);
  }
}

async function stamp(run: Run, ids: Types.ObjectId[], resumeToken: ResumeToken): Promise<void> {
  const stampAll = (all: Types.ObjectId[]) =>
    run.connection.transaction((session) => stampIn(session, run, all, resumeToken));
  try {
    run.state = await stampAll(ids);
  } catch (error) {
    if (!(error instanceof SomeStamped)) throw error;
    run.state = await stampAll(await waiting(run, ids));
  }
  run.onStamped(run.state.lastSeq);
}

/** The stream has told of rows that have their place: those that waited when it was opened. */
class SomeStamped extends Error {}

async function waiting({ models }: Run, ids: Types.ObjectId[]): Promise<Types.ObjectId[]> {
  const rows = await models.events.find({ _id: { $in: ids }, pending: true }, { _id: 1 }).lean();
  const found = new Set(rows.map(({ _id }) => _id.toHexString()));
  return ids.filter((id) => found.has(id.toHexString()));
}

/** @throws SomeStamped, which aborts the transaction. */
async function stampIn(
  session: ClientSession,
  { models, checkpoint, clock, retentionMs, state }: Run,
  ids: Types.ObjectId[],
  resumeToken: ResumeToken,
): Promise<SequencerState> {
  const expireAt = new Date(Math.max(clock() + retentionMs, state.expireAt?.getTime() ?? 0));
  const writes = ids.map((_id, index) => ({
    updateOne: {
      filter: { _id, pending: true },
      update: { $set: { seq: state.lastSeq + index + 1, expireAt }, $unset: { pending: 1 } },
    },
  }));
  if (writes.length > 0) {
    const { matchedCount } = await models.events.collection.bulkWrite(writes as never, { session, ordered: true });
    if (matchedCount < ids.length) throw new SomeStamped('some of these events have their place');
  }
  const token = resumeToken ?? state.resumeToken;
  const next = { lastSeq: state.lastSeq + ids.length, expireAt, ...(token ? { resumeToken: token } : {}) };
  await checkpoint.advance(next, session);
  return next;
}

function isHistoryLost(error: unknown): boolean {
  return error instanceof Error && 'code' in error && HISTORY_LOST.has(Number(error.code));
}
