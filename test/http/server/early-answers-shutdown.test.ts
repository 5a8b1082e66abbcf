// A request whose body arrives in the turn in which its server starts to close.
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { Points } from '../../../src/base/callers/points.js';
import { Metrics } from '../../../src/base/monitoring/metrics.js';
import { createHttpServer } from '../../../src/http/server/server.js';

it('a request that arrives in the turn in which its server starts to close is routed, and its connection ends', async () => {
  const limits = { requestPoints: 1_000, partnerRequestPoints: 1_000 };
  const config = {
    logLevel: 'silent' as const,
    maxLoopDelayMs: 0,
    trustProxy: 0,
    requestTimeoutMs: 10_000,
    worker: undefined,
  };
  const app = createHttpServer(config, new Points(limits), new Metrics());
  app.post('/read', (_request, reply) => reply.send({ from: 'router' }));
  app.early.path = '/read';
  app.early.by.POST = () => ({ route: '/read', body: '{"from":"early"}', headers: [] });
  app.early.isStoreAvailable = () => true;
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const post = 'POST /read HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}';

  const socket = connect(port, '127.0.0.1');
  socket.write(post);
  const [first] = await once(socket, 'data');
  expect(String(first)).toContain('{"from":"early"}');

  const closed = new Promise<void>((resolve) => {
    app.server.once('request', () => void app.close().then(resolve));
  });
  socket.write(post);
  const second = await text(socket);
  await closed;
  expect(second).toContain('{"from":"router"}');
  expect(second).toMatch(/^connection: close\r$/im);
});
