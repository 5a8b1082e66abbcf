// Writes that wait share a transaction; one that is refused does not fail the others.
import { setImmediate } from 'node:timers/promises';
import { MongoNetworkError, MongoServerError } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { JoinedWrites } from '../../src/store/joined-writes.js';

/** A write is its key, with a number after it. Each transaction waits until `commit` lets the oldest open one end. */
function recorded(fails: (writes: readonly string[]) => Error | undefined = () => undefined) {
  const transactions: (readonly string[])[] = [];
  const open: (() => void)[] = [];
  const transaction = async (writes: readonly string[]): Promise<string[]> => {
    transactions.push(writes);
    await new Promise<void>((resolve) => open.push(resolve));
    const error = fails(writes);
    if (error) throw error;
    return writes.map((write) => write.toUpperCase());
  };
  const joined = new JoinedWrites<string, string>({
    keyOf: (write) => write.replace(/\d+$/, ''),
    together: transaction,
    alone: async (write) => (await transaction([write]))[0] ?? '',
  });
  const commit = async (): Promise<void> => {
    open.shift()?.();
    await setImmediate();
  };
  const commitAll = async (): Promise<void> => {
    while (open.length > 0) await commit();
  };
  return { joined, transactions, commit, commitAll };
}

describe('joined writes', () => {
  it('the first two begin at once, each alone, and those that wait share the next transaction', async () => {
    const { joined, transactions, commit, commitAll } = recorded();
    const all = ['a', 'b', 'c', 'd', 'e'].map((write) => joined.do(write));
    expect(transactions).toEqual([['a'], ['b']]);
    await commit();
    expect(transactions).toEqual([['a'], ['b'], ['c', 'd', 'e']]);
    await commitAll();
    expect(await Promise.all(all)).toEqual(['A', 'B', 'C', 'D', 'E']);
  });

  it('a transaction has at most 16 writes, and the others are in the next one', async () => {
    const { joined, transactions, commitAll } = recorded();
    const names = Array.from({ length: 40 }, (_, at) => `w${at}-`);
    const all = names.map((write) => joined.do(write));
    await commitAll();
    await Promise.all(all);
    expect(transactions.map(({ length }) => length)).toEqual([1, 1, 16, 16, 6]);
    expect(transactions.flat()).toEqual(names);
  });

  it('writes with one key are never in transactions at the same time', async () => {
    const { joined, transactions, commit, commitAll } = recorded();
    const all = ['a1', 'a2', 'b1', 'a3', 'b2', 'c1'].map((write) => joined.do(write));
    expect(transactions).toEqual([['a1'], ['b1']]);
    await commit();
    expect(transactions.slice(2)).toEqual([['a2', 'c1']]);
    await commitAll();
    await Promise.all(all);
    expect(transactions.slice(3)).toEqual([['b2'], ['a3']]);
  });

  it('if one of them is refused, each has a transaction of its own', async () => {
    const refusal = new MongoServerError({ message: 'duplicate key', code: 11000 });
    const { joined, transactions, commitAll } = recorded((writes) => (writes.includes('bad') ? refusal : undefined));
    const all = Promise.allSettled(['a', 'b', 'c', 'bad', 'd'].map((write) => joined.do(write)));
    await commitAll();
    expect((await all).map((each) => (each.status === 'fulfilled' ? each.value : each.reason))).toEqual([
      ...['A', 'B', 'C'],
      refusal,
      'D',
    ]);
    expect(transactions.slice(2)).toEqual([['c', 'bad', 'd'], ['c'], ['bad'], ['d']]);
  });

  it('an error that is not the database’s fails only its own write', async () => {
    const own = new Error('of this write');
    const { joined, commitAll } = recorded((writes) => (writes.includes('bad') ? own : undefined));
    const all = Promise.allSettled(['a', 'b', 'bad', 'd'].map((write) => joined.do(write)));
    await commitAll();
    expect((await all).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  });

  const unknown = new MongoServerError({ message: 'no answer', errorLabels: ['UnknownTransactionCommitResult'] });
  it.each([
    ['cannot be reached', new MongoNetworkError('gone')],
    ['cannot be reached by a bulk write', new MongoServerError(new MongoNetworkError('gone'))],
    ['does not say whether it committed', unknown],
  ])('if the database %s, none is written again', async (_, error) => {
    const { joined, transactions, commitAll } = recorded((writes) => (writes.length > 1 ? error : undefined));
    const all = Promise.allSettled(['a', 'b', 'c', 'd'].map((write) => joined.do(write)));
    await commitAll();
    expect((await all).map((each) => (each.status === 'fulfilled' ? each.value : each.reason))).toEqual([
      ...['A', 'B'],
      error,
      error,
    ]);
    expect(transactions).toHaveLength(3);
    const later = joined.do('e');
    await commitAll();
    expect(await later).toBe('E');
  });

  it('if the database cannot be reached, those that wait begin at once, each alone', async () => {
    const error = new MongoNetworkError('gone');
    const { joined, transactions, commit, commitAll } = recorded(() => error);
    const all = Promise.allSettled(Array.from({ length: 50 }, (_, at) => joined.do(`w${at}-`)));
    await commit();
    // One transaction has failed; none of the others waits for another one to fail.
    expect(transactions.map(({ length }) => length)).toEqual(Array.from({ length: 50 }, () => 1));
    await commitAll();
    expect((await all).map((each) => each.status === 'rejected' && each.reason)).toEqual(Array(50).fill(error));
  });

  it('one that is refused again and again holds up none of the others', async () => {
    const refusal = new MongoServerError({ message: 'conflict', code: 112 });
    const joined = new JoinedWrites<string, string>({
      keyOf: (write) => write,
      together: async (writes) => {
        if (writes.some((write) => write.startsWith('bad'))) throw refusal;
        return [...writes];
      },
      alone: (write) => (write.startsWith('bad') ? new Promise(() => {}) : Promise.resolve(write)),
    });
    for (const bad of ['bad 1', 'bad 2']) void joined.do(bad);
    const others = ['a', 'b', 'c'].map((write) => joined.do(write));
    void joined.do('bad 3');
    expect(await Promise.all([...others, joined.do('d')])).toEqual(['a', 'b', 'c', 'd']);
  });
});
