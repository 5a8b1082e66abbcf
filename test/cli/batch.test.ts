// Batches as their operator sees them: listed, cancelled, and left to the gateway by a partner's Ctrl-C.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { eventually } from '../support/eventually.js';
import { databaseUri } from '../support/gateway.js';
import { folder, gateway, PARTNER, results, run, text, useGateway, write } from './batch-runs.js';
import { folderOf, runCli } from './run-cli.js';

useGateway();

const people = (count: number): [string, string][] =>
  Array.from({ length: count }, (_, at): [string, string] => [`p${at}`, text('n')]);
const operator = () => ['--url', gateway.url, '--key', gateway.operatorKey];
const cli = (...args: string[]) =>
  runCli(args, { MONGODB_URI: databaseUri(gateway.app.connection.name), DATA_DIR: folderOf() });

interface Batch {
  partnerId: string;
  partner: string | null;
  jobId: string;
  state: string;
  ended: number;
  cancelled: number;
  total: number;
}
const listed = async (...more: string[]): Promise<Batch[]> =>
  JSON.parse((await cli('batch', 'list', '--json', ...more)).out).batches;

it('an ended batch is listed with its rows and the name of its partner, and not among the running ones', async () => {
  write(...people(3));
  await run();
  const { code, out } = await cli('batch', 'list');
  expect(code).toBe(0);
  expect(out).toMatch(
    new RegExp(
      `^[0-9a-f-]{36}  \\S+Z  finished {4}3 of 3 rows  again-credential  partner ${PARTNER} \\(P\\)\\n` +
        // The check of who has one already.
        `[0-9a-f-]{36}  \\S+Z  finished {4}3 of 3 rows checked  again-credential  partner ${PARTNER} \\(P\\)\\n2 batches\\n$`,
    ),
  );
  const [batch] = await listed();
  expect(batch).toMatchObject({ partnerId: PARTNER, partner: 'P' });
  expect((await cli('batch', 'list', '--running')).out).toBe('0 batches\n');
});

it('after Ctrl-C the gateway continues with the batch, which is printed, and the operator can cancel it', async () => {
  write(...people(400));
  const file = join(folder, 'people.csv');
  const key = ['--key-file', join(folder, 'key.json'), '--partner-id', PARTNER];
  const args = ['issue-batch', file, '--credential', 'again-credential', '--url', gateway.url, ...key];
  const child = spawn(process.execPath, ['dist/cli/main.js', ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let err = '';
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  await eventually(async () => {
    expect(existsSync(`${file}.result.csv`) && results().some(({ state }) => state === 'SENT')).toBe(true);
  });
  child.kill('SIGINT');
  const [code] = await once(child, 'close');
  const [batch] = await listed('--running');
  expect([code, batch]).toMatchObject([130, { state: 'running', total: 400 }]);
  const jobId = batch?.jobId ?? '';
  expect(err).toContain(`The gateway continues with batch ${jobId}. The same command continues`);
  expect(results()).toHaveLength(400);

  const cancelled = await cli('batch', 'cancel', jobId, ...operator());
  expect(cancelled).toMatchObject({ code: 0, err: '' });
  expect(cancelled.out).toMatch(
    new RegExp(`^batch ${jobId} is cancell(ing|ed): \\d+ of 400 rows were issued; what is issued stays`),
  );
  await eventually(async () => expect(await listed('--running')).toEqual([]));
  const job = (await listed()).find((one) => one.jobId === jobId);
  expect(job).toMatchObject({ state: 'cancelled', total: 400 });
  expect(Number(job?.ended) + Number(job?.cancelled)).toBe(400);
  expect(job?.cancelled).toBeGreaterThan(0);
});

it.each([
  ['no id of a batch', 'none'],
  ['the id of none', '00000000-0000-4000-8000-000000000000'],
])('%s cannot be cancelled', async (_what, id) => {
  const { code, out, err } = await cli('batch', 'cancel', id, ...operator());
  expect([code, out, err]).toEqual([1, '', expect.stringMatching(/^The gateway refused: [^\n]+\n$/)]);
});

it('batches are not listed without a store', async () => {
  const { code, err } = await runCli(['batch', 'list'], { DATA_DIR: folderOf() });
  expect([code, err]).toEqual([1, expect.stringMatching(/^There is no store in /)]);
});
