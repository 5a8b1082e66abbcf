// Tunes garbage collection. Each collection stops the process for some milliseconds, so a small heap may grow to a
// fixed size; a large one only by a percentage, otherwise full caches would need several times their size in memory.
import { getHeapStatistics, setFlagsFromString } from 'node:v8';

/** The size to which a heap may always grow between two collections, bytes. */
const ROOM = 150 * 2 ** 20;
/** Minimum and maximum growth, percent. V8's default lets the heap grow to four times its used size. */
const LEAST = 40;
const MOST = 150;
const EVERY_MS = 5_000;
/** A process that computes for less than this share of the time allocates too little to matter. */
const IDLE = 0.02;

/** The growth in percent of a heap of this many bytes. */
export function heapGrowth(used: number): number {
  return Math.round(Math.min(MOST, Math.max(LEAST, (ROOM / used - 1) * 100)));
}

/**
 * Bounds the growth of this process's heap from now on. Also turns off V8's pretenuring, by which objects from some
 * allocation sites start in the old space: such an object keeps its whole request in memory until the next full
 * collection, even after the request has ended, and every young collection would copy it
 * (docs/decisions/0059-where-a-request-spends-its-time.md).
 */
export function boundHeap(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
  const bound = (): void =>
    setFlagsFromString(`--heap-growing-percent=${heapGrowth(getHeapStatistics().used_heap_size)}`);
  bound();
  let before = performance.eventLoopUtilization();
  setInterval(() => {
    const now = performance.eventLoopUtilization();
    // Reading the statistics takes milliseconds.
    if (performance.eventLoopUtilization(now, before).utilization >= IDLE) bound();
    before = now;
  }, EVERY_MS).unref();
}
