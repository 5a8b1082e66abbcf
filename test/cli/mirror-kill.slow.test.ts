// `import --from` in a process that is killed, and once more.
import { spawn } from 'node:child_process';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { networkOf, type SourceServer, startSource } from '../catalog/mirror/source-server.js';
import { eventually } from '../support/eventually.js';
import { folderOf, runCli } from './run-cli.js';

let source: SourceServer;
beforeEach(async () => {
  // More than one page of a list.
  source = await startSource(networkOf(130));
});
afterEach(() => source.close());

it('a mirror run continues where it was killed', async () => {
  const env = { DATA_DIR: folderOf(), CHAIN: 'off', ZK: 'off' };
  const killed = await new Promise((resolve) => {
    const args = ['dist/cli/main.js', 'import', '--from', source.base];
    const child = spawn(process.execPath, args, {
      env: { PATH: process.env.PATH, PORT: '1', ...env },
      stdio: 'ignore',
    });
    child.once('close', (_, signal) => resolve(signal));
    source.interfere((path, response) => {
      if (!path.endsWith('/program-120')) return false;
      child.kill('SIGKILL');
      response.destroy();
      return true;
    });
  });
  expect(killed).toBe('SIGKILL');
  source.interfere(undefined);
  source.asked.length = 0;
  // The killed process holds the network until its lease has ended.
  const { out } = await eventually(async () => {
    const { code, out, err } = await runCli(['import', '--from', source.base], env);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    return { out };
  });
  expect(out).toContain('(an interrupted run, continued)');
  // Neither the schemas nor the first page of programs are read again.
  expect(source.asked.filter((path) => /schemas|page=1&/.test(path))).toEqual([]);
});
