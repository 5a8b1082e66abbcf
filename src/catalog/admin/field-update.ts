// The update that makes one row of another. A replaced row counts as changed in every field, for lists too that no
// changed field concerns: the caches of all gateways would drop them.
import { isDeepStrictEqual } from 'node:util';

/** An update in MongoDB's language. */
export interface FieldUpdate {
  $set?: Record<string, unknown>;
  $unset?: Record<string, ''>;
}

/** The update that makes `after` of the stored row `before`. Some field must differ. */
export function updateOf(before: object, after: object): FieldUpdate {
  const stored = new Map(Object.entries(before));
  const changed = Object.entries(after).filter(([field, value]) => !isDeepStrictEqual(stored.get(field), value));
  const removed = Object.keys(before).filter((field) => !Object.hasOwn(after, field));
  return {
    ...(changed.length > 0 && { $set: Object.fromEntries(changed) }),
    ...(removed.length > 0 && { $unset: Object.fromEntries(removed.map((field) => [field, '' as const])) }),
  };
}

/** The fields that an update changes. */
export const pathsOf = ({ $set = {}, $unset = {} }: FieldUpdate): string[] => [
  ...Object.keys($set),
  ...Object.keys($unset),
];
