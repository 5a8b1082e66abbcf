// Rows of a file with the same recipient, in whatever spelling.
import type { BatchRow } from './batch-file.js';

/** One form of all spellings of an address: case, composed letters, and a domain as Unicode or ASCII. */
function recipientOf(email: string): string {
  const text = email.normalize('NFC').trim().toLowerCase();
  const at = text.lastIndexOf('@') + 1;
  try {
    return text.slice(0, at) + new URL(`http://${text.slice(at)}`).hostname;
  } catch {
    return text;
  }
}

/** Pairs of row keys: a row, and the first one with the same recipient. */
export function sameRecipients(rows: readonly BatchRow[]): [rowKey: string, first: string][] {
  const firstOf = new Map<string, string>();
  return rows.flatMap(({ rowKey, email }): [string, string][] => {
    const recipient = recipientOf(email);
    const first = firstOf.get(recipient);
    if (first !== undefined) return [[rowKey, first]];
    firstOf.set(recipient, rowKey);
    return [];
  });
}
