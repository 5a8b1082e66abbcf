// Key and sort patterns as fields with a direction.
import type { Doc } from './types.js';

/** One field of an index or sort pattern. */
export interface PatternField {
  path: string;
  parts: string[];
  direction: 1 | -1;
}

/** Key patterns as fields with a direction; numbers of any BSON type, negative is descending. */
export function patternFields(pattern: Doc): PatternField[] {
  return Object.entries(pattern).map(([path, direction]) => ({
    path,
    parts: path.split('.'),
    direction: Number(direction) < 0 ? -1 : 1,
  }));
}
