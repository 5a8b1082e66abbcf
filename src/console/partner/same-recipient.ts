// Rows of a file with the same recipient, in whatever spelling.

import type { BatchFileRow } from '../../common/batch-row.js';
import { oneSpelling } from '../../common/email-address.js';

/** Pairs of row keys: a row, and the first one with the same recipient. */
export function sameRecipients(rows: readonly BatchFileRow[]): [rowKey: string, first: string][] {
  const firstOf = new Map<string, string>();
  return rows.flatMap(({ rowKey, email }): [string, string][] => {
    const recipient = oneSpelling(email);
    const first = firstOf.get(recipient);
    if (first !== undefined) return [[rowKey, first]];
    firstOf.set(recipient, rowKey);
    return [];
  });
}
