// The logical clock: every committed write gets a later 64-bit timestamp (seconds in the high half, a counter in the low half).
import { Timestamp } from 'bson';

/** Highest timestamp handed out so far, as a bigint; never goes back, also when the wall clock does. */
export class Clock {
  #last: bigint;

  /** @param last the newest timestamp found in the oplog; 0n for a new folder. */
  constructor(last: bigint) {
    this.#last = last;
  }

  /** The last timestamp handed out. */
  get last(): bigint {
    return this.#last;
  }

  /** A timestamp later than all before it. */
  tick(): bigint {
    const wall = BigInt(Math.floor(Date.now() / 1000)) << 32n;
    this.#last = wall > this.#last ? wall | 1n : this.#last + 1n;
    return this.#last;
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
