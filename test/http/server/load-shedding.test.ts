// Load shedding: what counts as an overload, who is refused, and that it ends by itself.
import { setImmediate as turn } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { LoadShedding } from '../../../src/http/server/load-shedding.js';
import { LoopDelay } from '../../../src/http/server/loop-delay.js';
import { eventually } from '../../support/eventually.js';
import { startGateway, type TestGateway } from '../../support/gateway.js';

/** Whether a sequence of ticks that are late by these times exceeds a second. */
function exceeds(lateness: readonly number[]): boolean {
  const delay = new LoopDelay();
  let at = 0;
  for (const late of lateness) {
    at += 100 + late;
    delay.add(at, late);
  }
  return delay.exceeds(1_000);
}
const ticks = (count: number, late: number): number[] => Array.from({ length: count }, () => late);

describe('The event loop', () => {
  it.each([
    ['is idle', ticks(100, 0), false],
    ['is busy, and in time', ticks(100, 900), false],
    ['ran one long task', [...ticks(50, 0), 4_000], false],
    ['ran one very long task', [...ticks(50, 0), 30_000], false],
    ['ran two long tasks', [...ticks(50, 0), 2_000, 2_000], false],
    ['had a burst of two seconds', [...ticks(50, 5), ...ticks(4, 400), ...ticks(10, 5)], false],
    ['has been late for some time', [...ticks(50, 0), ...ticks(4, 1_200)], true],
    ['was late until a moment ago', [...ticks(4, 1_200), ...ticks(5, 0)], true],
    ['was late some time ago', [...ticks(4, 1_200), ...ticks(50, 0)], false],
  ])('the event loop %s', (_, lateness, isOver) => expect(exceeds(lateness)).toBe(isOver));
});

it('the event loop is measured while requests arrive, and not for health probes', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const shedding = new LoadShedding(1_000, () => {});
  onTestFinished(() => shedding.stop());
  const asked = (alwaysServed: boolean) =>
    shedding.refusal({ facts: { route: { alwaysServed } }, is404: false } as FastifyRequest);
  asked(true);
  expect(shedding.isMeasuring).toBe(false);
  for (let second = 0; second < 20; second += 1) {
    asked(false);
    vi.advanceTimersByTime(1_000);
    expect(shedding.isMeasuring).toBe(true);
  }
  vi.advanceTimersByTime(15_000);
  expect(shedding.isMeasuring).toBe(false);
  asked(false);
  expect(shedding.isMeasuring).toBe(true);
});

/** Keeps the event loop late until the returned function is called. */
function overload(): () => void {
  let isOn = true;
  const run = async (): Promise<void> => {
    while (isOn) {
      // A tick of 100 ms is then late by 200 ms, which is more than allowed each time.
      const until = performance.now() + 300;
      while (performance.now() < until);
      await turn();
    }
  };
  void run();
  return () => {
    isOn = false;
  };
}

describe('A gateway whose event loop is late', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    // This limit is above the delays on a machine that other processes keep busy.
    gateway = await startGateway({ env: { MAX_EVENT_LOOP_DELAY_MS: '150' } });
  });
  afterAll(() => gateway.close());
  const catalog = () => gateway.rest('GET', '/v1/catalog/credentials');

  it('a gateway whose event loop lags refuses requests, but serves health and the operator, and recovers', async () => {
    const end = overload();
    try {
      const refused = await eventually(async () => {
        const answer = await catalog();
        expect(answer.status).toBe(503);
        return answer;
      });
      expect(refused.headers.get('retry-after')).toBe('5');
      expect(refused.body).toEqual({ error: 503, message: 'The gateway is overloaded; try again shortly.' });
      const [graphql, live, ready, issuers, metrics] = await Promise.all([
        gateway.gql('{ __typename }'),
        gateway.rest('GET', '/health/live'),
        gateway.rest('GET', '/health/ready'),
        gateway.admin('GET', '/v1/admin/issuers'),
        gateway.admin('GET', '/metrics'),
      ]);
      expect(graphql.errors?.[0]?.extensions).toMatchObject({ code: 'OVERLOADED' });
      expect(live.status).toBe(200);
      // The store must respond within 1.5 s. If it does not, the refusal has another reason.
      expect(ready.body).not.toEqual(refused.body);
      expect(issuers.status).toBe(200);
      expect(metrics.body).toMatch(/^gateway_requests_shed_total [1-9]/m);
    } finally {
      end();
    }
    await eventually(async () => expect((await catalog()).status).toBe(200));
  });

  it('a gateway whose event loop lags refuses nothing if the limit is switched off', async () => {
    const patient = await startGateway({ env: { MAX_EVENT_LOOP_DELAY_MS: '0' } });
    const end = overload();
    try {
      await eventually(async () => expect((await catalog()).status).toBe(503));
      expect((await patient.rest('GET', '/v1/catalog/credentials')).status).toBe(200);
    } finally {
      end();
      await patient.close();
    }
  });
});
