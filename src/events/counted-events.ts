// Which events count for traction over time: an issuance counts for its credential, a Compliant verification for its
// program. Each event counts for one entry only, so that series of several entries cannot be subtracted from one
// another (decision 30).
import {
  type DayCounts,
  sumOfDays,
  type TractionKind,
  tractionEntry,
} from '../catalog/traction/traction-runs.service.js';
import type { StampedEvent } from '../store/event-port.js';

type Counted = Pick<StampedEvent, 'type' | 'payload'>;

/** The types of events that count. */
export const COUNTED_TYPES = ['submitted', 'verification_closed'] as const;

/** Whether an event is a Compliant verification (contract §16). */
export const isVerified = ({ type, payload }: Counted): boolean =>
  type === 'verification_closed' && payload.status === 'Compliant';

/** Sums of events by entry. */
export function countsByEntry(events: readonly Counted[]): Map<string, DayCounts> {
  const counts = new Map<string, DayCounts>();
  for (const event of events) {
    const counted = countsOf(event);
    if (counted === undefined) continue;
    const [kind, id, more] = counted;
    const entry = tractionEntry(kind, String(id));
    counts.set(entry, sumOfDays(counts.get(entry) ?? NOTHING, { ...NOTHING, ...more }));
  }
  return counts;
}

function countsOf(event: Counted): [TractionKind, unknown, Partial<DayCounts>] | undefined {
  const { credentialId, programId, firstOfCredential, firstOfProgram } = event.payload;
  if (event.type === 'submitted')
    return ['credential', credentialId, { issued: 1, holders: Number(firstOfCredential === true) }];
  if (!isVerified(event)) return undefined;
  return ['program', programId, { verified: 1, holders: Number(firstOfProgram === true) }];
}

const NOTHING: DayCounts = { issued: 0, holders: 0, verified: 0 };
