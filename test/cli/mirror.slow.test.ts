// `import --from` as its user meets it: another network, the store itself. What a kill leaves: mirror-kill.slow.test.ts.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { networkOf, type SourceServer, startSource } from '../catalog/mirror/source-server.js';
import { folderOf, runCli, runCliProcess } from './run-cli.js';

let source: SourceServer;
beforeEach(async () => {
  // More than one page of a list.
  source = await startSource(networkOf(130));
});
afterEach(() => source.close());

const newEnv = () => ({ DATA_DIR: folderOf(), CHAIN: 'off', ZK: 'off' });

it('import --from mirrors another network, and reports entries that must be checked', async () => {
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

it('import needs files or a network, and not both', async () => {
  const nothing = await runCliProcess(['import'], newEnv());
  expect(nothing).toMatchObject({ code: 1, err: expect.stringContaining('Give files or folders, or --from') });
  const both = await runCli(['import', 'x.json', '--from', source.base], newEnv());
  expect(both).toMatchObject({ code: 1, err: expect.stringContaining('Give either files or --from.') });
  const inside = await runCli(['import', '--from', 'http://10.0.0.1'], newEnv());
  expect(inside).toMatchObject({ code: 1, err: expect.stringContaining('"from" must be an https address.') });
});
