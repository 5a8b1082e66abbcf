// What one process does at the same time for webhooks, and what one call may take.
import { expect, it } from 'vitest';
import { SealedBox } from '../../src/keys/sealed-box.js';
import { DeliveryAttempts } from '../../src/webhooks/attempts.service.js';
import { deliverySlots } from '../../src/webhooks/endpoint-runner.js';
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
