// The suite itself leaves no process and no folder, however a run ends.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { until } from '../support/eventually.js';
import { scratchFolder } from '../support/process.js';

/** A gateway, and its store. */
const FILE = 'test/holders/retired-partner.test.ts';

interface SuiteRun {
  child: ChildProcess;
  ended: Promise<{ code: number | null; output: string }>;
}

function runSuite(folder: string): SuiteRun {
  // In a process group of its own, so that a signal reaches it alone.
  const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', FILE], {
    env: { PATH: process.env.PATH, NO_COLOR: '1', TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk;
    });
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, output }));
  return { child, ended };
}

/** The command lines of the processes whose arguments or environment name a folder. */
function processesIn(folder: string): string[] {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
      return `${command}\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`.includes(folder) ? [command] : [];
    } catch {
      return [];
    }
  });
}

/** Whether the run's gateway has its data folder: everything that a run starts is there. */
const hasGateway = (folder: string): boolean =>
  readdirSync(folder).some((name) => readdirSync(join(folder, name)).some((each) => /^gateway-(?!test-)/.test(each)));

describe.skipIf(!existsSync('/proc/self/environ'))('A run of the suite', () => {
  it('leaves no process and no file', async () => {
    const folder = scratchFolder();
    const { code, output } = await runSuite(folder).ended;
    expect(code, output).toBe(0);
    expect(output).not.toContain('have left processes');
    expect(processesIn(folder)).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)('leaves no process and no file after %s', async (signal) => {
    const folder = scratchFolder();
    const { child, ended } = runSuite(folder);
    await until(() => hasGateway(folder) || child.exitCode !== null);
    expect(child.exitCode).toBeNull();
    child.kill(signal);
    await ended;
    await until(() => processesIn(folder).length === 0);
    expect(readdirSync(folder)).toEqual([]);
  });
});
