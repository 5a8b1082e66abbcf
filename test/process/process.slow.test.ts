// The gateway as a process: what it prints, that it ends in order, and that every failed start prints one sentence and ends with exit code 1.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../support/eventually.js';
import {
  type Ended,
  fileEnd,
  type RunningProcess,
  runProcess,
  scratchFolder,
  startProcess,
} from '../support/process.js';

/** Loading the sample catalog takes half of the time of a start. */
const EMPTY = { SAMPLE_CATALOG: 'false' };

const NOBODY = 65_534;

/** Expects one sentence, no stack trace, and exit code 1. */
function expectSentence({ code, err }: Ended, says: RegExp): void {
  expect(code).toBe(1);
  expect(err.trim()).toMatch(/^[^\n]+\.$/);
  expect(err).toMatch(says);
  expect(err).not.toMatch(/^\s+at |node:internal/m);
}

/** Mounts a disk of 40 MB at this folder until the test is over; false if this user may not mount one. */
function mountSmallDisk(folder: string): boolean {
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=40m', 'tmpfs', folder]).status !== 0) return false;
  onTestFinished(() => void spawnSync('umount', ['-l', folder]));
  return true;
}

async function total(url: string): Promise<number> {
  const answer = await fetch(`${url}/v1/catalog/credentials`);
  return ((await answer.json()) as { data: { total: number } }).data.total;
}

// These tests run in order on one folder, with three starts; the last one damages what the others have left.
describe('A gateway started in an empty folder', () => {
  const { atEnd, end } = fileEnd();
  const dataDir = join(scratchFolder(atEnd), 'not', 'there', 'yet');
  const fault = "process.on('SIGUSR2', () => setImmediate(() => { throw new Error('a fault of ours'); }))";
  const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(fault)}`;
  let gateway: RunningProcess;
  beforeAll(async () => {
    gateway = await startProcess({ DATA_DIR: dataDir }, [], atEnd);
  });
  afterAll(end);

  it('a gateway in an empty folder loads the sample catalog, prints its addresses, and responds', async () => {
    await eventually(async () => expect((await fetch(`${gateway.url}/health/ready`)).status).toBe(200));
    expect(await total(gateway.url)).toBeGreaterThanOrEqual(60);
    for (const path of ['/graphql', '/v1/catalog/credentials', '/health/ready'])
      expect(gateway.output()).toContain(gateway.url + path);
  });

  it("a gateway in an empty folder creates secrets that only their owner can read, and prints where the operator's key is", async () => {
    const key = readFileSync(join(dataDir, 'operator.key'), 'utf8').trim();
    const issuers = () => fetch(`${gateway.url}/v1/admin/issuers`, { headers: { 'x-admin-api-key': key } });
    expect((await issuers()).status).toBe(200);
    for (const name of ['operator.key', 'keystore.key']) expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o600);
    expect(gateway.output()).toContain(join(dataDir, 'operator.key'));
    expect(gateway.output()).not.toContain(key);
  });

  it('a gateway continues while a second one is refused its folder', async () => {
    expectSentence(await runProcess({ DATA_DIR: dataDir }), /in use/);
    expect(await total(gateway.url)).toBeGreaterThanOrEqual(60);
  });

  it('a gateway has all its data after a restart, even after kill -9', async () => {
    const key = readFileSync(join(dataDir, 'operator.key'), 'utf8');
    const headers = { 'x-admin-api-key': key.trim(), 'content-type': 'application/json' };
    const body = JSON.stringify({ name: 'Kept', verifierDid: 'did:example:kept' });
    expect((await fetch(`${gateway.url}/v1/admin/verifiers/kept`, { method: 'PUT', headers, body })).status).toBe(200);
    await gateway.end('SIGKILL');
    gateway = await startProcess({ ...EMPTY, DATA_DIR: dataDir }, [], atEnd);
    expect((await fetch(`${gateway.url}/v1/catalog/verifiers/kept`)).status).toBe(200);
    expect(readFileSync(join(dataDir, 'operator.key'), 'utf8')).toBe(key);
  });

  it('a gateway responds to requests in progress before it ends, with 0 and without an error', async () => {
    const query = '{ programs(first: 50) { nodes { acceptedCredentials { credential { issuer { name } } } } } }';
    const asked = fetch(`${gateway.url}/graphql?${new URLSearchParams({ query })}`);
    const answer = await asked;
    const ended = gateway.end('SIGTERM');
    expect(await answer.json()).toHaveProperty('data.programs.nodes');
    expect(await ended).toMatchObject({ code: 0, err: '' });
  });

  it('a gateway is refused when its disk is full, and keeps its data', async (context) => {
    const disk = scratchFolder();
    if (!mountSmallDisk(disk)) context.skip('a full disk needs the right to mount one');
    cpSync(dataDir, disk, { recursive: true, filter: (name) => !name.endsWith('.sock') });
    const before = readFileSync(join(disk, 'data.mdb'));
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(join(disk, 'filler'), Buffer.alloc(bavail * bsize - 64 * 1024));
    expectSentence(await runProcess({ DATA_DIR: disk }), /disk .* is full/);
    expect(readFileSync(join(disk, 'data.mdb')).equals(before)).toBe(true);
  });

  it('a gateway ends with an uncaught error, and the log names the requests in progress', async () => {
    gateway = await startProcess({ ...EMPTY, DATA_DIR: dataDir, NODE_OPTIONS }, [], atEnd);
    const { port, hostname } = new URL(gateway.url);
    const connection = connect(Number(port), hostname);
    connection.on('error', () => {});
    // Its body never ends. The response to a second request shows that the first has been read.
    const head =
      'POST /v1/auth/login?token=secret HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{';
    await new Promise((sent) => connection.write(head, sent));
    expect((await fetch(`${gateway.url}/health/live`)).status).toBe(200);
    const { code, out, err } = await gateway.end('SIGUSR2');
    expect(code).toBe(1);
    expect(err).toContain('a fault of ours');
    const line = out.split('\n').find((text) => text.includes('"level":60')) ?? '{}';
    expect(JSON.parse(line)).toMatchObject({
      origin: 'uncaughtException',
      err: { message: 'a fault of ours' },
      requests: [{ method: 'POST', path: '/v1/auth/login', reqId: expect.stringMatching(/^[0-9a-f-]{36}$/) }],
    });
    expect(line).not.toContain('secret');
  });

  it('a gateway ends when the thread of its store ends unexpectedly, and reports it', async () => {
    const fault = "process.once('worker', (first) => process.on('SIGUSR2', () => first.terminate()))";
    const options = { ...EMPTY, NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(fault)}` };
    gateway = await startProcess({ ...options, DATA_DIR: dataDir }, [], atEnd);
    const { code, out } = await gateway.end('SIGUSR2');
    expect(code).toBe(1);
    expect(out).toContain("The engine's worker thread ended with code 1.");
  });

  it('a gateway is refused when its folder is damaged, and does not change the folder', async () => {
    const file = join(dataDir, 'data.mdb');
    const damaged = Buffer.alloc(statSync(file).size, 'damaged ');
    writeFileSync(file, damaged);
    expectSentence(await runProcess({ DATA_DIR: dataDir }), /damaged|cannot be read/);
    expect(readFileSync(file).equals(damaged)).toBe(true);
  });
});

describe('A data folder that cannot be used', () => {
  it('a data folder that cannot be written is refused', async () => {
    const folder = scratchFolder();
    chmodSync(folder, 0o755);
    const dataDir = join(folder, 'data');
    mkdirSync(dataDir, { mode: 0o555 });
    const owner = process.getuid?.() === 0 ? NOBODY : undefined;
    expectSentence(await runProcess({ DATA_DIR: dataDir }, { owner }), /cannot be written|not writable/);
  });

  it('a data folder that is a file is refused', async () => {
    const file = join(scratchFolder(), 'file');
    writeFileSync(file, 'text');
    expectSentence(await runProcess({ DATA_DIR: file }), /not a folder|cannot be written/);
    expect(readFileSync(file, 'utf8')).toBe('text');
  });

  it('a data folder of another program is refused', async () => {
    const dataDir = scratchFolder();
    writeFileSync(join(dataDir, 'WiredTiger'), '');
    expectSentence(await runProcess({ DATA_DIR: dataDir }), /another program/);
    expect(existsSync(join(dataDir, 'engine.json'))).toBe(false);
  });
});

describe('A start that cannot be', () => {
  it.each(['1', '4190', '6000', '10080'])('a failed start reports that no client calls port %s', async (PORT) => {
    const { code, err } = await runProcess({ PORT, DATA_DIR: scratchFolder() });
    expect([code, err]).toEqual([
      1,
      expect.stringContaining(`PORT must be another one than ${PORT}: fetch refuses it`),
    ]);
  });

  it('a failed start names every invalid variable with the fix', async () => {
    const { code, err } = await runProcess({ PORT: 'abc', LOG_LEVEL: 'loud', DATA_DIR: scratchFolder() });
    expect(code).toBe(1);
    expect(err).toMatch(/PORT must be .*\n.*LOG_LEVEL must be /);
  });

  it('a failed start reports that the port is in use', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const address = taken.address();
    const port = typeof address === 'object' && address ? String(address.port) : '';
    expectSentence(
      await runProcess({ PORT: port, DATA_DIR: scratchFolder() }),
      new RegExp(`^The port ${port} is in use`),
    );
    taken.close();
  });

  it('a failed start reports that the data folder cannot be created', async () => {
    expectSentence(await runProcess({ DATA_DIR: '/proc/x' }), /data folder \/proc\/x cannot be created/);
  });

  it('a failed start reports that the store refuses the user', async () => {
    const uri = 'mongodb://127.0.0.1:1/x?authMechanism=NONE';
    expectSentence(await runProcess({ MONGODB_URI: uri, DATA_DIR: scratchFolder() }), /MONGODB_URI/);
  });
});

describe('A gateway whose store is away', () => {
  it('a gateway whose store is unreachable is alive, not ready, and ends in order', async () => {
    const uri = 'mongodb://127.0.0.1:1/x?serverSelectionTimeoutMS=200';
    const gateway = await startProcess({ ...EMPTY, MONGODB_URI: uri, DATA_DIR: scratchFolder() });
    expect((await fetch(`${gateway.url}/health/live`)).status).toBe(200);
    expect((await fetch(`${gateway.url}/health/ready`)).status).toBe(503);
    expect((await gateway.end('SIGINT')).code).toBe(0);
  });
});
