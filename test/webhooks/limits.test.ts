// What one process does at the same time for webhooks, and what one call may take.
import { expect, it } from 'vitest';
import { SealedBox } from '../../src/keys/sealed-box.js';
import { DeliveryAttempts } from '../../src/webhooks/attempts.service.js';
import { deliverySlots, EndpointRunner, type RunnerParts } from '../../src/webhooks/endpoint-runner.js';
import type { GuardedRequest } from '../../src/http/guarded-fetch.js';

it('A process makes 192 calls to healthy endpoints, and 64 to failing ones', async () => {
  const { healthy, failing } = deliverySlots();
  for (const [slots, most] of [
    [healthy, 192],
    [failing, 64],
  ] as const) {
    const ends: (() => void)[] = [];
    const calls = Array.from({ length: most + 10 }, () => slots.run(() => new Promise<void>((end) => ends.push(end))));
    expect(ends).toHaveLength(most);
    while (ends.length > 0) {
      ends.shift()?.();
      await new Promise(setImmediate);
      expect(ends.length).toBeLessThanOrEqual(most);
    }
    await Promise.all(calls);
  }
});

it('A call may take 15 seconds, and 64 KiB of its response are read', async () => {
  const requests: GuardedRequest[] = [];
  const outbound = async (_url: string, request: GuardedRequest = {}) => {
    requests.push(request);
    return { status: 204, contentType: '', body: Buffer.alloc(0) };
  };
  const attempts = new DeliveryAttempts(outbound, new SealedBox(Buffer.alloc(32)), Date.now);
  const target = { url: 'https://example.org/', sign: () => ({}) };
  expect(await attempts.send(target, { id: 'msg', body: '{}' })).toMatchObject({ delivered: true });
  expect(requests).toMatchObject([{ timeoutMs: 15_000, maxBytes: 64 * 1_024, cut: true }]);
});

/** A queue of so many deliveries, each of its own subject, whose calls end when they are told to. */
function queueOf(count: number) {
  const calls: ((outcome: object) => void)[] = [];
  let rows = Array.from({ length: count }, (_, at) => ({ _id: `${at}`, subject: `${at}`, body: '{}' }));
  const parts = {
    claims: { read: async () => ({ work: 0 }), release: async () => true },
    due: {
      read: async () => {
        const due = { rows, nextAt: null, isAll: true };
        rows = [];
        return due;
      },
    },
    targets: { ofAll: async () => new Map([['w', { url: 'https://example.org/', sign: () => ({}) }]]) },
    attempts: { send: () => new Promise((end) => calls.push(end)) },
    results: { record: async () => ({}), postpone: async () => {} },
    slots: deliverySlots(),
    clock: Date.now,
  } as unknown as RunnerParts;
  return { calls, runner: new EndpointRunner({ webhookId: 'w', failures: 0 } as never, parts) };
}

it('An endpoint has at most 8 calls at the same time: one more with each success, and one after a failure', async () => {
  const { calls, runner } = queueOf(40);
  const running = runner.run();
  const settled = async (): Promise<number> => {
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    return calls.length;
  };
  const end = (outcome: object): void => calls.shift()?.(outcome);
  const atOnce: number[] = [];
  for (let successes = 0; successes < 12; successes += 1) {
    atOnce.push(await settled());
    end({ delivered: true });
  }
  expect(atOnce).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 8, 8, 8, 8]);
  for (let failures = 0; failures < 8; failures += 1) end({ delivered: false });
  expect(await settled()).toBe(1);
  while ((await settled()) > 0) end({ delivered: true });
  expect(await running).toBe(true);
});
