// Reads of what other issuers publish: none of them takes what the others need.
import { expect, it } from 'vitest';
import { guardedFetch } from '../../../src/http/outbound/guarded-fetch.js';
import {
  AGAIN_MS,
  type Fresh,
  IssuerReads,
  IssuerUnreachable,
  requireServed,
} from '../../../src/http/outbound/issuer-reads.js';
import { standStill } from '../../support/stand-still.js';

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

it('what is read is as old as the request for it, however late its issuer responds', async () => {
  const { get, count, time } = world();
  await get('a', 'x', () => {
    time.now += 60_000;
    return fresh('one');
  });
  expect(await get('a', 'x', () => fresh('two'))).toBe('two');
  expect(count.of).toBe(2);
});

it('an address that has nothing to use is asked again after 10 s', async () => {
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
  await expect(reads.get('a', 'x', untilAborted)).rejects.toThrow(IssuerUnreachable);
});

it('an issuer is not out of reach because the gateway stood still', async () => {
  const { reads } = world(2_000);
  const read = reads.get('a', 'x', async (signal) => {
    for (let requests = 0; requests < 2; requests += 1) await new Promise((resolve) => setTimeout(resolve, 100));
    if (signal.aborted) throw new Error('late');
    return fresh('one');
  });
  standStill(2_500);
  expect(await read).toBe('one');
});

it.each([429, 500, 502, 503, 504])(
  'an issuer that answers %i cannot be reached now, and is asked again after 10 s',
  async (status) => {
    const { get, count, time } = world();
    const busy = () => {
      requireServed(status);
      return fresh('never');
    };
    for (let round = 0; round < 3; round += 1)
      await expect(get('a', 'x', busy)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', data: { retryAfter: 10 } });
    expect(count.of).toBe(1);
    time.now += AGAIN_MS;
    expect(await get('a', 'x', () => fresh('one'))).toBe('one');
  },
);

it('an issuer whose name or port does not respond cannot be reached now; one at a private address never', async () => {
  const { reads } = world();
  const fetch = guardedFetch({
    allowLoopback: true,
    resolve: async (name) => {
      if (name === 'lost.example') throw new Error('ENOTFOUND');
      return name === 'inside.example' ? ['10.0.0.1'] : ['127.0.0.1'];
    },
  });
  const read = (address: string) =>
    reads.get('a', address, async (signal) => {
      await fetch(address, { signal });
      return fresh('never');
    });
  for (const address of ['https://lost.example/', 'http://127.0.0.1:9/'])
    await expect(read(address)).rejects.toThrow(IssuerUnreachable);
  for (const address of ['https://inside.example/', 'https://10.0.0.1/', 'ftp://lost.example/'])
    expect(await read(address)).toBeUndefined();
});

it('what is good stays while its issuer cannot be reached, but not for who wants a newer one', async () => {
  const { get, time } = world();
  await get('a', 'x', () => fresh('one'));
  time.now += AGAIN_MS;
  const busy = () => {
    throw new IssuerUnreachable();
  };
  await expect(get('a', 'x', busy, AGAIN_MS)).rejects.toThrow(IssuerUnreachable);
  expect(await get('a', 'x', busy)).toBe('one');
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
  const ends = await Promise.allSettled(slow);
  expect(new Set(ends.map((end) => (end.status === 'rejected' ? end.reason.code : end.value)))).toEqual(
    new Set(['STORE_UNAVAILABLE']),
  );
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
