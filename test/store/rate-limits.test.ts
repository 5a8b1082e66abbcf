// Rate limits: never more than allowed, whatever the number of processes, and no subject can be read in the database.
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RateLimit, RateLimits, rateModel } from '../../src/store/rate-limits.js';
import { SealedBox } from '../../src/keys/sealed-box.js';
import { openDatabase, type TestDatabase } from '../support/database.js';

const root = randomBytes(32);
// The clock is far ahead, because the store deletes what has expired by its own clock.
const clock = { now: Date.UTC(2100, 0, 1) };
let database: TestDatabase;
beforeEach(async () => {
  database = await openDatabase(rateModel);
});
afterEach(() => database.close());

const aProcess = async (): Promise<RateLimits> =>
  new RateLimits(rateModel(await database.another()), new SealedBox(root), () => clock.now);
const passed = async (processes: RateLimits[], limit: RateLimit, subject: string, times: number): Promise<number> => {
  const tries = Array.from({ length: times }, (_, at) => processes[at % processes.length]?.count([limit, subject]));
  return (await Promise.allSettled(tries)).filter(({ status }) => status === 'fulfilled').length;
};

describe('a limit', () => {
  it.each([1, 5, 19, 50, 333])('a limit of %i admits exactly that many in one process', async (max) => {
    const limit = { name: 'test', max, seconds: 60 };
    expect(await passed([await aProcess()], limit, 'a', max + 20)).toBe(max);
  });

  it('a limit applies to four processes together', async () => {
    const processes = await Promise.all(Array.from({ length: 4 }, aProcess));
    expect(await passed(processes, { name: 'test', max: 5, seconds: 60 }, 'a', 40)).toBe(5);
    const large = await passed(processes, { name: 'large', max: 200, seconds: 60 }, 'a', 400);
    expect(large).toBeLessThanOrEqual(200);
    expect(large).toBeGreaterThanOrEqual(160);
  });

  it('a limit counts each subject and name separately, and starts at 0 in the next window', async () => {
    const process = await aProcess();
    const limit = { name: 'test', max: 1, seconds: 60 };
    expect(await passed([process], limit, 'a', 2)).toBe(1);
    expect(await passed([process], limit, 'b', 2)).toBe(1);
    expect(await passed([process], { ...limit, name: 'other' }, 'a', 2)).toBe(1);
    await expect(process.count([limit, 'a'])).rejects.toMatchObject({ code: 'RATE_LIMITED', data: { retryAfter: 60 } });
    clock.now += 60_000;
    expect(await passed([process], limit, 'a', 2)).toBe(1);
  });

  it.each([5, 40])(
    'counts of a limit of %i can be reverted, and checked without counting, over four processes',
    async (max) => {
      const processes = await Promise.all(Array.from({ length: 4 }, aProcess));
      const limit = { name: 'test', max, seconds: 60 };
      for (let time = 0; time < 3 * max; time += 1) {
        const takeBack = await processes[time % 4]?.count([limit, 'a']);
        await takeBack?.();
      }
      expect(await passed(processes.slice(0, 1), limit, 'a', 2 * max)).toBe(max);
      const asked = processes.map((process) => process.requireLeft([{ ...limit, what: 'tries' }, 'a']));
      for (const refused of asked)
        await expect(refused).rejects.toMatchObject({
          code: 'RATE_LIMITED',
          message: expect.stringMatching(/^Too many tries;/),
        });
      await expect(processes[1]?.requireLeft([limit, 'b'])).resolves.toBeUndefined();
    },
  );

  it.each([1, 10, 50])('a limit of %i that was full for a moment has room again, in every process', async (max) => {
    const [one, two] = [await aProcess(), await aProcess()];
    const limit = { name: 'test', max, seconds: 60 };
    const reverts = [];
    for (let time = 0; time < max; time += 1) reverts.push(await one.count([limit, 'a']));
    for (const process of [one, two])
      await expect(process.count([limit, 'a'])).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await reverts[0]?.();
    clock.now += 1_000;
    for (const process of [two, one, await aProcess()]) await (await process.count([limit, 'a']))();
    expect(await passed([two], limit, 'a', 5)).toBe(1);
  });

  it('no subject of a limit is readable in the store', async () => {
    await (await aProcess()).count([{ name: 'test', max: 1, seconds: 60 }, 'canary@example.com']);
    expect(await database.dump()).not.toContain('canary');
  });
});
