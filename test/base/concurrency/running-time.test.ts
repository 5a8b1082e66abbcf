// Time limits by the time in which this process runs.
import { MessageChannel } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { afterRunning } from '../../../src/base/concurrency/running-time.js';
import { standStill } from '../../support/stand-still.js';

it('a time limit ends once, and not after its wait was ended', async () => {
  let count = 0;
  const endWait = afterRunning(20, () => {
    count += 1;
  });
  await new Promise<void>((resolve) => afterRunning(60, resolve));
  expect(count).toBe(1);
  endWait();
  afterRunning(20, () => {
    count += 1;
  })();
  await new Promise<void>((resolve) => afterRunning(60, resolve));
  expect(count).toBe(1);
});

it('a time in which the process stands still counts as a tenth of the limit at most', async () => {
  const order: string[] = [];
  const limit = new Promise<void>((resolve) =>
    afterRunning(1_000, () => {
      order.push('limit');
      resolve();
    }),
  );
  standStill(1_500);
  setTimeout(() => order.push('later'), 500);
  await limit;
  expect(order).toEqual(['later', 'limit']);
});

it('what arrived while the process stood still is read before the limit ends', async () => {
  const order: string[] = [];
  const { port1, port2 } = new MessageChannel();
  port1.on('message', () => order.push('message'));
  const limit = new Promise<void>((resolve) =>
    afterRunning(1_000, () => {
      order.push('limit');
      resolve();
    }),
  );
  // In the last tenth.
  setTimeout(() => {
    port2.postMessage('');
    standStill(300);
  }, 950);
  await limit;
  port1.close();
  expect(order).toEqual(['message', 'limit']);
});
