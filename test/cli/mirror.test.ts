// `import --from` as its user meets it: a process of its own, another network, the store itself.
import { spawn } from 'node:child_process';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { networkOf, type SourceServer, startSource } from '../catalog/mirror/source-server.js';
import { eventually } from '../support/eventually.js';
import { folderOf, runCli, runCliProcess } from './run-cli.js';

let source: SourceServer;
beforeEach(async () => {
  // More than one page of a list.
  source = await startSource(networkOf(130));
});
afterEach(() => source.close());

const newEnv = () => ({ DATA_DIR: folderOf(), CHAIN: 'off', ZK: 'off' });

it('takes over another network, and says what needs a look', async () => {
  const env = newEnv();
  Object.assign(source.network.programs.get('program-9') ?? {}, { pricingModel: null });
  const first = await runCli(['import', '--from', source.base], env);
  expect(first.out.split('\n')).toEqual([
    'refused  programs/program-9: "pricingModel" must be a string.',
    `mirrored ${source.base} into the store in ${env.DATA_DIR}: 393 created, 0 updated, 0 unchanged, 0 kept, 0 missing, 1 refused`,
    '',
  ]);
  expect(first.code).toBe(1);
  source.network.programs.delete('program-9');
  source.network.programs.delete('program-8');
  const second = await runCli(['import', '--from', source.base, '--json'], env);
  expect(JSON.parse(second.out)).toMatchObject({
    result: 'done',
    created: 0,
    missing: 1,
    refused: 0,
    reports: [{ kind: 'programs', id: 'program-8', result: 'missing' }],
  });
  expect(second.code).toBe(0);
});

it('goes on where a run was killed', async () => {
  const env = newEnv();
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

it('needs files or a network, and not both', async () => {
  const nothing = await runCliProcess(['import'], newEnv());
  expect(nothing).toMatchObject({ code: 1, err: expect.stringContaining('Give files or folders, or --from') });
  const both = await runCli(['import', 'x.json', '--from', source.base], newEnv());
  expect(both).toMatchObject({ code: 1, err: expect.stringContaining('Give either files or --from.') });
  const inside = await runCli(['import', '--from', 'http://10.0.0.1'], newEnv());
  expect(inside).toMatchObject({ code: 1, err: expect.stringContaining('"from" must be an https address.') });
});
