// Tunes garbage collection. A small heap may grow to a fixed size between two full collections, a large one only by a
// percentage, otherwise full caches would need several times their size in memory. A busy process may use more memory:
// the percentage also applies to the heap of the embedded store's thread, which is small and fills quickly.
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';

/** How far heaps may grow. */
interface Growth {
  /** The size to which the heap may always grow between two full collections, bytes. */
  room: number;
  /** Maximum growth, percent. V8's default lets the heap grow to four times its used size. */
  most: number;
}

const CALM: Growth = { room: 150 * 2 ** 20, most: 150 };
const BUSY: Growth = { room: 250 * 2 ** 20, most: 400 };
/** Minimum growth, percent. */
const LEAST = 40;
const EVERY_MS = 5_000;
/** A process that computes for less than this share of the time allocates too little to matter. */
const IDLE = 0.02;
/** Processor time of all threads, as a share of the time, from which a process is busy. */
const MUCH = 0.5;

/** The growth in percent of a heap that has this many bytes after a full collection. */
export function heapGrowth(live: number, isBusy = false): number {
  const { room, most } = isBusy ? BUSY : CALM;
  return Math.round(Math.min(most, Math.max(LEAST, (room / live - 1) * 100)));
}

/** Bytes of this thread's heap after its last full collection; before the first one, as they are. */
function liveBytes(): () => number {
  let live: number | undefined;
  const used = (): number => getHeapStatistics().used_heap_size;
  new PerformanceObserver((list) => {
    if (list.getEntries().some(isFull)) live = used();
  }).observe({ entryTypes: ['gc'] });
  return () => live ?? used();
}

/** Whether an entry of performance is a full collection. */
function isFull(entry: PerformanceEntry): boolean {
  return Reflect.get(Object(Reflect.get(entry, 'detail')), 'kind') === constants.NODE_PERFORMANCE_GC_MAJOR;
}

/** Returns a function that tells whether all threads of the process have computed for much of the time since its last call. */
function busySince(): () => boolean {
  let last = { cpu: process.cpuUsage(), at: performance.now() };
  return () => {
    const { user, system } = process.cpuUsage(last.cpu);
    const elapsed = performance.now() - last.at;
    last = { cpu: process.cpuUsage(), at: performance.now() };
    return (user + system) / 1_000 > elapsed * MUCH;
  };
}

/**
 * Bounds the growth of this process's heaps from now on. Also turns off V8's pretenuring, by which objects from some
 * allocation sites start in the old space: such an object keeps its whole request in memory until the next full
 * collection, even after the request has ended, and every young collection would copy it
 * (docs/decisions/0059-where-a-request-spends-its-time.md).
 */
export function boundHeap(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
  const live = liveBytes();
  const isBusy = busySince();
  const bound = (busy = false): void => setFlagsFromString(`--heap-growing-percent=${heapGrowth(live(), busy)}`);
  bound();
  let before = performance.eventLoopUtilization();
  setInterval(() => {
    const now = performance.eventLoopUtilization();
    // Reading the statistics takes milliseconds.
    if (performance.eventLoopUtilization(now, before).utilization >= IDLE) bound(isBusy());
    before = now;
  }, EVERY_MS).unref();
}
