// The documents of the engine's benchmarks: 400 bytes each, with a compound index to page by.
import type { Collection, Document } from 'mongodb';
import { median, timed } from './report.js';

const ROUNDS = 300;
const AT_ONCE = 5_000;
const GROUPS = 50;

/** The i-th document. */
export const document = (i: number): Document => ({
  _id: i as never,
  rank: (i * 7919) % 1_000_003,
  group: i % GROUPS,
  text: 'x'.repeat(330),
});

/** Fills an empty collection. */
export async function fill(collection: Collection, count: number): Promise<void> {
  await collection.createIndex({ group: 1, rank: -1, _id: 1 });
  for (let from = 0; from < count; from += AT_ONCE) {
    await collection.insertMany(Array.from({ length: AT_ONCE }, (_, i) => document(from + i)));
  }
}

/** A sorted page of 20 by the compound index. */
export function page(collection: Collection, round: number): Promise<Document[]> {
  const sorted = collection.find({ group: round % GROUPS }).sort({ rank: -1, _id: 1 });
  return sorted.limit(20).toArray();
}

/** The middle time of some work, milliseconds, after a third of the rounds as warm-up. */
export async function middle(work: (round: number) => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) times.push(await timed(() => work(round)));
  return median(times.slice(ROUNDS / 3));
}
