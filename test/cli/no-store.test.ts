// Commands that only read, in a folder without a store: they say so in one sentence, and make none.
import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folderOf, runCli } from './run-cli.js';

it.each([
  'traction verify',
  'audit verify',
  'audit export',
  'operator-key list',
  'operator-key rotate ops',
  'operator-key withdraw ops',
  'keys withdraw kid',
  'keys rotate --before-file FILE',
  'chain jobs',
  'chain resume',
])('the command %s without a store creates none', async (command) => {
  const folder = folderOf();
  const key = () => randomBytes(32).toString('base64');
  const DATA_DIR = join(folder, 'data');
  const args = command.replace('FILE', join(folderOf({ before: key() }), 'before')).split(' ');
  const result = await runCli(args, { DATA_DIR, KEYSTORE_KEY: key() });
  const err = `There is no store in ${DATA_DIR}: set DATA_DIR to the gateway's folder, or MONGODB_URI.\n`;
  expect(result).toEqual({ code: 1, out: '', err });
  expect(readdirSync(folder)).toEqual([]);
});
