// What the log says of requests in progress when a process ends: no secret that is part of a path.
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startGateway } from '../../support/gateway.js';
import { eventually } from '../../support/eventually.js';

let gateway: Awaited<ReturnType<typeof startGateway>>;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway?.close());

it.each([
  ['/oid4vp/responses/canary-secret?x=canary-secret', '/oid4vp/responses/:id'],
  ['/oid4vp/requests/canary-secret', '/oid4vp/requests/:id'],
  ['/oid4vci/canary-secret/token', '/oid4vci/:issuerId/token'],
  ['/v1/auth/login', '/v1/auth/login'],
])('a request of %s is named by its route', async (path, expected) => {
  const { port, hostname } = new URL(gateway.url);
  const connection = connect(Number(port), hostname);
  connection.on('error', () => {});
  // Its body never ends.
  connection.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{`);
  await eventually(() => expect(gateway.app.requestsUnderWay().map((one) => one.path)).toEqual([expected]));
  connection.destroy();
  await eventually(() => expect(gateway.app.requestsUnderWay()).toEqual([]));
});
