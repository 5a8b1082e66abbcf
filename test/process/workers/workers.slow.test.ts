// Several gateway processes from one start: real processes on one port, killed and ended as by operators and accidents.
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { RawSocket } from '../../graphql/subscriptions/raw-socket.js';
import {
  type AtEnd,
  fileEnd,
  type RunningProcess,
  runProcess,
  scratchFolder,
  startProcess,
} from '../../support/process.js';

const TWO = ['--workers', '2'];

interface LogLine {
  msg: string;
  worker?: number;
  process?: number;
}

/** The log lines with this message. */
function logged({ output }: RunningProcess, msg: string): LogLine[] {
  const lines = output().split('\n');
  return lines
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as LogLine)
    .filter((line) => line.msg === msg);
}

/** Waits until a value is neither undefined nor false, and returns it. */
async function until<T>(look: () => T | undefined | false): Promise<T> {
  for (;;) {
    const seen = look();
    if (seen !== undefined && seen !== false) return seen;
    await delay(20);
  }
}

/** Starts two workers over a new store; every response is logged. */
function startTwo(dataDir: string, atEnd?: AtEnd): Promise<RunningProcess> {
  return startProcess(
    { DATA_DIR: dataDir, LOG_LEVEL: 'debug', SAMPLE_CATALOG: 'false', CHAIN: 'off', ZK: 'off' },
    TWO,
    atEnd,
  );
}

/** The status of a request for a path, over a new connection or a kept one. */
function statusOf(url: string, agent: Agent | false = false): Promise<number> {
  return new Promise((resolve, reject) => {
    request(url, { agent }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode ?? 0));
    })
      .once('error', reject)
      .end();
  });
}

/** Which workers have answered requests for a path that only this function requests. */
async function workersAnswering(gateway: RunningProcess): Promise<Set<number | undefined>> {
  const before = logged(gateway, 'answered').length;
  for (let call = 0; call < 6; call += 1) expect(await statusOf(`${gateway.url}/health/live`)).toBe(200);
  const answers = await until(() => {
    const lines = logged(gateway, 'answered').slice(before);
    return lines.length >= 6 && lines;
  });
  return new Set(answers.map(({ worker }) => worker));
}

/** The processes that have had this name, oldest first. */
const pidsOf = (gateway: RunningProcess, name: string): number[] =>
  logged(gateway, `${name} serves`).map(({ process: pid }) => pid ?? 0);

const allPids = (gateway: RunningProcess): number[] =>
  ['worker 1', 'worker 2', 'the engine'].flatMap((name) => pidsOf(gateway, name));

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function putVerifier(dataDir: string, url: string, id: string): Promise<number> {
  const key = readFileSync(join(dataDir, 'operator.key'), 'utf8').trim();
  const headers = { 'x-admin-api-key': key, 'content-type': 'application/json', connection: 'close' };
  const body = JSON.stringify({ name: id, verifierDid: `did:example:${id}` });
  return (await fetch(`${url}/v1/admin/verifiers/${id}`, { method: 'PUT', headers, body })).status;
}

// These tests run in order with one gateway; the last one ends it.
describe('Two workers', () => {
  const { atEnd, end } = fileEnd();
  const dataDir = scratchFolder(atEnd);
  let gateway: RunningProcess;
  beforeAll(async () => {
    gateway = await startTwo(dataDir, atEnd);
  });
  afterAll(end);

  it('two workers share the port, and each sees what was written through the other', async () => {
    expect(gateway.output()).toContain('2 workers');
    expect(await workersAnswering(gateway)).toEqual(new Set([1, 2]));
    expect(await putVerifier(dataDir, gateway.url, 'shared')).toBe(200);
    // The first call may be answered by the worker that wrote, the next one by the other.
    for (let call = 0; call < 4; call += 1) {
      expect(await statusOf(`${gateway.url}/v1/catalog/verifiers/shared`)).toBe(200);
    }
  });

  it('two workers are summed in the metrics, whichever responds', async () => {
    const headers = { 'x-admin-api-key': readFileSync(join(dataDir, 'operator.key'), 'utf8').trim() };
    const metrics = async (): Promise<string> => {
      const answer = await fetch(`${gateway.url}/metrics`, { headers });
      expect(answer.status).toBe(200);
      return answer.text();
    };
    const callsIn = (text: string): number =>
      Number(
        /^gateway_request_seconds_count{method="GET",route="\/health\/live",status="200"} (\d+)$/m.exec(text)?.[1] ?? 0,
      );
    const before = callsIn(await metrics());
    await workersAnswering(gateway);
    const text = await metrics();
    expect(callsIn(text)).toBe(before + 6);
    expect(text).toMatch(/^gateway_nodejs_heap_size_used_bytes \d+$/m);
  });

  it('two workers continue when one is killed, and are two again', async () => {
    await workersAnswering(gateway);
    process.kill(pidsOf(gateway, 'worker 2')[0] ?? 0, 'SIGKILL');
    await until(() => gateway.output().includes('worker 2 ended with SIGKILL; a new one starts in 250 ms'));
    for (let call = 0; call < 5; call += 1)
      expect(await statusOf(`${gateway.url}/v1/catalog/verifiers/shared`)).toBe(200);
    await until(() => pidsOf(gateway, 'worker 2').length === 2);
    expect(await workersAnswering(gateway)).toEqual(new Set([1, 2]));
  });

  it('two workers find their store again when its process is killed, with all acknowledged writes', async () => {
    expect(await putVerifier(dataDir, gateway.url, 'kept')).toBe(200);
    process.kill(pidsOf(gateway, 'the engine')[0] ?? 0, 'SIGKILL');
    await until(() => pidsOf(gateway, 'the engine').length === 2);
    for (let call = 0; call < 4; call += 1) {
      let status = 503;
      while (status === 503) status = await statusOf(`${gateway.url}/v1/catalog/verifiers/kept`);
      expect(status).toBe(200);
    }
  });

  it('two workers keep their folder and their port from others, which report it in one sentence', async () => {
    const again = await runProcess({ DATA_DIR: dataDir }, { args: TWO });
    expect(again).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^[^\n]* in use by another process: [^\n]+\n$/),
    });
    const { port } = new URL(gateway.url);
    const taken = await runProcess({ DATA_DIR: scratchFolder(), PORT: port }, { args: TWO });
    expect(taken).toMatchObject({ code: 1, err: expect.stringMatching(/^The port \d+ is in use[^\n]*\n$/) });
  });

  it('two workers close sockets in order and leave nothing behind when they are stopped', async () => {
    await workersAnswering(gateway);
    const pids = allPids(gateway).filter(isRunning);
    expect(pids).toHaveLength(3);
    const sockets = [await RawSocket.open(gateway, { init: {} }), await RawSocket.open(gateway, { init: {} })];
    expect(await putVerifier(dataDir, gateway.url, 'left')).toBe(200);
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const underWay = statusOf(`${gateway.url}/v1/catalog/credentials?limit=100`, agent);
    expect(await underWay).toBe(200);
    const { code } = await gateway.end('SIGTERM');
    expect(code).toBe(0);
    for (const socket of sockets) expect(await socket.closed).toMatchObject({ code: 1001 });
    expect(pids.some(isRunning)).toBe(false);
    const alone = await startProcess({ DATA_DIR: dataDir, SAMPLE_CATALOG: 'false' });
    expect(await statusOf(`${alone.url}/v1/catalog/verifiers/left`)).toBe(200);
    expect((await alone.end('SIGTERM')).code).toBe(0);
  });
});

describe('Workers whose primary is killed', () => {
  it('workers whose primary is killed end with it, and the folder is free', async () => {
    const dataDir = scratchFolder();
    const gateway = await startTwo(dataDir);
    await workersAnswering(gateway);
    const pids = allPids(gateway);
    expect(pids).toHaveLength(3);
    await gateway.end('SIGKILL');
    await until(() => !pids.some(isRunning));
    const next = await startProcess({ DATA_DIR: dataDir, SAMPLE_CATALOG: 'false' });
    expect(await statusOf(`${next.url}/v1/catalog/verifiers`)).toBe(200);
    expect((await next.end('SIGTERM')).code).toBe(0);
  });
});

describe('A start of several workers that cannot be', () => {
  it('a start of several workers with an invalid number fails with one sentence', async () => {
    const { code, err } = await runProcess({ DATA_DIR: scratchFolder() }, { args: ['--workers', '0'] });
    expect({ code, err }).toEqual({ code: 1, err: '--workers must be a whole number from 1 to 64, not 0.\n' });
  });
});
