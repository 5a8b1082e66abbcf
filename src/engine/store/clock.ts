// The logical clock: every committed write gets a later 64-bit timestamp (seconds in the high half, a counter in the low half).
import { Timestamp } from 'bson';

function after(last: bigint): bigint {
  const wall = BigInt(Math.floor(Date.now() / 1000)) << 32n;
  return wall > last ? wall | 1n : last + 1n;
}

/** The highest timestamp assigned so far. It never goes back, even if the wall clock does. */
export class Clock {
  #last: bigint;
  #lastStamp = 0n;

  /** @param last the newest timestamp found in the oplog; 0n for a new folder. */
  constructor(last: bigint) {
    this.#last = last;
  }

  /** The last timestamp that was assigned. */
  get last(): bigint {
    return this.#last;
  }

  /** A timestamp later than all before it. */
  tick(): bigint {
    this.#last = after(this.#last);
    return this.#last;
  }

  /** A timestamp for a document's content: later than all before it, and not the time of a commit. */
  stamp(): Timestamp {
    this.#lastStamp = after(this.#lastStamp > this.#last ? this.#lastStamp : this.#last);
    return toTimestamp(this.#lastStamp);
  }
}

/** bigint to BSON Timestamp. */
export function toTimestamp(value: bigint): Timestamp {
  return Timestamp.fromBits(Number(value & 0xffffffffn) | 0, Number(value >> 32n) | 0);
}

/** BSON Timestamp to bigint (unsigned). */
export function fromTimestamp(value: Timestamp): bigint {
  return (BigInt(value.getHighBitsUnsigned()) << 32n) | BigInt(value.getLowBitsUnsigned());
}
