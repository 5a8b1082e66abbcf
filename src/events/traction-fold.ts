// Folds the log into traction, as counts and over time. Each event is counted once, in order, because the position moves in the transaction of
// the counts.
import type { ClientSession, Connection } from 'mongoose';
import type { IssuanceCounts, TractionService, VerificationCounts } from '../catalog/traction/traction.service.js';
import { dayOf, partsOf, type TractionRuns } from '../catalog/traction/traction-runs.service.js';
import { dateFirstHoldings } from '../issuance/counted-days.service.js';
import type { NewEvent, StampedEvent } from '../store/event-port.js';
import { followLog } from '../store/follow-log.js';
import { type Checkpoint, leaseModels, type Term } from '../store/lease.js';
import type { Bell } from '../base/concurrency/bell.js';
import { countsByEntry, isVerified } from './counted-events.js';
import type { EventLog } from './event-log.js';
import { runsOfStore } from './traction-history.js';

interface FoldState {
  /** Everything up to this sequence number is counted. */
  seq: number;
  /** The newest day on which something is counted; absent after a fold of an earlier version, which counts no days. */
  day?: string;
  /**
   * Progress while the runs up to `seq` are computed from rows: how many runs of earlier attempts were deleted, and how
   * many entries have their runs.
   */
  deleted?: number;
  made?: number;
}

const CHECKPOINT = 'traction';
/** Most events that one transaction counts. */
const BATCH = 1_000;

export interface FoldOptions {
  connection: Connection;
  log: EventLog;
  traction: TractionService;
  runs: TractionRuns;
  clock(): number;
  /** Shortest time between two folds, milliseconds. */
  intervalMs: number;
  /** Called for a failure, after which the fold begins again; without it, the failure is thrown. */
  onError?(error: unknown): void;
  /** Called after every fold with the sequence number up to which events are counted. */
  onFolded?(seq: number): void;
}

/** Counts until the term ends: pending events at once, then whenever the bell rings. */
export function foldTraction(term: Term, bell: Bell, options: FoldOptions): Promise<void> {
  const { intervalMs, onError } = options;
  return followLog<FoldState>(term, {
    position: CHECKPOINT,
    bell,
    intervalMs,
    begin: (position) => ensureDays(position, options, term.signal),
    batch: async (position) => (await foldBatch(position, options)) === BATCH,
    ...(onError ? { onError } : {}),
  });
}

/**
 * Whether a store counts days. A store of an earlier version does so from the first start of this version, whose fold
 * creates the runs.
 */
export async function countsDays(connection: Connection): Promise<boolean> {
  const row = await leaseModels(connection).checkpoints.findById(CHECKPOINT).lean<{ state?: FoldState }>();
  return row?.state === undefined || row.state.day !== undefined;
}

async function foldBatch(checkpoint: Checkpoint<FoldState>, options: FoldOptions): Promise<number> {
  const { connection, log, traction, onFolded } = options;
  const folded = await connection.transaction(async (session: ClientSession) => {
    const { seq, day = '' } = (await checkpoint.state(session)) ?? { seq: 0 };
    const events = await log.after(seq, BATCH, session);
    const last = events.at(-1);
    if (last === undefined) return { count: 0, seq };
    const issued = events.filter(({ type }) => type === 'submitted');
    const counts = countBy(issued, 'credentialId', 'firstOfCredential');
    await traction.addToCredentials(counts, session);
    await traction.addToIssuers(countBy(issued, 'issuerId', 'firstOfIssuer'), session);
    const verified = verificationsOf(events);
    await traction.addVerifications(verified, session);
    const changed = [...new Set([...counts.keys(), ...verified.credentials.keys()])];
    if (changed.length > 0) await log.append([changedEvent(changed)], session);
    const newest = await foldDays(events, day, options, session);
    await checkpoint.advance({ seq: last.seq, day: newest }, session);
    return { count: events.length, seq: last.seq };
  });
  if (folded.count > 0) onFolded?.(folded.seq);
  return folded.count;
}

/**
 * Adds events to the runs. An event whose day is before the newest day counts on the newest day, because runs that were
 * shown never change. No event counts on a day after today. Returns the newest day.
 */
async function foldDays(
  events: readonly StampedEvent[],
  newest: string,
  { runs, clock }: FoldOptions,
  session: ClientSession,
): Promise<string> {
  const today = dayOf(new Date(clock()));
  const days = new Map<string, StampedEvent[]>();
  let day = newest;
  for (const event of events) {
    const own = dayOf(event.at);
    const bounded = own < today ? own : today;
    if (bounded > day) day = bounded;
    const counted = days.get(day) ?? [];
    days.set(day, counted);
    counted.push(event);
  }
  for (const [of, counted] of days) {
    if (of > newest) await runs.close(session);
    await runs.add(of, countsByEntry(counted), session);
  }
  return day;
}

/**
 * Creates the runs of a store that has counts but no runs, from its rows. Only counted events are included, and nothing
 * is counted meanwhile. If another term continues this, it writes only missing entries, because runs that were shown
 * never change.
 */
async function ensureDays(
  checkpoint: Checkpoint<FoldState>,
  { connection, traction, runs }: FoldOptions,
  signal: AbortSignal,
): Promise<void> {
  const { seq, day, made: madeBefore } = (await checkpoint.state()) ?? { seq: 0 };
  if (day !== undefined) return;
  /** A transaction that commits only in this term. */
  const step = <T>(state: (done: T) => FoldState, work: (session: ClientSession) => Promise<T>): Promise<T> =>
    connection.transaction(async (session) => {
      signal.throwIfAborted();
      const done = await work(session);
      await checkpoint.advance(state(done), session);
      return done;
    });
  await dateFirstHoldings(connection, signal);
  if (madeBefore === undefined) {
    let deleted = 0;
    const count = (more: number): FoldState => ({ seq, deleted: deleted + more });
    for (let more = 1; more > 0; deleted += more) more = await step(count, (session) => runs.deleteSome(session));
  }
  const { entries, newest } = await runsOfStore({ connection, traction }, seq, signal);
  let made = 0;
  for (const part of partsOf(entries)) {
    made += part.length;
    await step(
      () => ({ seq, made }),
      (session) => runs.addEntries(part, session),
    );
  }
  await checkpoint.advance({ seq, day: newest });
}

/** The one event of a fold. The next fold reads it too, finds nothing to count in it, and writes no further one. */
function changedEvent(credentialIds: readonly string[]): NewEvent {
  return { type: 'traction_changed', viewers: { public: true }, payload: { credentialIds } };
}

/** Sums issuances by the id in a payload field. `first` names the flag for new holders. */
function countBy(events: readonly StampedEvent[], field: string, first: string): Map<string, IssuanceCounts> {
  const counts = new Map<string, IssuanceCounts>();
  for (const { payload, at } of events) {
    const id = String(payload[field]);
    const sum = counts.get(id) ?? { issuanceCount: 0, holderCount: 0, firstAt: at, lastAt: at };
    counts.set(id, {
      issuanceCount: sum.issuanceCount + 1,
      holderCount: sum.holderCount + (payload[first] === true ? 1 : 0),
      firstAt: at < sum.firstAt ? at : sum.firstAt,
      lastAt: at > sum.lastAt ? at : sum.lastAt,
    });
  }
  return counts;
}

/** Compliant verifications among events (contract §16). */
function verificationsOf(events: readonly StampedEvent[]): VerificationCounts {
  const programs = new Map<string, { count: number; holders: number }>();
  const credentials = new Map<string, number>();
  const issuers = new Map<string, number>();
  for (const { type, payload } of events) {
    if (!isVerified({ type, payload })) continue;
    const programId = String(payload.programId);
    const credentialId = String(payload.credentialId);
    const issuerId = String(payload.issuerId);
    const { count, holders } = programs.get(programId) ?? { count: 0, holders: 0 };
    programs.set(programId, { count: count + 1, holders: holders + (payload.firstOfProgram === true ? 1 : 0) });
    credentials.set(credentialId, (credentials.get(credentialId) ?? 0) + 1);
    issuers.set(issuerId, (issuers.get(issuerId) ?? 0) + 1);
  }
  return { programs, credentials, issuers };
}
