// Promises of slots: no more runs than there are, nobody's work is overtaken by its own, and one owner neither takes all slots nor all turns.
import { expect, it } from 'vitest';
import { Slots } from '../../../src/base/concurrency/slots.js';

const turn = (): Promise<void> => new Promise((done) => setImmediate(done));

/** Work that ends when it is told to; `begun` names what has begun, in order. */
function workIn(slots: Slots) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (name: string, owner?: string): void => {
    const work = () =>
      new Promise<void>((end) => {
        begun.push(name);
        ends.set(name, end);
      });
    void slots.run(work, undefined, owner);
  };
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.();
    await turn();
  };
  return { begun, run, end };
}

it('Work without an owner runs in order', async () => {
  const { begun, run, end } = workIn(new Slots(2));
  for (const name of ['a', 'b', 'c', 'd']) run(name);
  expect(begun).toEqual(['a', 'b']);
  await end('b');
  await end('a');
  expect(begun).toEqual(['a', 'b', 'c', 'd']);
});

it('Owners take turns, each in its own order', async () => {
  const { begun, run, end } = workIn(new Slots(1));
  for (const name of ['a1', 'a2', 'a3', 'a4']) run(name, 'a');
  for (const name of ['b1', 'b2']) run(name, 'b');
  run('c1', 'c');
  for (let at = 0; at < 6; at += 1) await end(begun.at(-1) ?? '');
  expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
});

it('One owner has no more than its share, also while slots are free', async () => {
  const slots = new Slots(4, 2);
  const { begun, run, end } = workIn(slots);
  for (const name of ['a1', 'a2', 'a3']) run(name, 'a');
  for (const name of ['b1', 'b2', 'b3']) run(name, 'b');
  expect(begun).toEqual(['a1', 'a2', 'b1', 'b2']);
  expect([slots.countOf('a'), slots.countOf('c')]).toEqual([3, 0]);
  run('c1', 'c');
  await end('b1');
  // The turn of `a` is passed over, since it has its share, and is not lost.
  expect(begun.slice(4)).toEqual(['b3']);
  await end('b2');
  expect(begun.slice(5)).toEqual(['c1']);
  await end('a1');
  expect(begun.slice(6)).toEqual(['a3']);
  for (const name of ['a2', 'a3', 'b3', 'c1']) await end(name);
  expect([slots.countOf('a'), slots.countOf('b')]).toEqual([0, 0]);
  for (const name of ['x', 'y', 'z', 'w', 'v']) run(name);
  expect(begun.slice(7)).toEqual(['x', 'y', 'z', 'w']);
});

it('Work that fails gives its slot back', async () => {
  const slots = new Slots(1, 1);
  await expect(slots.run(() => Promise.reject(new Error('no')), undefined, 'a')).rejects.toThrow('no');
  expect(await slots.run(async () => 'yes', undefined, 'a')).toBe('yes');
});
