// A gateway with few descriptors, all of whose connections are taken but the one by which the test asks.
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { RestAnswer, TestGateway } from '../support/gateway.js';
import { scratchFolder, startProcess } from '../support/process.js';

const LIMIT = 256;

/** Starts it, opens one connection for the calls, and then as many others as it takes. */
export async function startFew(): Promise<Pick<TestGateway, 'rest' | 'admin'>> {
  const folder = scratchFolder();
  const node = join(folder, 'node');
  writeFileSync(node, `#!/bin/sh\nulimit -n ${LIMIT} && exec '${process.execPath}' "$@"\n`);
  chmodSync(node, 0o755);
  const env = { SAMPLE_CATALOG: 'false', CHAIN: 'off', ZK: 'off', LOG_LEVEL: 'info', TRUST_PROXY: '1' };
  const dataDir = join(folder, 'data');
  const { url } = await startProcess({ ...env, DATA_DIR: dataDir }, [], undefined, node);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const rest: TestGateway['rest'] = (method, path, { headers = {} } = {}) =>
    new Promise<RestAnswer>((resolve, reject) => {
      const asked = request(url + path, { method, headers, agent }, async (response) => {
        const text = (await response.toArray()).join('');
        const isJson = String(response.headers['content-type']).includes('json');
        resolve({ status: response.statusCode ?? 0, headers: new Headers(), body: isJson ? JSON.parse(text) : text });
      });
      asked.on('error', reject).end();
    });
  await rest('GET', '/health/live');
  const key = readFileSync(join(dataDir, 'operator.key'), 'utf8').trim();
  const { hostname, port } = new URL(url);
  const sockets = Array.from({ length: LIMIT + 100 }, () =>
    connect(Number(port), hostname)
      .on('error', () => {})
      .resume(),
  );
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  return {
    rest,
    admin: (method, path, options) => rest(method, path, { headers: { 'x-admin-api-key': key, ...options?.headers } }),
  };
}
