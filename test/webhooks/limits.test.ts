// What one process does at the same time for webhooks, and what one call may take.
import { expect, it, onTestFinished, vi } from 'vitest';
import { SealedBox } from '../../src/keys/sealed-box.js';
import { DeliveryAttempts } from '../../src/webhooks/attempts.js';
import { deliverySlots } from '../../src/webhooks/delivery-slots.js';
import { EndpointRunner, type RunnerParts } from '../../src/webhooks/endpoint-runner.js';
import type { GuardedRequest } from '../../src/http/outbound/guarded-fetch.js';

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
function queueOf(count: number, { slots = deliverySlots(), partnerId = 'p', failures = 0 } = {}) {
  const calls: ((outcome: object) => void)[] = [];
  const [report, release] = [vi.fn(async () => true), vi.fn(async () => true)];
  let rows = Array.from({ length: count }, (_, at) => ({ _id: `${at}`, subject: `${at}`, body: '{}' }));
  const parts = {
    claims: { read: async () => ({ work: 0 }), report, release },
    due: {
      read: async () => {
        const due = { rows, nextAt: null, isAll: true };
        rows = [];
        return due;
      },
    },
    targets: { of: async () => ({ partnerId, url: 'https://example.org/', sign: () => ({}) }) },
    attempts: { send: () => new Promise((end) => calls.push(end)) },
    results: { record: async () => ({}), postpone: async () => {} },
    slots,
    clock: Date.now,
  } as unknown as RunnerParts;
  const runner = new EndpointRunner({ webhookId: 'w', failures } as never, parts);
  const add = (): void => {
    rows = [{ _id: 'added', subject: 'added', body: '{}' }];
    runner.wake();
  };
  return { calls, slots: parts.slots, runner, report, release, add };
}

/** The half minute, whose end ends the work, does not end in this test. */
function holdClock(): void {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
}

/** How many calls are under way when nothing more happens. */
async function settle(calls: readonly unknown[]): Promise<number> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  return calls.length;
}

const delivered = { delivered: true, attempt: { durationMs: 20 } };
const failed = { delivered: false, attempt: { durationMs: 20 } };
const late = { delivered: true, attempt: { durationMs: 2_500 } };

it('A call that lasts longer than two seconds leaves its slot to other endpoints', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  try {
    const { calls, slots, runner } = queueOf(1);
    const running = runner.run();
    await vi.advanceTimersByTimeAsync(0);
    let begun = 0;
    const begin = (): void => {
      void slots.healthy.run(() => {
        begun += 1;
        return new Promise(() => {});
      });
    };
    for (let at = 0; at < 193; at += 1) begin();
    expect([calls.length, begun]).toEqual([1, 191]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(begun).toBe(192);
    calls.shift()?.(late);
    await vi.advanceTimersByTimeAsync(40_000);
    expect(await running).toBe(true);
    // Its slot was free already.
    expect(begun).toBe(192);
  } finally {
    vi.useRealTimers();
  }
});

it('An endpoint that responds late has one call at a time, in the slots of failing ones', async () => {
  holdClock();
  const { calls, slots, runner } = queueOf(40);
  const healthy = vi.spyOn(slots.healthy, 'run');
  const failing = vi.spyOn(slots.failing, 'run');
  const running = runner.run();
  const settled = () => settle(calls);
  for (let successes = 0; successes < 3; successes += 1) {
    await settled();
    calls.shift()?.(delivered);
  }
  expect(await settled()).toBe(4);
  while (calls.length > 0) calls.shift()?.(late);
  expect(await settled()).toBe(1);
  expect([healthy.mock.calls.length, failing.mock.calls.length]).toEqual([7, 1]);
  while ((await settled()) > 0) calls.shift()?.(delivered);
  runner.stop();
  expect(await running).toBe(true);
});

it('An endpoint has at most 8 calls at the same time: one more with each success, and one after a failure', async () => {
  holdClock();
  const { calls, runner } = queueOf(40);
  const running = runner.run();
  const settled = () => settle(calls);
  const end = (outcome: object): void => calls.shift()?.(outcome);
  const atOnce: number[] = [];
  for (let successes = 0; successes < 12; successes += 1) {
    atOnce.push(await settled());
    end(delivered);
  }
  expect(atOnce).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 8, 8, 8, 8]);
  // Five failures in a row would pause it.
  for (const outcome of [failed, failed, failed, failed, delivered, failed, failed, failed]) end(outcome);
  expect(await settled()).toBe(1);
  while ((await settled()) > 0) end(delivered);
  runner.stop();
  expect(await running).toBe(true);
});

it('Failing endpoints of one partner have at most 16 calls in progress, so that retries of other partners do not wait', async () => {
  holdClock();
  const slots = deliverySlots();
  const failing = Array.from({ length: 70 }, () => queueOf(1, { slots, partnerId: 'hangs', failures: 1 }));
  const others = [1, 2, 3].map((failures) => queueOf(1, { slots, partnerId: `other ${failures}`, failures }));
  const queues = [...failing, ...others];
  const running = queues.map(({ runner }) => runner.run());
  const underWay = async (some: readonly { calls: readonly unknown[] }[]): Promise<number> => {
    await settle([]);
    return some.filter(({ calls }) => calls.length > 0).length;
  };
  expect([await underWay(failing), await underWay(others)]).toEqual([16, 3]);
  for (const { calls } of failing) calls.shift()?.(delivered);
  expect(await underWay(failing)).toBe(16);
  while ((await underWay(queues)) > 0) for (const { calls } of queues) calls.shift()?.(delivered);
  for (const { runner } of queues) runner.stop();
  await Promise.all(running);
});

it('A queue without work is kept until the end of the half minute, so that new work needs no new claim', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  try {
    const { calls, runner, report, release, add } = queueOf(1);
    const running = runner.run();
    for (let event = 0; event < 3; event += 1) {
      await vi.advanceTimersByTimeAsync(100);
      calls.shift()?.(delivered);
      await vi.advanceTimersByTimeAsync(5_000);
      add();
    }
    // Health that says the same is not stored for each event.
    expect([release.mock.calls.length, report.mock.calls.length]).toEqual([0, 1]);
    await vi.advanceTimersByTimeAsync(100);
    calls.shift()?.(delivered);
    await vi.advanceTimersByTimeAsync(16_000);
    expect(release).toHaveBeenCalledOnce();
    expect(await running).toBe(true);
  } finally {
    vi.useRealTimers();
  }
});

it('A queue with work is also released at the end of the half minute, so that other gateways can claim it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  try {
    const { calls, runner, release, add } = queueOf(1);
    let isReleased: boolean | undefined;
    void runner.run().then((value) => {
      isReleased = value;
    });
    for (let seconds = 0; seconds < 31; seconds += 0.5) {
      expect(isReleased).toBe(seconds < 30.5 ? undefined : false);
      add();
      await vi.advanceTimersByTimeAsync(500);
      for (const end of calls.splice(0)) end(delivered);
    }
    expect(release).not.toHaveBeenCalled();
  } finally {
    vi.useRealTimers();
  }
});
