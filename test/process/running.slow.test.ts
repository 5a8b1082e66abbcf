// A running gateway: its disk becomes full, it is backed up, and it is stopped.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCliProcess } from '../cli/run-cli.js';
import { eventually } from '../support/eventually.js';
import { type AtEnd, fileEnd, type RunningProcess, scratchFolder, startProcess } from '../support/process.js';

const QUIET = { SAMPLE_CATALOG: 'false', CHAIN: 'off', ZK: 'off' };

/** Writes a verifier as the operator. @returns the response's status and message */
async function putVerifier({ url }: RunningProcess, dataDir: string, id: string) {
  const key = readFileSync(join(dataDir, 'operator.key'), 'utf8').trim();
  const headers = { 'x-admin-api-key': key, 'content-type': 'application/json' };
  const body = JSON.stringify({ name: id, verifierDid: `did:example:${id}` });
  const answer = await fetch(`${url}/v1/admin/verifiers/${id}`, { method: 'PUT', headers, body });
  const { message } = (await answer.json()) as { message?: string };
  return { status: answer.status, message, retryAfter: answer.headers.get('retry-after') };
}
const statusOf = async ({ url }: RunningProcess, path: string) => (await fetch(url + path)).status;

/** Mounts a disk of 64 MB at this folder until the file is over; false if this user may not mount one. */
function mountSmallDisk(folder: string, atEnd: AtEnd): boolean {
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', folder]).status !== 0) return false;
  atEnd(() => void spawnSync('umount', ['-l', folder]));
  return true;
}

// These tests run in order with one gateway; the last one ends it.
const { atEnd, end } = fileEnd();
const dataDir = scratchFolder(atEnd);
const isSmall = mountSmallDisk(dataDir, atEnd);
let gateway: RunningProcess;
beforeAll(async () => {
  gateway = await startProcess(
    { ...QUIET, DATA_DIR: dataDir, STOP_DELAY_SECONDS: '30', LOG_LEVEL: 'fatal' },
    [],
    atEnd,
  );
});
afterAll(end);

describe('A gateway whose disk becomes full', () => {
  it('a gateway whose disk becomes full refuses writes with one sentence, still reads, and writes again when there is space', async (context) => {
    if (!isSmall) context.skip('a full disk needs the right to mount one');
    expect((await putVerifier(gateway, dataDir, 'before')).status).toBe(200);
    // The gateway writes meanwhile, so less space may be left than was reported.
    await eventually(() => {
      rmSync(join(dataDir, 'filler'), { force: true });
      const { bavail, bsize } = statfsSync(dataDir);
      writeFileSync(join(dataDir, 'filler'), Buffer.alloc(bavail * bsize - 64 * 1024));
    });
    const refused = await eventually(async () => {
      const answer = await putVerifier(gateway, dataDir, `during-${Math.random()}`);
      expect(answer.status).toBe(503);
      return answer;
    });
    expect(refused).toMatchObject({
      message: 'The store accepts no writes right now; try again later.',
      retryAfter: '60',
    });
    expect(await statusOf(gateway, '/v1/catalog/verifiers/before')).toBe(200);
    await eventually(async () => {
      const ready = (await (await fetch(`${gateway.url}/health/ready`)).json()) as { problems?: string[] };
      expect(ready.problems).toContain('The disk of the store is full: it accepts no writes; reads continue.');
    });
    rmSync(join(dataDir, 'filler'));
    await eventually(async () => expect((await putVerifier(gateway, dataDir, 'after')).status).toBe(200));
  });
});

describe('A gateway that is backed up', () => {
  it('a gateway that is backed up continues, and another one starts on the copy', async () => {
    const beside = scratchFolder();
    expect((await putVerifier(gateway, dataDir, 'before')).status).toBe(200);
    const copy = join(beside, 'copy');
    const backup = await runCliProcess(['engine', 'backup', copy], { DATA_DIR: dataDir });
    expect(backup).toMatchObject({ code: 0, err: '', out: expect.stringContaining(`copied ${dataDir} to ${copy}: `) });
    expect((await putVerifier(gateway, dataDir, 'later')).status).toBe(200);
    const KEYSTORE_KEY = readFileSync(join(dataDir, 'keystore.key'), 'utf8').trim();
    const other = await startProcess({ ...QUIET, DATA_DIR: copy, KEYSTORE_KEY });
    expect(await statusOf(other, '/v1/catalog/verifiers/before')).toBe(200);
    expect(await statusOf(other, '/v1/catalog/verifiers/later')).toBe(404);
    expect((await other.end('SIGTERM')).code).toBe(0);
  });
});

describe('A gateway that is told to stop', () => {
  it('a gateway that is stopped is not ready at once, serves for the configured time, and ends with 0', async () => {
    await eventually(async () => expect(await statusOf(gateway, '/health/ready')).toBe(200));
    const ended = gateway.end('SIGTERM');
    await eventually(async () => expect(await statusOf(gateway, '/health/ready')).toBe(503));
    expect(await statusOf(gateway, '/health/live')).toBe(200);
    expect(await statusOf(gateway, '/v1/catalog/credentials')).toBe(200);
    expect((await ended).code).toBe(0);
    await expect(statusOf(gateway, '/health/live')).rejects.toThrow();
  });
});
