// Reads that requests share.
import { describe, expect, it } from 'vitest';
import { SharedReads } from '../../../src/base/concurrency/shared-reads.js';

/** A read that ends when it is told to, and counts how many began. */
function reads() {
  const ends: ((value: number | Error) => void)[] = [];
  const shared = new SharedReads<number>();
  const get = (key = 'a'): Promise<number> =>
    shared.get(
      key,
      () =>
        new Promise((resolve, reject) => {
          ends.push((value) => (value instanceof Error ? reject(value) : resolve(value)));
        }),
    );
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return { ends, get, turn };
}

describe('Reads that requests share', () => {
  it('begin at once when none is under way', async () => {
    const { ends, get, turn } = reads();
    const first = get();
    ends[0]?.(1);
    expect(await first).toBe(1);
    await turn();
    const second = get();
    ends[1]?.(2);
    expect(await second).toBe(2);
  });

  it('are one at a time: requests during a read share the one after it', async () => {
    const { ends, get, turn } = reads();
    const first = get();
    const later = [get(), get(), get()];
    await turn();
    expect(ends).toHaveLength(1);
    ends[0]?.(1);
    expect(await first).toBe(1);
    await turn();
    expect(ends).toHaveLength(2);
    const last = get();
    ends[1]?.(2);
    expect(await Promise.all(later)).toEqual([2, 2, 2]);
    await turn();
    ends[2]?.(3);
    expect(await last).toBe(3);
  });

  it('of other keys do not wait', () => {
    const { ends, get } = reads();
    void get('a');
    void get('b');
    expect(ends).toHaveLength(2);
  });

  it('that fail fail those who share them, and nobody else', async () => {
    const { ends, get, turn } = reads();
    const first = get();
    const second = get();
    ends[0]?.(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    await turn();
    ends[1]?.(2);
    expect(await second).toBe(2);
  });
});
