// The database's clock, for times that several gateways compare: when deliveries are due.
import type { Connection } from 'mongoose';

/** For how long one reading is extrapolated with this process's monotonic clock. */
const MAX_AGE_MS = 5_000;

/** Reads the database's time, with one small command every few seconds. */
export class DatabaseClock {
  #reading: { time: number; at: number } | undefined;

  constructor(private readonly connection: Connection) {}

  /** Milliseconds since the epoch. @throws the driver's error when the store does not respond. */
  async now(): Promise<number> {
    const { time, at } = this.#current() ?? (await this.#read());
    return time + performance.now() - at;
  }

  #current() {
    return this.#reading && performance.now() - this.#reading.at < MAX_AGE_MS ? this.#reading : undefined;
  }

  async #read(): Promise<{ time: number; at: number }> {
    const { db } = this.connection;
    if (!db) throw new Error('not connected');
    const askedAt = performance.now();
    const { localTime } = await db.command({ hello: 1 });
    // The time is of some moment between; after a slow response, the middle is wrong by half of its delay at most.
    const at = (askedAt + performance.now()) / 2;
    this.#reading = { time: (localTime as Date).getTime(), at };
    return this.#reading;
  }
}
