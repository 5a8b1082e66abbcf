// The proof workers when they break: the caller is told to come again, and the operator why.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { Problems } from '../../src/base/problems.js';
import { ZkThreads } from '../../src/keys/zk/threads.js';

const folder = mkdtempSync(join(tmpdir(), 'zk-threads-'));
const file = join(folder, 'worker.mjs');
const problems = new Problems({ warn: (facts: object) => logged.push(facts), info: () => {} } as never);
const logged: object[] = [];
let threads: ZkThreads;

const threadsOf = (source: string): ZkThreads => {
  writeFileSync(file, source);
  threads = new ZkThreads({ max: 1, problems, file: pathToFileURL(file) });
  return threads;
};
const key = () => ({ ask: 'key' }) as const;

afterEach(() => threads.close());

describe('Proof workers', () => {
  it('that do not start are a problem of the gateway until one starts', async () => {
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

  it('that break while they work are no problem of the gateway, and the next question is answered', async () => {
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
});
