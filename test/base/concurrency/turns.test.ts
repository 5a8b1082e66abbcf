// Turns: bursts of work let others in between.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Turns } from '../../../src/base/concurrency/turns.js';

/** Keeps the process busy, as parsing does. */
function work(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe('Turns', () => {
  it('tasks run in order, those that tasks add last', async () => {
    const turns = new Turns();
    const ran: string[] = [];
    turns.add(() => {
      ran.push('first');
      turns.add(() => ran.push('third'));
    });
    turns.add(() => ran.push('second'));
    expect(ran).toEqual([]);
    while (ran.length < 3) await nextTurn();
    expect(ran).toEqual(['first', 'second', 'third']);
  });

  it('other work runs after a few milliseconds of tasks', async () => {
    const turns = new Turns();
    let done = 0;
    for (let at = 0; at < 10; at += 1)
      turns.add(() => {
        work(5);
        done += 1;
      });
    const doneByTurn: number[] = [];
    while (done < 10) {
      await nextTurn();
      doneByTurn.push(done);
    }
    expect(doneByTurn.length).toBeGreaterThanOrEqual(10);
  });
});
