// Lines about a store that is away: one warning every few seconds, with the reason and without a stack; other faults keep level 50.
import { PassThrough } from 'node:stream';
import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { DomainError, storeUnavailable } from '../../../src/base/errors.js';
import { loggerOptions } from '../../../src/base/monitoring/log.js';
import { shortenOutages } from '../../../src/base/monitoring/outage-lines.js';

const AWAY = storeUnavailable().message;
const refused = Object.assign(new Error('connect ECONNREFUSED'), { name: 'MongoServerSelectionError' });

/** A log of this level whose lines are read at the end, and its clock. */
function newLog(level: 'warn' | 'debug' = 'warn') {
  const clock = { now: 0 };
  const stream = new PassThrough();
  const options = Object(loggerOptions({ logLevel: level, worker: undefined }));
  const { log } = Fastify({ logger: { ...options, hooks: { logMethod: shortenOutages(() => clock.now) }, stream } });
  const lines = () =>
    String(stream.read())
      .trimEnd()
      .split('\n')
      .map((line) => {
        const { time: _time, pid: _pid, hostname: _host, ...facts } = JSON.parse(line);
        return facts as Record<string, unknown>;
      });
  return { log, clock, lines };
}

it('the same sentence is logged once in five seconds, whatever fails, with the number of those between and no stack', () => {
  const { log, clock, lines } = newLog();
  for (let at = 0; at < 50; at += 1) {
    log.error({ err: refused }, 'a background task failed');
    log.child({}).warn({ code: 'STORE_UNAVAILABLE', err: refused }, AWAY);
  }
  clock.now = 5_000;
  log.warn({ reqId: 'r', code: 'STORE_UNAVAILABLE', err: new Error('the deadline') }, AWAY);
  const reason = 'MongoServerSelectionError: connect ECONNREFUSED';
  expect(lines()).toEqual([
    { level: 40, reason, msg: AWAY },
    { level: 40, reqId: 'r', code: 'STORE_UNAVAILABLE', reason: 'Error: the deadline', more: 99, msg: AWAY },
  ]);
});

it('faults of the gateway, errors that end the process, and problems that begin are all logged', () => {
  const { log, lines } = newLog();
  const failed = new DomainError('INTERNAL_SERVER_ERROR', 'Failed.', {}, { cause: new Error('a fault') });
  for (let at = 0; at < 2; at += 1) {
    log.error({ err: failed }, 'a background task failed');
    log.fatal({ err: refused }, 'the process ends');
    log.warn({ part: 'store', problem: 'store-away', err: refused }, 'The store does not respond.');
  }
  const stack = { err: expect.objectContaining({ stack: expect.any(String) }) };
  const reason = 'MongoServerSelectionError: connect ECONNREFUSED';
  const each = [
    { level: 50, ...stack, msg: 'a background task failed' },
    { level: 60, ...stack, msg: 'the process ends' },
    { level: 40, part: 'store', problem: 'store-away', reason, msg: 'The store does not respond.' },
  ];
  expect(lines()).toEqual([...each, ...each]);
});

it('at the level debug each is logged, with its stack', () => {
  const { log, lines } = newLog('debug');
  for (let at = 0; at < 3; at += 1) log.error({ err: refused }, 'a background task failed');
  expect(lines().map(({ level, err }) => [level, err !== undefined])).toEqual([
    [20, true],
    [40, false],
    [20, true],
    [20, true],
  ]);
});
