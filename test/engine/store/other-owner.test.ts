// A file of the data folder that belongs to somebody else: the engine names it and its owner, and does not call it damaged.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { tempFolder } from '../support.js';

/** Who runs the engine: nobody, if the tests are run by root, to whom nothing is refused. */
const isRoot = process.getuid?.() === 0;
const [NOBODY, owner] = isRoot ? [65_534, 'root'] : [undefined, `the user ${process.getuid?.()}`];

/** Starts the engine as that user. Returns what it prints before it ends, or until it listens. */
async function start(dataDir: string): Promise<string> {
  const user = NOBODY === undefined ? {} : { uid: NOBODY, gid: NOBODY };
  const child = spawn(process.execPath, ['dist/engine/main.js', '--port', '0', '--data-dir', dataDir], user);
  const ended = once(child, 'close');
  let text = '';
  const listens = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        text += chunk;
        if (text.includes('mongodb:')) resolve();
      });
  });
  await Promise.race([ended, listens]);
  child.kill('SIGTERM');
  await ended;
  return text;
}

it('a data file of another user is named with its owner and mode', async () => {
  const { path, remove } = tempFolder();
  onTestFinished(remove);
  if (NOBODY !== undefined) chownSync(path, NOBODY, NOBODY);
  expect(await start(path)).toContain('mongodb:');
  const file = join(path, 'data.mdb');
  expect(readdirSync(path)).toContain('data.mdb');
  const { size } = statSync(file);
  if (isRoot) chownSync(file, 0, 0);
  chmodSync(file, 0o400);
  const text = await start(path);
  expect(text).toContain(`The data folder ${path} cannot be written: ${file} belongs to ${owner}, mode 400.`);
  expect(statSync(file).size).toBe(size);
});
