// The elected part of the log: one process at a time stamps and counts events and follows them for verifications and offers.
// Every process is a candidate.
import type { Connection } from 'mongoose';
import type { TractionService } from '../catalog/traction/traction.service.js';
import type { TractionRuns } from '../catalog/traction/traction-runs.service.js';
import { OUTCOME_EVENTS, type VerificationOutcomes } from '../verification/outcome/outcomes.service.js';
import { CLAIM_ENDS, type EndedClaims } from '../openid4vci/ended-claims.service.js';
import type { Elections } from '../store/election.js';
import { type EventType, isPublicType } from '../store/event-types.js';
import { followEvents } from '../store/follow-log.js';
import type { Term } from '../store/lease.js';
import type { Worker } from '../base/concurrency/worker.js';
import { Bell } from '../base/concurrency/bell.js';
import type { EventLog } from './event-log.js';
import type { EventModels } from './models.js';
import { sequence } from './sequencer.js';
import { foldTraction } from './traction-fold.js';

export interface EventWorkersOptions {
  connection: Connection;
  elections: Elections;
  models: EventModels;
  log: EventLog;
  traction: TractionService;
  runs: TractionRuns;
  outcomes: VerificationOutcomes;
  endedClaims: EndedClaims;
  clock(): number;
  /** How long an event stays in the log, milliseconds. */
  retentionMs: number;
  onError(error: unknown): void;
}

/** Counts are folded at most this often, milliseconds. */
const FOLD_INTERVAL_MS = 250;
/** So many events that a follower does not handle move its position. */
const MOST_PASSED = 1_000;

/** The election whose winner sequences the log, folds traction, and follows it for verifications and offers; `start()` and `stop()` it with the process. */
export function eventWorkers(options: EventWorkersOptions): Worker {
  const work = async (term: Term): Promise<void> => {
    const [counting, verifying, ending] = [new Bell(), new Bell(), new Bell()];
    const wakes = [
      wakesFor(counting, (type) => !isPublicType(type)),
      wakesFor(verifying, (type) => OUTCOME_EVENTS.includes(type)),
      wakesFor(ending, (type) => CLAIM_ENDS.includes(type)),
    ];
    const onStamped = (types: readonly EventType[]): void => {
      for (const wake of wakes) wake(types);
    };
    const ended = new AbortController();
    const shared = term.until(ended.signal);
    const follower = { ...options, intervalMs: FOLD_INTERVAL_MS };
    // Numbering continues when a follower of the log fails, and ends only with the term.
    await Promise.all([
      sequence(shared, { ...options, onStamped }).finally(() => ended.abort()),
      foldTraction(shared, counting, follower),
      followEvents(shared, {
        ...{ ...follower, position: 'verification outcomes', bell: verifying, types: OUTCOME_EVENTS },
        handle: (events) => options.outcomes.follow(events),
      }),
      followEvents(shared, {
        ...{ ...follower, position: 'claims of offers', bell: ending, types: CLAIM_ENDS },
        handle: (events) => options.endedClaims.follow(events),
      }),
    ]);
  };
  return options.elections.elect('events', work);
}

/** Rings a follower's bell for events that it handles. The fold handles those of holders and partners, and so not the one that it writes itself. */
function wakesFor(bell: Bell, handles: (type: EventType) => boolean): (types: readonly EventType[]) => void {
  let passed = 0;
  return (types) => {
    passed += types.length;
    if (passed < MOST_PASSED && !types.some(handles)) return;
    passed = 0;
    bell.ring();
  };
}
