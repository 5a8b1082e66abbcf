// A gateway with few descriptors: it takes no more connections before health checks fail, and one address cannot have all idle ones.
import { once } from 'node:events';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { PROBLEMS } from '../../../src/base/monitoring/problem-kinds.js';
import { eventually } from '../../support/eventually.js';
import { type RunningProcess, scratchFolder, startProcess } from '../../support/process.js';

const LIMIT = 256;
const QUIET = { SAMPLE_CATALOG: 'false', CHAIN: 'off', ZK: 'off', LOG_LEVEL: 'info' };
const FULL = PROBLEMS['descriptors-used'].sentence;

/** Starts a gateway that may have 256 descriptors, and returns how many connections it says it takes. */
async function startSmall(
  env: Record<string, string>,
): Promise<{ gateway: RunningProcess; most: number; dataDir: string }> {
  const folder = scratchFolder();
  const node = join(folder, 'node');
  writeFileSync(node, `#!/bin/sh\nulimit -n ${LIMIT} && exec '${process.execPath}' "$@"\n`);
  chmodSync(node, 0o755);
  const dataDir = join(folder, 'data');
  const gateway = await startProcess({ ...QUIET, DATA_DIR: dataDir, ...env }, [], undefined, node);
  const said = await eventually(() => {
    const line =
      gateway
        .output()
        .split('\n')
        .find((each) => each.includes('raise the limit (ulimit -n)')) ?? '';
    return JSON.parse(line) as { descriptors: number; connections: number; level: number };
  });
  expect(said).toMatchObject({ descriptors: LIMIT, level: 40 });
  return { gateway, most: said.connections, dataDir };
}

/** Opens connections that send nothing. Returns those that are still open. */
function openIdle({ url }: RunningProcess, count: number): () => Socket[] {
  const { hostname, port } = new URL(url);
  const sockets = Array.from({ length: count }, () =>
    connect(Number(port), hostname)
      .on('error', () => {})
      .resume(),
  );
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  return () => sockets.filter((socket) => !socket.destroyed);
}

const ask = (url: string, init: RequestInit = {}) =>
  fetch(url, { ...init, headers: { connection: 'close', ...init.headers } });

describe('A gateway with few descriptors', () => {
  it('takes no more connections before health cannot be answered, says so, and takes them again', async () => {
    const { gateway, most, dataDir } = await startSmall({ TRUST_PROXY: '1' });
    expect(most).toBeGreaterThan(20);
    const isOpen = openIdle(gateway, LIMIT + 100);
    await eventually(async () => {
      const ready = await ask(`${gateway.url}/health/ready`);
      expect([ready.status, await ready.json()]).toEqual([
        200,
        { status: 'ready', problems: expect.arrayContaining([FULL]) },
      ]);
    });
    expect(isOpen().length).toBeLessThanOrEqual(most + 16);
    const refused = await eventually(async () => {
      const query = {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"query":"{__typename}"}',
      };
      const response = await ask(`${gateway.url}/graphql`, query);
      expect(response.status).toBe(503);
      return response;
    });
    expect(refused.headers.get('connection')).toBe('close');
    const key = readFileSync(join(dataDir, 'operator.key'), 'utf8').trim();
    const text = await eventually(async () =>
      (await ask(`${gateway.url}/metrics`, { headers: { 'x-admin-api-key': key } })).text(),
    );
    expect(text).toContain(`gateway_connections{state="most"} ${most}`);
    expect(text).toMatch(/^gateway_connections_ended\{reason="refused"\} [1-9]/m);
    for (const socket of isOpen()) socket.destroy();
    await eventually(async () =>
      expect(await (await ask(`${gateway.url}/health/ready`)).json()).toEqual({ status: 'ready' }),
    );
    expect((await gateway.end('SIGTERM')).code).toBe(0);
  });

  it('closes idle connections of one address with too many, but no stream', async () => {
    const { gateway, most } = await startSmall({});
    const stream = new WebSocket(`${gateway.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    onTestFinished(() => stream.terminate());
    await once(stream, 'open');
    stream.send('{"type":"connection_init"}');
    expect(String((await once(stream, 'message'))[0])).toContain('connection_ack');
    const isOpen = openIdle(gateway, LIMIT + 100);
    await eventually(() => expect(isOpen().length).toBeLessThanOrEqual(Math.ceil(most / 2) + 1));
    await eventually(async () =>
      expect(await (await ask(`${gateway.url}/health/ready`)).json()).toEqual({ status: 'ready' }),
    );
    stream.send('{"type":"ping"}');
    expect(String((await once(stream, 'message'))[0])).toContain('pong');
    expect(isOpen().length).toBeGreaterThan(0);
    expect((await gateway.end('SIGTERM')).code).toBe(0);
  });
});
