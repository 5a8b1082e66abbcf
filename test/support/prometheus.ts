// Debian's Prometheus with deploy/alerts.yml, in a folder and on a port of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { eventually } from './eventually.js';
import { freePorts } from './gateway-process.js';

/** The path of an installed Prometheus; undefined if there is none. */
export const PROMETHEUS: string | undefined = ['/usr/bin', ...(process.env.PATH ?? '').split(delimiter)]
  .map((folder) => join(folder, 'prometheus'))
  .find((path) => existsSync(path));

export interface RunningPrometheus {
  /** `data` of a response of its HTTP API. @throws Error with its sentence */
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape.
  ask(path: string, query?: Record<string, string>): Promise<any>;
  end(): Promise<void>;
}

/** Starts it: it reads the metrics of a gateway, and evaluates the rules, each second. */
export async function startPrometheus(gateway: string, operatorKey: string): Promise<RunningPrometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'prometheus-'));
  // The versions of Debian cannot send the header themselves (docs/running.md).
  const relay = createServer(async (request, response) => {
    const headers = { 'x-admin-api-key': operatorKey };
    const metrics = await fetch(gateway + request.url, { headers }).catch(() => undefined);
    response.writeHead(metrics?.status ?? 502, {
      'content-type': metrics?.headers.get('content-type') ?? 'text/plain',
    });
    response.end(await metrics?.text());
  });
  await once(relay.listen(0, '127.0.0.1'), 'listening');
  cpSync('deploy/alerts.yml', join(folder, 'alerts.yml'));
  const { port: target } = relay.address() as AddressInfo;
  const config = `
global: { scrape_interval: 1s, evaluation_interval: 1s }
scrape_configs:
  - job_name: credential-gateway
    static_configs: [{ targets: ['127.0.0.1:${target}'] }]
rule_files: [alerts.yml]
`;
  writeFileSync(join(folder, 'prometheus.yml'), config);
  const [port = 0] = await freePorts(1);
  const options = {
    'config.file': 'prometheus.yml',
    'storage.tsdb.path': 'data',
    'web.listen-address': `127.0.0.1:${port}`,
  };
  const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
  const child = spawn(PROMETHEUS ?? '', args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  let printed = '';
  child.stderr.on('data', (chunk) => {
    printed += chunk;
  });
  const ended = once(child, 'exit');
  const ask = async (path: string, query: Record<string, string> = {}): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}?${new URLSearchParams(query)}`);
    const { status, data, error } = (await response.json()) as { status: string; data: unknown; error?: string };
    if (status !== 'success') throw new Error(error);
    return data;
  };
  await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`Prometheus has ended: ${printed}`);
    await ask('status/buildinfo');
  });
  const end = async (): Promise<void> => {
    child.kill('SIGKILL');
    await ended;
    relay.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { ask, end };
}
