// Work over lists: a few at a time, part by part.

/** Runs work for every item, at most `width` at a time; results in the order of the items. After a failure no more is begun. */
export async function inParallel<T, R>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  let failed = false;
  const run = async (): Promise<void> => {
    for (const [at, item] of queue) {
      if (failed) return;
      results[at] = await work(item);
    }
  };
  const lanes = Array.from({ length: Math.min(width, items.length) }, () =>
    run().catch((error: unknown) => {
      failed = true;
      throw error;
    }),
  );
  await Promise.all(lanes);
  return results;
}

/** A list in parts of at most `size`. */
export function partsOf<T>(items: readonly T[], size: number): T[][] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, part) => items.slice(part * size, (part + 1) * size));
}
