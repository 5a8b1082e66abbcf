// Joins reads of several requests: the ids that are needed in one turn of the event loop are read by one command, so a busy
// process sends fewer. A request that is alone waits for the end of the turn, which is at once.
import type { Collection } from 'mongoose';
import { findRows } from './plain-reads.js';

/** The most ids that one command is joined from; a request with more has a command of its own. */
const MOST_IDS = 500;

/** What was read, by id. */
export type ReadRows<V> = ReadonlyMap<string, V>;

/** Ids that one command reads. */
interface Batch<V> {
  ids: Set<string>;
  rows: Promise<ReadRows<V>>;
}

/** Reads of one kind. They begin after they were asked for, so they see what was written before. */
export class JoinedReads<V> {
  #next: Batch<V> | undefined;

  /** @param read reads the values of ids by one command */
  constructor(private readonly read: (ids: readonly string[]) => Promise<ReadRows<V>>) {}

  /** The values of these ids, and perhaps others. @throws what the read throws */
  load(ids: readonly string[]): Promise<ReadRows<V>> {
    this.#next ??= this.#begin();
    const { ids: all, rows } = this.#next;
    for (const id of ids) all.add(id);
    if (all.size >= MOST_IDS) this.#next = undefined;
    return rows;
  }

  #begin(): Batch<V> {
    const ids = new Set<string>();
    const rows = new Promise<ReadRows<V>>((resolve, reject) => {
      setImmediate(() => {
        if (this.#next === batch) this.#next = undefined;
        this.read([...ids]).then(resolve, reject);
      });
    });
    const batch = { ids, rows };
    return batch;
  }
}

/**
 * Joined reads of whole rows by a field that only one of the selected rows has. The requests of a turn share a row, so nobody may change it.
 * @param selected what the rows must also match
 */
export function joinedRows<R extends object>(
  { collection }: { collection: Collection },
  field: keyof R & string,
  selected: object = {},
): JoinedReads<R> {
  return new JoinedReads(async (values) => {
    const filter = { [field]: values.length === 1 ? values[0] : { $in: values }, ...selected };
    const rows = await findRows<R>(collection, { filter, projection: {}, limit: values.length });
    return new Map(rows.map((row) => [String(row[field]), row]));
  });
}
