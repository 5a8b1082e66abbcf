// How much garbage the process lets pile up before it collects. Each collection stops the process for some milliseconds, so a small heap may
// grow to a fixed size; a large one only by a share of itself, or full caches would cost several times their size in memory.
import { getHeapStatistics, setFlagsFromString } from 'node:v8';

/** What a heap may always grow to between two collections, bytes. */
const ROOM = 150 * 2 ** 20;
/** The least and the most that it may grow by, percent. V8's own rule lets it grow to four times what is in use. */
const LEAST = 40;
const MOST = 150;
const EVERY_MS = 5_000;

/** By how many percent a heap of this many bytes may grow. */
export function heapGrowth(used: number): number {
  return Math.round(Math.min(MOST, Math.max(LEAST, (ROOM / used - 1) * 100)));
}

/** Bounds the growth of this process's heap, for as long as it runs. */
export function boundHeap(): void {
  const bound = (): void =>
    setFlagsFromString(`--heap-growing-percent=${heapGrowth(getHeapStatistics().used_heap_size)}`);
  bound();
  setInterval(bound, EVERY_MS).unref();
}
