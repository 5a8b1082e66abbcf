// If the connection of an operator's import breaks, the client is the cause: the log reports no failure, and the gateway continues.
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, expect, it } from 'vitest';
import { GatewayProcess, OPERATOR_KEY } from '../../support/gateway-process.js';

const gateway = new GatewayProcess({ LOG_LEVEL: 'debug' });
afterAll(() => gateway.remove());

const line = (id: number) =>
  `${JSON.stringify({ kind: 'verifiers', id: `v${id}`, name: 'Door', verifierDid: `did:web:v${id}.example` })}\n`;
// More lines than one transaction has, so that the response has begun.
const LINES = Array.from({ length: 1_200 }, (_, id) => line(id)).join('');

it('an import that is cut off is no failure of the gateway, however the body was sent', async () => {
  await gateway.start();
  const { hostname, port } = new URL(gateway.url);
  const bodies = [
    `content-length: 9999999\r\n\r\n${LINES}{"kind": "ver`,
    `transfer-encoding: chunked\r\n\r\n${LINES.length.toString(16)}\r\n${LINES}\r\nff\r\n{"kind": "ver`,
  ];
  for (const body of bodies) {
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST /v1/admin/import HTTP/1.1\r\nhost: a\r\nx-admin-api-key: ${OPERATOR_KEY}\r\ncontent-type: application/x-ndjson\r\n${body}`,
    );
    // The response has begun, so the import is running.
    await once(socket, 'data');
    socket.destroy();
  }
  const { status, body } = await gateway.admin('GET', '/v1/admin/verifiers?limit=1');
  expect([status, body.pagination.total >= 1_000]).toEqual([200, true]);
  await gateway.stop('SIGTERM');
  expect(gateway.output.split('\n').filter((text) => /"level":50|"status":500/.test(text))).toEqual([]);
});
