// A limit: no more runs than may, work of one key keeps its order, keys take turns, and work that does not run is refused with the reason.
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { Limit, type LimitOptions, LimitRefusal, type RunOptions } from '../../../src/base/concurrency/limit.js';

const turn = (): Promise<void> => new Promise((done) => setImmediate(done));

/** Work that ends when the test ends it; `begun` has its names in the order in which it began. */
function worldOf(options: LimitOptions) {
  const limit = new Limit(options);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const run = (name: string, runOptions: RunOptions = {}): Promise<string> =>
    limit.run(
      () =>
        new Promise<string>((resolve) => {
          begun.push(name);
          ends.set(name, () => resolve(name));
        }),
      runOptions,
    );
  const end = async (name: string): Promise<void> => {
    ends.get(name)?.();
    await turn();
  };
  return { limit, begun, run, end };
}

const reasonOf = (running: Promise<unknown>): Promise<string> =>
  running.then(
    () => 'it ran',
    (error: unknown) => (error instanceof LimitRefusal ? error.reason : String(error)),
  );

describe('A limit', () => {
  it('a limit runs work without a key in order', async () => {
    const { begun, run, end } = worldOf({ atOnce: 2 });
    for (const name of ['a', 'b', 'c', 'd']) void run(name);
    expect(begun).toEqual(['a', 'b']);
    await end('b');
    await end('a');
    expect(begun).toEqual(['a', 'b', 'c', 'd']);
  });

  it('a limit serves keys in turn, each in its own order', async () => {
    const { begun, run, end } = worldOf({ atOnce: 1 });
    for (const name of ['a1', 'a2', 'a3', 'a4']) void run(name, { key: 'a' });
    for (const name of ['b1', 'b2']) void run(name, { key: 'b' });
    void run('c1', { key: 'c' });
    for (let at = 0; at < 6; at += 1) await end(begun.at(-1) ?? '');
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  });

  it('a limit runs no more work of one key than its share, also while slots are free', async () => {
    const { limit, begun, run, end } = worldOf({ atOnce: 4, perKey: 2 });
    for (const name of ['a1', 'a2', 'a3']) void run(name, { key: 'a' });
    expect([limit.countOf('a'), limit.waitingOf('a'), limit.countOf('b')]).toEqual([3, 1, 0]);
    for (const name of ['b1', 'b2', 'b3']) void run(name, { key: 'b' });
    void run('c1', { key: 'c' });
    expect(begun).toEqual(['a1', 'a2', 'b1', 'b2']);
    // Neither `a` nor `b` may have another, so `c` is first although it came last.
    await end('b1');
    expect(begun.slice(4)).toEqual(['c1']);
    await end('b2');
    expect(begun.slice(5)).toEqual(['b3']);
    await end('a1');
    expect(begun.slice(6)).toEqual(['a3']);
    for (const name of ['a2', 'a3', 'b3', 'c1']) await end(name);
    expect([limit.running, limit.waiting, limit.keys]).toEqual([0, 0, 0]);
    for (const name of ['v', 'w', 'x', 'y', 'z']) void run(name);
    expect(begun.slice(7)).toEqual(['v', 'w', 'x', 'y']);
  });

  it('a limit continues after failed work, and passes its error on', async () => {
    const limit = new Limit({ atOnce: 1, perKey: 1 });
    const failing = limit.run(() => Promise.reject(new Error('no')), { key: 'a' });
    const next = limit.run(async () => 'yes', { key: 'a' });
    await expect(failing).rejects.toThrow('no');
    expect(await next).toBe('yes');
  });

  it('a raised limit starts more work, and a lowered one stops none', async () => {
    const { limit, begun, run, end } = worldOf({ atOnce: 1, perKey: 1 });
    for (const key of ['a', 'b', 'c', 'd']) void run(key, { key });
    limit.atOnce = 3;
    expect(begun).toEqual(['a', 'b', 'c']);
    limit.atOnce = 1;
    await end('a');
    await end('b');
    expect(begun).toHaveLength(3);
    await end('c');
    expect(begun.at(-1)).toBe('d');
  });

  it('work that takes long continues without its slot', async () => {
    const { limit, begun, run, end } = worldOf({ atOnce: 1 });
    const slow = run('slow', { slotMs: 5 });
    void run('next');
    await vi.waitFor(() => expect(begun).toEqual(['slow', 'next']));
    await end('slow');
    expect(await slow).toBe('slow');
    expect(limit.running).toBe(1);
  });
});

describe('Work that may not start is refused', () => {
  it('work is refused when too much waits in all', async () => {
    const { run, end } = worldOf({ atOnce: 1, maxWaiting: 2 });
    void run('a', { key: 'a' });
    const waits = [run('b', { key: 'b' }), run('c')];
    expect(await reasonOf(run('d', { key: 'd' }))).toBe('full');
    for (const name of ['a', 'b', 'c']) await end(name);
    expect(await Promise.all(waits)).toEqual(['b', 'c']);
  });

  it('work is refused when too much of its key waits, and work of other keys is not', async () => {
    const { run, begun, end } = worldOf({ atOnce: 1, maxWaitingPerKey: 1 });
    for (const name of ['a1', 'a2']) void run(name, { key: 'a' });
    expect(await reasonOf(run('a3', { key: 'a' }))).toBe('full');
    for (const name of ['b1', 'none', 'none2']) void run(name, { key: name === 'b1' ? 'b' : undefined });
    for (const name of ['a1', 'a2', 'b1', 'none', 'none2']) await end(name);
    expect(begun).toHaveLength(5);
  });

  it('work is refused when it has waited too long; running work may take longer', async () => {
    const { run, end, limit } = worldOf({ atOnce: 1, maxWaitMs: 5 });
    const running = run('a');
    expect(await reasonOf(run('b'))).toBe('late');
    expect(limit.waiting).toBe(0);
    await end('a');
    expect(await running).toBe('a');
  });

  it('work is refused when its signal aborts before it runs, and not while it runs', async () => {
    const { run, begun, end } = worldOf({ atOnce: 1 });
    const [gone, going, late] = [new AbortController(), new AbortController(), new AbortController()];
    gone.abort();
    expect(await reasonOf(run('before', { signal: gone.signal }))).toBe('abandoned');
    const running = run('runs', { signal: late.signal });
    const waiting = reasonOf(run('waits', { signal: going.signal }));
    const last = run('last');
    going.abort();
    expect(await waiting).toBe('abandoned');
    late.abort();
    await end('runs');
    expect(await running).toBe('runs');
    await end('last');
    expect(await last).toBe('last');
    expect(begun).toEqual(['runs', 'last']);
  });

  it('work that nobody needs any more is refused at its turn, and its key keeps the turn', async () => {
    const { run, begun, end } = worldOf({ atOnce: 1 });
    let isGone = false;
    void run('runs');
    const left = reasonOf(run('left', { key: 'a', isAbandoned: () => isGone }));
    void run('stays', { key: 'a' });
    void run('other', { key: 'b' });
    isGone = true;
    await end('runs');
    expect(await left).toBe('abandoned');
    expect(begun).toEqual(['runs', 'stays']);
    expect(await reasonOf(run('late', { isAbandoned: () => isGone }))).toBe('abandoned');
  });

  it('in a full queue, work that nobody needs any more makes room for other work', async () => {
    const { run, begun, end } = worldOf({ atOnce: 1, maxWaitingPerKey: 2 });
    let isGone = false;
    void run('runs', { key: 'a' });
    const left = [1, 2].map((at) => reasonOf(run(`left${at}`, { key: 'a', isAbandoned: () => isGone })));
    isGone = true;
    void run('stays', { key: 'a' });
    expect(await Promise.all(left)).toEqual(['abandoned', 'abandoned']);
    await end('runs');
    expect(begun).toEqual(['runs', 'stays']);
  });

  it('a closed limit refuses waiting and later work', async () => {
    const { run, end, limit } = worldOf({ atOnce: 1 });
    const running = run('runs');
    const waiting = [reasonOf(run('a', { key: 'a' })), reasonOf(run('b'))];
    limit.close();
    expect(await Promise.all(waiting)).toEqual(['closed', 'closed']);
    expect(await reasonOf(run('c'))).toBe('closed');
    await end('runs');
    expect(await running).toBe('runs');
    expect(limit.keys).toBe(0);
  });

  it('work is refused with the error of its kind', async () => {
    const limit = new Limit({ atOnce: 0, maxWaiting: 0, refusal: (reason) => new TypeError(`busy: ${reason}`) });
    await expect(limit.run(async () => 1)).rejects.toThrow(new TypeError('busy: full'));
  });
});

describe('A slot that is entered', () => {
  it('a slot counts for its key and in all, and is released once', () => {
    const limit = new Limit({ atOnce: 3, perKey: 2 });
    const leaves = ['a', 'a', 'b'].map((key) => limit.enter(key));
    expect([limit.enter('a'), limit.enter('b'), limit.enter()]).toEqual([undefined, undefined, undefined]);
    leaves[0]?.();
    leaves[0]?.();
    expect([limit.running, limit.countOf('a')]).toEqual([2, 1]);
    expect([limit.enter('a'), limit.enter('b')]).toEqual([expect.any(Function), undefined]);
  });

  it('a released slot starts waiting work', async () => {
    const { limit, begun, run } = worldOf({ atOnce: 1 });
    const leave = limit.enter();
    void run('waits');
    expect(begun).toEqual([]);
    leave?.();
    expect(begun).toEqual(['waits']);
  });
});

type Step = { do: 'ask' | 'end' | 'abort'; who: number };
const steps = fc.array(fc.record({ do: fc.constantFrom<Step['do']>('ask', 'ask', 'end', 'abort'), who: fc.nat(4) }), {
  maxLength: 120,
});

it('in any order of work, ends and aborts, limits hold, nothing waits without need, and no key is left', async () => {
  const [atOnce, perKey] = [5, 2];
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const limit = new Limit({ atOnce, perKey });
      const running: { key: string; end(): void }[] = [];
      const aborts: { key: string; abort: AbortController }[] = [];
      const results: Promise<unknown>[] = [];
      const runningOf = (key: string): number => limit.countOf(key) - limit.waitingOf(key);
      const work = (key: string) => () =>
        new Promise<void>((resolve) => {
          running.push({ key, end: resolve });
        });
      for (const { do: what, who } of all) {
        const key = `${who}`;
        if (what === 'ask') {
          const abort = new AbortController();
          aborts.push({ key, abort });
          results.push(limit.run(work(key), { key, signal: abort.signal }).catch(() => {}));
        }
        if (what === 'end')
          running
            .splice(
              running.findIndex((each) => each.key === key),
              1,
            )[0]
            ?.end();
        if (what === 'abort') for (const each of aborts) if (each.key === key) each.abort.abort();
        await turn();
        expect(running).toHaveLength(limit.running);
        const keys = ['0', '1', '2', '3', '4'];
        for (const each of keys) expect(runningOf(each)).toBeLessThanOrEqual(perKey);
        const mayStart = keys.some((each) => limit.waitingOf(each) > 0 && runningOf(each) < perKey);
        expect(limit.running === atOnce || !mayStart).toBe(true);
      }
      while (running.length > 0) {
        running.pop()?.end();
        await turn();
      }
      await Promise.all(results);
      expect([limit.running, limit.waiting, limit.keys]).toEqual([0, 0, 0]);
    }),
    { numRuns: 60 },
  );
});
