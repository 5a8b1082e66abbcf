// Work over lists: a few at a time, part by part.
import { Limit } from './limit.js';

/**
 * Runs work for every item, at most `atOnce` at a time; results in the order of the items. After a failure, no more work is started, and the
 * failure is thrown when the running work has ended.
 */
export async function inParallel<T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const limit = new Limit({ atOnce });
  const run = async (item: T): Promise<R> => {
    try {
      return await work(item);
    } catch (error) {
      limit.close();
      throw error;
    }
  };
  // Work starts in the order of the items, so the first rejection is from work that has failed; work that was not started
  // comes later.
  const results = await Promise.allSettled(items.map((item) => limit.run(() => run(item))));
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}

/** A list in parts of at most `size`. */
export function partsOf<T>(items: readonly T[], size: number): T[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, part) => items.slice(part * size, (part + 1) * size));
}
