// The proof workers when they break: the caller is told to come again, and the operator why.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { Problems } from '../../src/base/monitoring/problems.js';
import { ZkThreads } from '../../src/keys/zk/threads.js';

const folder = mkdtempSync(join(tmpdir(), 'zk-threads-'));
const file = join(folder, 'worker.mjs');
const problems = new Problems({ warn: (facts: object) => logged.push(facts), info: () => {} } as never);
const logged: object[] = [];
let threads: ZkThreads;

const threadsOf = (source: string, limits: { limitMs?: number; longestMs?: number } = {}): ZkThreads => {
  writeFileSync(file, source);
  threads = new ZkThreads({ max: 1, problems, file: pathToFileURL(file), ...limits });
  return threads;
};
/** Ends nothing, however busy the machine is. */
const NO_END = 600_000;
const computedMs = (before: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
};
const key = () => ({ ask: 'key' }) as const;
const judge = (asked: ZkThreads) => asked.inTurn('p', (ask) => ask(key()));

afterEach(() => threads.close());

describe('Proof workers', () => {
  it('proof workers that do not start are a problem of the gateway until one starts', async () => {
    const broken = threadsOf('throw new Error("no room for the module");');
    await expect(broken.ask(key)).rejects.toMatchObject({ code: 'VERIFIER_BUSY' });
    expect(problems.list()).toEqual(['Proofs and signatures cannot be made: their worker does not start.']);
    expect(logged).toMatchObject([{ part: 'proofs', err: { message: 'no room for the module' } }]);
    await broken.close();

    const mended = threadsOf(`
      import { parentPort } from 'node:worker_threads';
      parentPort.on('message', () => parentPort.postMessage({ is: 'refused' }));
      parentPort.postMessage({ is: 'ready', isOff: false });`);
    expect(await mended.ask(key)).toEqual({ is: 'refused' });
    expect(problems.list()).toEqual([]);
  });

  it('a proof worker that breaks is no problem of the gateway, and the next question gets its reply', async () => {
    const breaking = threadsOf(`
      import { parentPort } from 'node:worker_threads';
      parentPort.on('message', ({ ask }) => {
        if (ask === 'sign') throw new Error('unreachable');
        parentPort.postMessage({ is: 'refused' });
      });
      parentPort.postMessage({ is: 'ready', isOff: false });`);
    await expect(breaking.ask(() => ({ ask: 'sign' }) as never)).rejects.toMatchObject({ code: 'VERIFIER_BUSY' });
    expect(await breaking.ask(key)).toEqual({ is: 'refused' });
    expect(problems.list()).toEqual([]);
  });

  it('a proof worker may take as long as a busy machine needs: other processes do not make a proof invalid', async () => {
    const waiting = threadsOf(
      `
      import { parentPort } from 'node:worker_threads';
      parentPort.on('message', () => setTimeout(() => parentPort.postMessage({ is: 'checked', isValid: true }), 1500));
      parentPort.postMessage({ is: 'ready', isOff: false });`,
      { limitMs: 500, longestMs: NO_END },
    );
    expect(await judge(waiting)).toEqual({ is: 'checked', isValid: true });
  });

  it('a proof worker is not late because the rest of the process computes', async () => {
    const waiting = threadsOf(
      `
      import { parentPort } from 'node:worker_threads';
      parentPort.on('message', () => setTimeout(() => parentPort.postMessage({ is: 'checked', isValid: true }), 2000));
      parentPort.postMessage({ is: 'ready', isOff: false });`,
      { limitMs: 1_000, longestMs: NO_END },
    );
    // The worker has started when this is answered.
    await judge(waiting);
    const reply = judge(waiting);
    const before = process.cpuUsage();
    while (computedMs(before) < 1_400) Math.sqrt(2);
    expect(await reply).toEqual({ is: 'checked', isValid: true });
  });

  it('a proof worker that computes without end is ended, and its question fails', async () => {
    const endless = threadsOf(
      `
      import { parentPort } from 'node:worker_threads';
      parentPort.on('message', () => { for (;;); });
      parentPort.postMessage({ is: 'ready', isOff: false });`,
      { limitMs: 300, longestMs: NO_END },
    );
    expect(await judge(endless)).toBe('broken');
  });

  it('a proof worker that neither computes nor replies is ended, without a verdict', async () => {
    const silent = threadsOf(
      `
      import { parentPort } from 'node:worker_threads';
      parentPort.on('message', () => {});
      parentPort.postMessage({ is: 'ready', isOff: false });`,
      { longestMs: 3_000 },
    );
    await expect(judge(silent)).rejects.toMatchObject({ code: 'VERIFIER_BUSY' });
  });
});
