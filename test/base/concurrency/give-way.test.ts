// Background work gives way: at once while nobody asks; else one piece at a time, each followed by a rest of twice its time.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { GiveWay } from '../../../src/base/concurrency/give-way.js';

/** Pieces and rests that end when the test ends them, by a clock that it moves. */
function worldOf(isBusy: boolean) {
  const world = { isBusy, now: 0, begun: [] as string[], rests: [] as number[] };
  const pieces = new Map<string, (error?: Error) => void>();
  let rested = (): void => {};
  const pause = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      world.rests.push(ms);
      rested = resolve;
      signal?.addEventListener('abort', () => reject(new Error('aborted')));
    });
  const giveWay = new GiveWay(
    () => world.isBusy,
    () => world.now,
    pause,
  );
  const run = (name: string, signal?: AbortSignal): Promise<string> =>
    giveWay.run(
      () =>
        new Promise<string>((resolve, reject) => {
          world.begun.push(name);
          pieces.set(name, (error) => (error ? reject(error) : resolve(name)));
        }),
      signal,
    );
  /** Ends a piece after so many milliseconds. */
  const end = async (name: string, tookMs: number, error?: Error): Promise<void> => {
    world.now += tookMs;
    pieces.get(name)?.(error);
    await nextTurn();
  };
  const rest = async (): Promise<void> => {
    rested();
    await nextTurn();
  };
  return { world, run, end, rest };
}

it('background work runs at once while nobody asks', () => {
  const { world, run } = worldOf(false);
  for (const name of ['a', 'b', 'c']) void run(name);
  expect(world).toMatchObject({ begun: ['a', 'b', 'c'], rests: [] });
});

it('background work runs one at a time while callers ask, and rests twice as long as each took, at most 250 ms', async () => {
  const { world, run, end, rest } = worldOf(true);
  const runs = ['a', 'b', 'c'].map((name) => run(name));
  await nextTurn();
  expect(world.begun).toEqual(['a']);
  await end('a', 20);
  // Its result does not wait for the rest, the next piece does.
  expect(await runs[0]).toBe('a');
  expect(world).toMatchObject({ begun: ['a'], rests: [40] });
  await rest();
  expect(world.begun).toEqual(['a', 'b']);
  await end('b', 9_000);
  expect(world).toMatchObject({ begun: ['a', 'b'], rests: [40, 250] });
  await rest();
  await end('c', 1);
  expect(await Promise.all(runs)).toEqual(['a', 'b', 'c']);
});

it('background work that fails passes its error on, and the next piece runs', async () => {
  const { world, run, end, rest } = worldOf(true);
  const failing = run('a');
  const next = run('b');
  await nextTurn();
  void failing.catch(() => {});
  await end('a', 5, new Error('no'));
  await expect(failing).rejects.toThrow('no');
  await rest();
  await end('b', 5);
  expect(await next).toBe('b');
  expect(world.rests).toEqual([10, 10]);
});

it('background work does not rest once its signal is aborted, and runs at once when callers are gone', async () => {
  const { world, run, end } = worldOf(true);
  const stop = new AbortController();
  for (const name of ['a', 'b']) void run(name, stop.signal);
  await nextTurn();
  await end('a', 5);
  expect(world.begun).toEqual(['a']);
  world.isBusy = false;
  void run('c');
  expect(world.begun).toEqual(['a', 'c']);
  stop.abort();
  await nextTurn();
  expect(world.begun).toEqual(['a', 'c', 'b']);
});
