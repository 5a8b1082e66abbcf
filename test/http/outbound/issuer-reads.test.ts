// Reads of what other issuers publish: none of them takes what the others need.
import { expect, it } from 'vitest';
import { AGAIN_MS, type Fresh, IssuerReads } from '../../../src/http/outbound/issuer-reads.js';

const MIB = 1_048_576;
const fresh = (value: string, size = 1): Fresh<string> => ({ value, size, goodForMs: 60_000 });
const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('late'))));

function world(timeoutMs?: number) {
  const time = { now: 1_000_000 };
  const reads = new IssuerReads<string>({ clock: () => time.now, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
  const count = { of: 0 };
  const get = (issuerId: string, address: string, result: () => Fresh<string> | undefined, maxAgeMs?: number) =>
    reads.get(
      issuerId,
      address,
      async () => {
        count.of += 1;
        return result();
      },
      maxAgeMs,
    );
  return { reads, time, count, get };
}

it('an address is read once while it is good, and by one of many at once', async () => {
  const { get, count, time } = world();
  const all = await Promise.all([1, 2, 3].map(() => get('a', 'x', () => fresh('one'))));
  expect([...all, await get('a', 'x', () => fresh('two'))]).toEqual(['one', 'one', 'one', 'one']);
  expect(count.of).toBe(1);
  time.now += 60_000;
  expect(await get('a', 'x', () => fresh('two'))).toBe('two');
});

it('an address that cannot be read is asked again after 10 s', async () => {
  const { get, count, time } = world();
  const fails = () => {
    throw new Error('no');
  };
  for (let round = 0; round < 3; round += 1) expect(await get('a', 'x', fails)).toBeUndefined();
  expect(await get('a', 'x', () => fresh('one'))).toBeUndefined();
  expect(count.of).toBe(1);
  time.now += AGAIN_MS;
  expect(await get('a', 'x', () => fresh('one'))).toBe('one');
});

it('what is good stays when reading it again fails', async () => {
  const { get, time } = world();
  await get('a', 'x', () => fresh('one'));
  time.now += AGAIN_MS;
  expect(await get('a', 'x', () => undefined, AGAIN_MS)).toBe('one');
  expect(await get('a', 'x', () => fresh('two'), AGAIN_MS)).toBe('one');
  time.now += AGAIN_MS;
  expect(await get('a', 'x', () => fresh('two'), AGAIN_MS)).toBe('two');
});

it('a read that does not end is given up, with all its requests', async () => {
  const { reads } = world(20);
  expect(await reads.get('a', 'x', untilAborted)).toBeUndefined();
});

it('an issuer whose addresses do not answer takes four reads, and others are read meanwhile', async () => {
  const { reads, get } = world(2_000);
  let running = 0;
  const slow = Array.from({ length: 150 }, (_, at) =>
    reads.get('slow', `x${at}`, (signal) => {
      running += 1;
      return untilAborted(signal);
    }),
  );
  expect(await get('other', 'x', () => fresh('one'))).toBe('one');
  expect(running).toBe(4);
  expect(new Set(await Promise.all(slow))).toEqual(new Set([undefined]));
});

it('issuers with many large lists flush their own, and not those of others', async () => {
  const { get, count } = world();
  await get('other', 'x', () => fresh('one'));
  for (const issuerId of ['a', 'b', 'c', 'd'])
    for (let at = 0; at < 20; at += 1) await get(issuerId, `x${at}`, () => fresh('list', MIB));
  expect(await get('other', 'x', () => fresh('two'))).toBe('one');
  await get('a', 'x0', () => fresh('list', MIB));
  expect(count.of).toBe(82);
});
