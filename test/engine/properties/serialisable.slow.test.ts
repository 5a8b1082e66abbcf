// Random transactions run at the same time: for the documents they wrote, the result is that of some serial order.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestEngine, type TestEngine } from '../support.js';

interface Account {
  _id: number;
  version: number;
  balance: number;
}

/** For each document that a committed transaction wrote, the version that it had seen. */
type Committed = ReadonlyMap<number, number>;

const ACCOUNTS = 4;
const START = 100;
const CLIENTS = 5;

const step = fc.record({
  ids: fc.uniqueArray(fc.integer({ min: 0, max: ACCOUNTS - 1 }), { minLength: 2, maxLength: 3 }),
  amount: fc.integer({ min: 1, max: 50 }),
});
const schedule = fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { minLength: CLIENTS, maxLength: CLIENTS });

describe('transactions at random', () => {
  let at: TestEngine;
  beforeAll(async () => {
    at = await startTestEngine();
  });
  afterAll(() => at.close());

  /** Reads the accounts, moves amounts from the first to the others, and writes all that it has read. */
  async function transfer(ids: readonly number[], amount: number): Promise<Committed> {
    const accounts = at.db.collection<Account>('accounts');
    return at.client.withSession((session) =>
      session.withTransaction(async () => {
        const seen = new Map<number, number>();
        for (const [place, _id] of ids.entries()) {
          const account = await accounts.findOne({ _id }, { session });
          if (!account) throw new Error(`no account ${_id}`);
          seen.set(_id, account.version);
          const by = place === 0 ? -amount * (ids.length - 1) : amount;
          // Replaces the whole document by what was read, so that a lost update of another transaction would be seen.
          await accounts.replaceOne(
            { _id },
            { version: account.version + 1, balance: account.balance + by },
            { session },
          );
        }
        return seen;
      }),
    );
  }

  it('random transactions lose no update and have a serial order', async () => {
    await fc.assert(
      fc.asyncProperty(schedule, async (clients) => {
        const accounts = at.db.collection<Account>('accounts');
        await accounts.deleteMany({});
        await accounts.insertMany(Array.from({ length: ACCOUNTS }, (_, _id) => ({ _id, version: 0, balance: START })));
        const committed: Committed[] = [];
        await Promise.all(
          clients.map(async (steps) => {
            for (const { ids, amount } of steps) committed.push(await transfer(ids, amount));
          }),
        );
        const after = await accounts.find().sort({ _id: 1 }).toArray();
        expect(after.reduce((sum, { balance }) => sum + balance, 0)).toBe(ACCOUNTS * START);
        for (const { _id, version } of after) {
          const versions = committed.flatMap((each) => each.get(_id) ?? []).sort((a, b) => a - b);
          expect(versions).toEqual(Array.from({ length: version }, (_, i) => i));
        }
        expect(isOrdered(committed)).toBe(true);
      }),
      { numRuns: 12 },
    );
  });
});

/** Whether there is an order of the transactions that fits the versions of every document. */
function isOrdered(committed: readonly Committed[]): boolean {
  const left = new Set(committed);
  const reached = new Map<number, number>();
  const isNext = (each: Committed): boolean => [...each].every(([id, version]) => (reached.get(id) ?? 0) === version);
  for (;;) {
    const next = [...left].find(isNext);
    if (!next) return left.size === 0;
    left.delete(next);
    for (const [id, version] of next) reached.set(id, version + 1);
  }
}
