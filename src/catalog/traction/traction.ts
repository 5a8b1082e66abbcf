// Arithmetic of stored counts: an import sets `base`, our own events are added to `own`, and records have the sum.
import type { Counts, StoredTraction } from '../rows/models.js';

export const NO_COUNTS: Readonly<Counts> = Object.freeze({ holderCount: 0, issuanceCount: 0, verificationCount: 0 });

/** The traction of a written row: imported counts become its base; without them, the base is unchanged. */
export function tractionOf(before: StoredTraction | undefined, imported: Counts | undefined): StoredTraction {
  return { base: { ...(imported ?? before?.base ?? NO_COUNTS) }, own: { ...(before?.own ?? NO_COUNTS) } };
}

/** The sum of both parts. */
export function sumOf({ base, own }: StoredTraction): Counts {
  return {
    holderCount: base.holderCount + own.holderCount,
    issuanceCount: base.issuanceCount + own.issuanceCount,
    verificationCount: base.verificationCount + own.verificationCount,
  };
}

/** Counts as a list, for content hashes. */
export const countList = (counts: Counts): number[] => [
  counts.holderCount,
  counts.issuanceCount,
  counts.verificationCount,
];

/** Kinds of entries that have traction over time; each event counts for one entry only (decision 30). */
export type TractionKind = 'credential' | 'program';

/** The key of an entry's runs. */
export const tractionEntry = (kind: TractionKind, id: string): string => `${kind} ${id}`;
