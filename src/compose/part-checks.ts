// The checks of the parts that belong to no domain: the store, the lease of the process, its clock and its heap.
import { getHeapStatistics } from 'node:v8';
import type { FoundProblem, PartCheck } from '../base/monitoring/problems.js';
import type { Store } from '../store/connection.js';
import type { Core } from './domain.js';

/** Differences between this machine's clock and the store's, milliseconds. Tokens tolerate 30 s. */
const DRIFT_MS = 2_000;
const APART_MS = 30_000;
/** The young generation at most, which V8's limit contains: a heap whose old generation is full ends the process. */
const YOUNG_BYTES = 48 * 1024 * 1024;
/** Share of the old generation that is used when it is almost full. */
const ALMOST_FULL = 0.9;

/** The checks of what every process has. */
export const processChecks = (core: Core, store: Pick<Store, 'ping'>): PartCheck[] => [
  { kinds: ['store-away', 'lease-lost'], look: () => storeProblems(core, store) },
  { kinds: ['clock-drifts', 'clock-apart'], look: () => clockProblems(core) },
  { kinds: ['heap-small'], look: () => heapProblems(getHeapStatistics()) },
];

/** A store that does not respond, or in which this process's lease cannot be renewed. */
async function storeProblems({ processLease, problems }: Core, { ping }: Pick<Store, 'ping'>): Promise<FoundProblem[]> {
  try {
    await ping();
  } catch (cause) {
    return [{ kind: 'store-away', cause }];
  }
  try {
    await processLease.held();
    return [];
  } catch (cause) {
    // On a full disk the lease cannot be renewed, which is said already.
    return problems.open.some(({ kind }) => kind === 'disk-full') ? [] : [{ kind: 'lease-lost', cause }];
  }
}

async function clockProblems({ connection }: Core): Promise<FoundProblem[]> {
  const from = Date.now();
  const hello = await connection.db?.command({ hello: 1 });
  const to = Date.now();
  return hello === undefined ? [] : clockProblem((hello.localTime as Date).getTime(), from, to);
}

/** The problem of two clocks, if they are certainly apart. @param from,to this machine's time before and after the store's was read */
export function clockProblem(store: number, from: number, to: number): FoundProblem[] {
  const apart = Math.max(0, from - store, store - to);
  if (apart <= DRIFT_MS) return [];
  const note = `${Math.round(apart / 1_000)} s.`;
  return [{ kind: apart > APART_MS ? 'clock-apart' : 'clock-drifts', note }];
}

/** The problem of a heap that is almost full. */
export function heapProblems({
  used_heap_size: used,
  heap_size_limit: limit,
}: Pick<ReturnType<typeof getHeapStatistics>, 'used_heap_size' | 'heap_size_limit'>): FoundProblem[] {
  return used < (limit - YOUNG_BYTES) * ALMOST_FULL ? [] : [{ kind: 'heap-small' }];
}
