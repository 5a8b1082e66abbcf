// A file that the gateway's user may not use: the message names it and its owner, and never suggests another data folder.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { asDataDirError } from '../../src/base/data-dir.js';
import { failureSentence } from '../../src/process/failure.js';

const folder = mkdtempSync(join(tmpdir(), 'access-'));
afterAll(() => rmSync(folder, { recursive: true }));

const refused = (path?: string, syscall = 'open') =>
  Object.assign(new Error(`EACCES: permission denied, ${syscall}`), { code: 'EACCES', syscall, path });
const whose = process.getuid?.() === 0 ? 'root' : `the user ${process.getuid?.()}`;

it('a key file of another user is named with its owner and mode, not the folder', () => {
  const file = join(folder, 'keystore.key');
  writeFileSync(file, 'secret');
  chmodSync(file, 0o400);
  const message = (asDataDirError(folder, refused(file)) as Error).message;
  expect(message).toContain(`The file ${file} may not be used by`);
  expect(message).toContain(`it belongs to ${whose}, mode 400.`);
  expect(message).not.toContain('DATA_DIR');
  expect(failureSentence(refused(file))).toBe(message);
});

it('a folder in which nothing can be created is named, if the file is not there', () => {
  const message = (asDataDirError(folder, refused(join(folder, 'missing', 'file'))) as Error).message;
  expect(message).toContain(`The folder ${folder} may not be used by`);
});

it('a port below 1024 is still about the port', () => {
  expect(failureSentence(refused(undefined, 'listen'))).toBe(
    'This user may not listen on that port; set PORT to one above 1023.',
  );
});
