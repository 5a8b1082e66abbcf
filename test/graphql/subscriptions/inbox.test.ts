// The messages of a socket are handled in order and within the caller's points, and at most one read of the connection
// waits.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { bucketOf } from '../../../src/base/callers/points.js';
import type { Bucket } from '../../../src/base/concurrency/bucket.js';
import { Turns } from '../../../src/base/concurrency/turns.js';
import { Inbox } from '../../../src/graphql/subscriptions/inbox.js';

const TURNS = 50;

async function pass(): Promise<void> {
  for (let at = 0; at < TURNS; at += 1) await nextTurn();
}

function opened(bucket?: Bucket, turns = new Turns()) {
  const handled: string[] = [];
  let isReading = true;
  const socket = {
    pause: () => {
      isReading = false;
    },
    resume: () => {
      isReading = true;
    },
  };
  const handle = (text: string) => {
    handled.push(text);
    bucket?.spend(1);
  };
  const inbox = new Inbox({ socket, turns, bucketOf: () => bucket, handle });
  return { inbox, handled, isReading: () => isReading };
}

describe('an inbox', () => {
  it('an inbox handles messages in order, and reads on when none waits', async () => {
    const { inbox, handled, isReading } = opened();
    for (const text of ['a', 'b', 'c']) inbox.push(text);
    expect(isReading()).toBe(false);
    await pass();
    expect(handled).toEqual(['a', 'b', 'c']);
    expect(isReading()).toBe(true);
  });

  it('an inbox shares turns with other sockets', async () => {
    const turns = new Turns();
    const order: string[] = [];
    const inboxes = ['a', 'b'].map(
      (name) =>
        new Inbox({
          socket: { pause: () => {}, resume: () => {} },
          turns,
          bucketOf: () => undefined,
          handle: (text) => void order.push(name + text),
        }),
    );
    for (const inbox of inboxes) for (const text of ['1', '2', '3']) inbox.push(text);
    await pass();
    expect(order).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'b3']);
  });

  it('an inbox waits and does not read while the caller owes points, however often it is woken', async () => {
    let now = 0;
    const bucket = bucketOf(1, () => now);
    const { inbox, handled, isReading } = opened(bucket);
    for (let at = 0; at < 20; at += 1) inbox.push(String(at));
    await pass();
    const first = handled.length;
    expect(first).toBeLessThan(20);
    inbox.beat();
    await pass();
    expect(handled.length).toBe(first);
    expect(isReading()).toBe(false);
    now += 60_000;
    inbox.beat();
    await pass();
    expect(handled.length).toBeGreaterThan(first);
    while (handled.length < 20) {
      now += 60_000;
      inbox.beat();
      await pass();
    }
    expect(handled).toEqual(Array.from({ length: 20 }, (_, at) => String(at)));
  });

  it('an inbox drops waiting messages when its socket closes', async () => {
    const { inbox, handled } = opened();
    inbox.push('a');
    inbox.close();
    await pass();
    expect(handled).toEqual([]);
  });
});
