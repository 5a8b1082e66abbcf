// A handler that fails after the deadline of its request: the client has its 503, and the log the fault itself, once.
import { PassThrough } from 'node:stream';
import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { loggerOptions } from '../../../src/base/monitoring/log.js';
import { sendError } from '../../../src/http/responses/errors.js';
import { limitWait } from '../../../src/http/server/deadline.js';

it('an error after the deadline is logged as what it is, and never as a reply that was already sent', async () => {
  const stream = new PassThrough();
  const app = Fastify({ logger: { ...Object(loggerOptions({ logLevel: 'warn', worker: undefined })), stream } });
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply));
  let fail = (): void => {};
  const late = new Promise((_resolve, reject) => {
    fail = () => reject(new Error('a late fault'));
  });
  app.addHook('onRequest', (request, reply, done) => {
    Object.assign(request, { facts: { route: {} } });
    limitWait(reply, 1);
    done();
  });
  app.get('/', () => late);
  expect((await app.inject('/')).statusCode).toBe(503);
  fail();
  await late.catch(() => {});
  // Whatever Fastify does with the rejection, it does before this.
  await new Promise((resolve) => setImmediate(resolve));
  const lines = String(stream.read())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ level, code, err }) => [level, code, err?.message])).toEqual([
    [40, 'STORE_UNAVAILABLE', undefined],
    [50, 'INTERNAL_SERVER_ERROR', 'a late fault'],
  ]);
});
