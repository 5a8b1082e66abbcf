// The gateway as it is started: what it prints, that it ends in order, and that every start that cannot be is one sentence and exit code 1.
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

/** Loading the sample takes half of a start. */
const EMPTY = { SAMPLE_CATALOG: 'false' };

const NOBODY = 65_534;

/** One sentence, no stack, exit code 1. */
function expectSentence({ code, err }: Ended, says: RegExp): void {
  expect(code).toBe(1);
  expect(err.trim()).toMatch(/^[^\n]+\.$/);
  expect(err).toMatch(says);
  expect(err).not.toMatch(/^\s+at |node:internal/m);
}

/** A disk of 40 MB at this folder, until the test is over; false where this user may not mount one. */
function mountSmallDisk(folder: string): boolean {
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=40m', 'tmpfs', folder]).status !== 0) return false;
  onTestFinished(() => void spawnSync('umount', ['-l', folder]));
  return true;
}

async function total(url: string): Promise<number> {
  const answer = await fetch(`${url}/v1/catalog/credentials`);
  return ((await answer.json()) as { data: { total: number } }).data.total;
}

// Three starts in one folder serve these tests, in their order; the last one damages what they leave.
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

  it('loads the sample catalog, prints its addresses, and answers', async () => {
    await eventually(async () => expect((await fetch(`${gateway.url}/health/ready`)).status).toBe(200));
    expect(await total(gateway.url)).toBeGreaterThanOrEqual(60);
    for (const path of ['/graphql', '/v1/catalog/credentials', '/health/ready'])
      expect(gateway.output()).toContain(gateway.url + path);
  });

  it('makes its secrets readable by their owner alone, and says where the operator’s key is', async () => {
    const key = readFileSync(join(dataDir, 'operator.key'), 'utf8').trim();
    const issuers = () => fetch(`${gateway.url}/v1/admin/issuers`, { headers: { 'x-admin-api-key': key } });
    expect((await issuers()).status).toBe(200);
    for (const name of ['operator.key', 'keystore.key']) expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o600);
    expect(gateway.output()).toContain(join(dataDir, 'operator.key'));
    expect(gateway.output()).not.toContain(key);
  });

  it('goes on while another one is refused its folder', async () => {
    expectSentence(await runProcess({ DATA_DIR: dataDir }), /in use/);
    expect(await total(gateway.url)).toBeGreaterThanOrEqual(60);
  });

  it('finds everything again, even after kill -9', async () => {
    const key = readFileSync(join(dataDir, 'operator.key'), 'utf8');
    const headers = { 'x-admin-api-key': key.trim(), 'content-type': 'application/json' };
    const body = JSON.stringify({ name: 'Kept', verifierDid: 'did:example:kept' });
    expect((await fetch(`${gateway.url}/v1/admin/verifiers/kept`, { method: 'PUT', headers, body })).status).toBe(200);
    await gateway.end('SIGKILL');
    gateway = await startProcess({ ...EMPTY, DATA_DIR: dataDir }, [], atEnd);
    expect((await fetch(`${gateway.url}/v1/catalog/verifiers/kept`)).status).toBe(200);
    expect(readFileSync(join(dataDir, 'operator.key'), 'utf8')).toBe(key);
  });

  it('answers what is under way before it ends, with 0 and no word of an error', async () => {
    const query = '{ programs(first: 50) { nodes { acceptedCredentials { credential { issuer { name } } } } } }';
    const asked = fetch(`${gateway.url}/graphql?${new URLSearchParams({ query })}`);
    const answer = await asked;
    const ended = gateway.end('SIGTERM');
    expect(await answer.json()).toHaveProperty('data.programs.nodes');
    expect(await ended).toMatchObject({ code: 0, err: '' });
  });

  it('is refused when its disk is full, with everything kept', async (context) => {
    const disk = scratchFolder();
    if (!mountSmallDisk(disk)) context.skip('a full disk needs the right to mount one');
    cpSync(dataDir, disk, { recursive: true, filter: (name) => !name.endsWith('.sock') });
    const before = readFileSync(join(disk, 'data.mdb'));
    const { bavail, bsize } = statfsSync(disk);
    writeFileSync(join(disk, 'filler'), Buffer.alloc(bavail * bsize - 64 * 1024));
    expectSentence(await runProcess({ DATA_DIR: disk }), /disk .* is full/);
    expect(readFileSync(join(disk, 'data.mdb')).equals(before)).toBe(true);
  });

  it('ends with an error that nobody caught, and the log names the requests under way', async () => {
    gateway = await startProcess({ ...EMPTY, DATA_DIR: dataDir, NODE_OPTIONS }, [], atEnd);
    const { port, hostname } = new URL(gateway.url);
    const connection = connect(Number(port), hostname);
    connection.on('error', () => {});
    // Its body never ends; a second request, pipelined behind nothing, shows that the first has been read.
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

  it('ends when the thread of its store ends unasked, and says so', async () => {
    const fault = "process.once('worker', (first) => process.on('SIGUSR2', () => first.terminate()))";
    const options = { ...EMPTY, NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(fault)}` };
    gateway = await startProcess({ ...options, DATA_DIR: dataDir }, [], atEnd);
    const { code, out } = await gateway.end('SIGUSR2');
    expect(code).toBe(1);
    expect(out).toContain("The engine's worker thread ended with code 1.");
  });

  it('is refused when its folder is damaged, which is left as it is', async () => {
    const file = join(dataDir, 'data.mdb');
    const damaged = Buffer.alloc(statSync(file).size, 'damaged ');
    writeFileSync(file, damaged);
    expectSentence(await runProcess({ DATA_DIR: dataDir }), /damaged|cannot be read/);
    expect(readFileSync(file).equals(damaged)).toBe(true);
  });
});

describe('A data folder that cannot be used', () => {
  it('is refused when it cannot be written', async () => {
    const folder = scratchFolder();
    chmodSync(folder, 0o755);
    const dataDir = join(folder, 'data');
    mkdirSync(dataDir, { mode: 0o555 });
    const owner = process.getuid?.() === 0 ? NOBODY : undefined;
    expectSentence(await runProcess({ DATA_DIR: dataDir }, { owner }), /cannot be written|not writable/);
  });

  it('is refused when it is a file', async () => {
    const file = join(scratchFolder(), 'file');
    writeFileSync(file, 'text');
    expectSentence(await runProcess({ DATA_DIR: file }), /not a folder|cannot be written/);
    expect(readFileSync(file, 'utf8')).toBe('text');
  });

  it('is refused when it is somebody else’s', async () => {
    const dataDir = scratchFolder();
    writeFileSync(join(dataDir, 'WiredTiger'), '');
    expectSentence(await runProcess({ DATA_DIR: dataDir }), /another program/);
    expect(existsSync(join(dataDir, 'engine.json'))).toBe(false);
  });
});

describe('A start that cannot be', () => {
  it.each(['1', '4190', '6000', '10080'])('says that no client calls port %s', async (PORT) => {
    const { code, err } = await runProcess({ PORT, DATA_DIR: scratchFolder() });
    expect([code, err]).toEqual([
      1,
      expect.stringContaining(`PORT must be another one than ${PORT}: fetch refuses it`),
    ]);
  });

  it('names every bad variable with the fix', async () => {
    const { code, err } = await runProcess({ PORT: 'abc', LOG_LEVEL: 'loud', DATA_DIR: scratchFolder() });
    expect(code).toBe(1);
    expect(err).toMatch(/PORT must be .*\n.*LOG_LEVEL must be /);
  });

  it('says that the port is taken', async () => {
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

  it('says that the data folder cannot be made', async () => {
    expectSentence(await runProcess({ DATA_DIR: '/proc/x' }), /data folder \/proc\/x cannot be created/);
  });

  it('says that the store refuses us', async () => {
    const uri = 'mongodb://127.0.0.1:1/x?authMechanism=NONE';
    expectSentence(await runProcess({ MONGODB_URI: uri, DATA_DIR: scratchFolder() }), /MONGODB_URI/);
  });
});

describe('A gateway whose store is away', () => {
  it('is alive, not ready, and ends in order', async () => {
    const uri = 'mongodb://127.0.0.1:1/x?serverSelectionTimeoutMS=200';
    const gateway = await startProcess({ ...EMPTY, MONGODB_URI: uri, DATA_DIR: scratchFolder() });
    expect((await fetch(`${gateway.url}/health/live`)).status).toBe(200);
    expect((await fetch(`${gateway.url}/health/ready`)).status).toBe(503);
    expect((await gateway.end('SIGINT')).code).toBe(0);
  });
});
