// `examples/mobile.mjs` as a newcomer runs it: from `partner create` to a signature.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { runCli } from '../cli/run-cli.js';
import { startSandbox } from '../sdk/world.js';
import { ANVIL } from '../support/anvil.js';
import { scratchFolder } from '../support/process.js';

it.skipIf(ANVIL === undefined)('The example of an app logs in and signs in a terminal', async () => {
  const gateway = await startSandbox({});
  onTestFinished(() => gateway.close());
  const codeFor = async (email: string): Promise<string> =>
    (await gateway.admin('GET', `/v1/sandbox/mailbox?email=${encodeURIComponent(email)}`)).body.messages.at(-1).code;
  const place = scratchFolder();
  mkdirSync(join(place, 'examples'));
  writeFileSync(join(place, 'examples', 'mobile.mjs'), readFileSync('examples/mobile.mjs'));
  symlinkSync(resolve('dist'), join(place, 'dist'));
  symlinkSync(resolve('node_modules'), join(place, 'node_modules'));
  const file = ['--key-file', join(place, 'partner.json'), '--url', gateway.url, '--key', gateway.operatorKey];
  const env = { ...process.env, GATEWAY: gateway.url };
  const { code, err } = await runCli(['partner', 'create', '--name', 'App', '--scope', 'issue', ...file]);
  expect([code, err]).toEqual([0, '']);
  const child = spawn(process.execPath, ['examples/mobile.mjs', 'terminal@example.org'], { cwd: place, env });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdout.on('data', async (chunk: Buffer) => {
    const text = String(chunk);
    if (text.includes('Code mailed to')) child.stdin.write(`${await codeFor('terminal@example.org')}\n`);
    if (text.includes('Press Enter')) child.stdin.write('\n');
    if (text.includes('(y/n)')) child.stdin.write('y\n');
  });
  expect(await ended(child)).toMatch(/terminal@example.org is logged in\.[\s\S]*0x[0-9a-fA-F]{40} signed: 0x/);
});

async function ended(child: ChildProcess): Promise<string> {
  let out = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    out += chunk;
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    out += chunk;
  });
  await new Promise((done) => child.once('close', done));
  return out;
}
