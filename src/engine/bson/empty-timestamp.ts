// Empty timestamps, Timestamp(0, 0): MongoDB replaces them with its own time in the top-level fields, except `_id`, of inserted and replacing documents.
import { Timestamp } from 'bson';
import { withBytesOf } from './raw.js';
import { type Doc, setOwn } from './types.js';

function isEmpty(value: unknown): boolean {
  return value instanceof Timestamp && value.isZero();
}

/** The document with the server's time instead of its empty timestamps; the same object if there are none. */
export function withTimestamps(doc: Doc, clock: () => Timestamp): Doc {
  let stamped: Doc | undefined;
  for (const name in doc) {
    if (name === '_id' || !isEmpty(doc[name])) continue;
    stamped ??= { ...doc };
    setOwn(stamped, name, clock());
  }
  return stamped ? withBytesOf(doc, stamped) : doc;
}
