// What events mean to the traction of entries: issuances of a credential and an issuer, Compliant verifications of those and of a program.
import { type DayCounts, sumOfDays, type TractionKind, tractionEntry } from '../catalog/traction-runs.service.js';
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
  for (const event of events)
    for (const [kind, id, more] of countsOf(event)) {
      const entry = tractionEntry(kind, String(id));
      counts.set(entry, sumOfDays(counts.get(entry) ?? NOTHING, { ...NOTHING, ...more }));
    }
  return counts;
}

function countsOf(event: Counted): [TractionKind, unknown, Partial<DayCounts>][] {
  const { credentialId, issuerId, programId, firstOfCredential, firstOfIssuer, firstOfProgram } = event.payload;
  if (event.type === 'submitted')
    return [
      ['credential', credentialId, { issued: 1, holders: Number(firstOfCredential === true) }],
      ['issuer', issuerId, { issued: 1, holders: Number(firstOfIssuer === true) }],
    ];
  if (!isVerified(event)) return [];
  return [
    ['credential', credentialId, { verified: 1 }],
    ['issuer', issuerId, { verified: 1 }],
    ['program', programId, { verified: 1, holders: Number(firstOfProgram === true) }],
  ];
}

const NOTHING: DayCounts = { issued: 0, holders: 0, verified: 0 };
