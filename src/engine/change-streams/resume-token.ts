// Resume tokens: a position in the oplog as hexadecimal text, which sorts like the events.
import { type Doc, isDocument } from '../bson/types.js';
import { fail } from '../errors.js';

/** `event` is a change, `invalidate` the end of a stream after an invalidating change, `mark` a time without a change. */
export type ResumeTokenKind = 'event' | 'invalidate' | 'mark';

/** A position in the oplog. */
export interface OplogPosition {
  ts: bigint;
  index: number;
  kind: ResumeTokenKind;
}

const KINDS: readonly ResumeTokenKind[] = ['event', 'invalidate', 'mark'];
const BYTES = 13;
/** Greater than the index of every entry of a timestamp. */
export const LAST_INDEX = 0xffffffff;

/** The token of a position, as the `_id` of an event. */
export function toToken({ ts, index, kind }: OplogPosition): Doc {
  const bytes = Buffer.alloc(BYTES);
  bytes.writeBigUInt64BE(ts, 0);
  bytes.writeUInt32BE(index, 8);
  bytes[12] = KINDS.indexOf(kind);
  return { _data: bytes.toString('hex').toUpperCase() };
}

/** Reads a token. Throws InvalidResumeToken (260). */
export function fromToken(token: unknown): OplogPosition {
  const data = isDocument(token) ? token._data : undefined;
  if (typeof data !== 'string' || data.length !== BYTES * 2 || !/^[0-9A-Fa-f]+$/.test(data)) {
    return fail('InvalidResumeToken', 'Bad resume token: not one of this server');
  }
  const bytes = Buffer.from(data, 'hex');
  const kind = KINDS[bytes[12] ?? KINDS.length] ?? fail('InvalidResumeToken', 'Bad resume token: unknown kind');
  return { ts: bytes.readBigUInt64BE(0), index: bytes.readUInt32BE(8), kind };
}
