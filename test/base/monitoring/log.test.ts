// The log of a server names the routes of its requests, never their paths, which may have tokens.
import { PassThrough } from 'node:stream';
import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { badSubject, DomainError } from '../../../src/base/errors.js';
import { loggerOptions } from '../../../src/base/monitoring/log.js';

it.each([
  ['a path with a value', '/offers/SECRET', { method: 'GET', route: '/offers/:token' }],
  ['a query', '/offers?code=SECRET', { method: 'GET', route: '/offers' }],
  ['a path with a value and a query', '/offers/SECRET?a=SECRET', { method: 'GET', route: '/offers/:token' }],
  ['no route', '/SECRET?a=SECRET', { method: 'GET' }],
])('A request with %s is logged by its route', async (_name, path, req) => {
  const stream = new PassThrough();
  const app = Fastify({
    logger: { ...Object(loggerOptions({ logLevel: 'error', worker: undefined })), stream },
  });
  for (const route of ['/offers', '/offers/:token'])
    app.get(route, async () => {
      throw new Error('a fault');
    });
  app.setNotFoundHandler(async () => {
    throw new Error('a fault');
  });
  // Fastify's own handler logs the request.
  await app.inject(path);
  const line = String(stream.read());
  expect(JSON.parse(line)).toMatchObject({ level: 50, req });
  expect(line).not.toContain('SECRET');
});

it('an error that names what a caller has sent is logged without it, as a cause too', () => {
  const stream = new PassThrough();
  const { log } = Fastify({ logger: { ...Object(loggerOptions({ logLevel: 'error', worker: undefined })), stream } });
  const cause = badSubject(
    '"credentialSubject" does not fit the schema: SECRET is missing.',
    'credentialSubject.SECRET',
  );
  log.error({ err: cause }, new DomainError('STORE_UNAVAILABLE', 'Unavailable.', {}, { cause }).logged);
  const line = String(stream.read());
  expect(line).toContain('does not fit the schema.');
  expect(line).not.toContain('SECRET');
});
