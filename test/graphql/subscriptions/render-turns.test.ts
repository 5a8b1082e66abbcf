// Which operation runs when: those of anonymous callers run in turns within an allowance of time, and none keeps the process from other work.
import { describe, expect, it } from 'vitest';
import { ANONYMOUS, type Caller } from '../../../src/base/callers/caller.js';
import { RenderTurns } from '../../../src/graphql/subscriptions/render-turns.js';

const PARTNER: Caller = { kind: 'partner', partnerId: 'p', scopes: [], claims: {}, kid: '', expiresAt: 0 };

/** Keeps the process busy for some milliseconds of a clock that moves only by such work. */
class Work {
  now = 0;
  done = 0;

  of(ms: number): () => Promise<void> {
    return async () => {
      this.now += ms;
      this.done += 1;
    };
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('Executions for events', () => {
  it('executions for events let other work run in between', async () => {
    for (const caller of [ANONYMOUS, PARTNER]) {
      const work = new Work();
      const turns = new RenderTurns(() => work.now);
      const all = Promise.all(Array.from({ length: 100 }, () => turns.run(caller, work.of(1))));
      let seen = 0;
      let between = 0;
      while (work.done < 100) {
        await turn();
        if (work.done > seen) between += 1;
        seen = work.done;
      }
      await all;
      expect(between).toBeGreaterThanOrEqual(100 / 16);
    }
  });

  it('executions for anonymous clients stop when their allowance is used up, and continue after a while', async () => {
    const work = new Work();
    const turns = new RenderTurns(() => work.now);
    const all = Promise.all(Array.from({ length: 20 }, () => turns.run(ANONYMOUS, work.of(100))));
    for (let round = 0; round < 50; round += 1) await turn();
    const { done } = work;
    expect(done).toBeGreaterThan(0);
    expect(done).toBeLessThan(10);
    await turns.run(PARTNER, work.of(100));
    expect(work.done).toBe(done + 1);
    const passing = setInterval(() => {
      work.now += 1_000;
    }, 1);
    await all;
    clearInterval(passing);
    expect(work.done).toBe(21);
  });

  it('executions for anonymous clients continue 20 s after a pause, however long the pause was', async () => {
    const work = new Work();
    const turns = new RenderTurns(() => work.now);
    const ends: (() => void)[] = [];
    const held = () => new Promise<void>((end) => ends.push(end));
    const underWay = Promise.all(Array.from({ length: 4 }, () => turns.run(ANONYMOUS, held)));
    while (ends.length < 4) await turn();
    work.now += 60_000;
    for (const end of ends) end();
    await underWay;
    work.now += 20_001;
    await turns.run(ANONYMOUS, work.of(1));
    expect(work.done).toBe(1);
  });

  it('executions that fail also count, and delay no one', async () => {
    const work = new Work();
    const turns = new RenderTurns(() => work.now);
    const failing = async (): Promise<void> => {
      await work.of(1)();
      throw new Error('no');
    };
    for (let count = 0; count < 30; count += 1) await expect(turns.run(ANONYMOUS, failing)).rejects.toThrow('no');
    await turns.run(ANONYMOUS, work.of(1));
    expect(work.done).toBe(31);
  });
});
