// A command whose output nobody reads any more, as with `| head -1`, ends as it would otherwise, and prints no stack.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folderOf } from './run-cli.js';

it.each([
  ['--help', [], 0],
  ['import', ['nothing.json', '--url', 'http://127.0.0.1:1', '--key', 'k', '--json'], 1],
])('the command %s ends if its output is closed', async (command, args, code) => {
  const child = spawn(process.execPath, ['dist/cli/main.js', command, ...args], {
    env: { PATH: process.env.PATH, DATA_DIR: join(folderOf(), 'data') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // The reading end closes before the command can print.
  child.stdout.destroy();
  let err = '';
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  const [ended] = await once(child, 'close');
  expect(ended).toBe(code);
  expect(err).not.toMatch(/EPIPE|\n {4}at /);
});

it.runIf(existsSync('/dev/full'))('says in one sentence that its output cannot be written', async () => {
  const child = spawn(process.execPath, ['dist/cli/main.js', '--help'], {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
  });
  let err = '';
  child.stderr?.on('data', (chunk) => {
    err += chunk;
  });
  const [code] = await once(child, 'close');
  expect([code, err]).toEqual([1, 'The output cannot be written: the disk is full.\n']);
});
