// Folds the log into traction. Each event is counted once, in order, because the position moves in the transaction of the counts.
import type { ClientSession, Connection } from 'mongoose';
import type { IssuanceCounts, TractionService, VerificationCounts } from '../catalog/traction.service.js';
import type { NewEvent, StampedEvent } from '../store/event-port.js';
import { type Checkpoint, pause, type Term } from '../store/lease.js';
import type { Bell } from '../base/bell.js';
import type { EventLog } from './event-log.service.js';

interface FoldState {
  /** Everything up to this sequence number is counted. */
  seq: number;
}

/** Most events that one transaction counts. */
const BATCH = 1_000;

export interface FoldOptions {
  connection: Connection;
  log: EventLog;
  traction: TractionService;
  /** Shortest time between two folds, milliseconds. */
  intervalMs: number;
  /** Called with the sequence number reached after every fold. */
  onFolded?(seq: number): void;
}

/** Counts until the term ends: pending events at once, then whenever the bell rings. */
export async function foldTraction(term: Term, bell: Bell, options: FoldOptions): Promise<void> {
  const checkpoint = await term.checkpoint<FoldState>('traction');
  while (!term.signal.aborted) {
    while ((await foldBatch(checkpoint, options)) === BATCH);
    await pause(options.intervalMs, term.signal);
    await bell.rung(term.signal);
  }
}

async function foldBatch(checkpoint: Checkpoint<FoldState>, options: FoldOptions): Promise<number> {
  const { connection, log, traction, onFolded } = options;
  const folded = await connection.transaction(async (session: ClientSession) => {
    const { seq } = (await checkpoint.state(session)) ?? { seq: 0 };
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
    await checkpoint.advance({ seq: last.seq }, session);
    return { count: events.length, seq: last.seq };
  });
  if (folded.count > 0) onFolded?.(folded.seq);
  return folded.count;
}

/** One event for each fold. The next fold reads it too, finds nothing to count in it, and writes no other. */
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
    if (type !== 'verification_closed' || payload.status !== 'Compliant') continue;
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
