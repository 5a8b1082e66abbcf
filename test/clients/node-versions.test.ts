// Later versions of Node, of which the image has the first: the built gateway and its examples run on them, and print no error.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ANVIL } from '../support/anvil.js';
import { scratchFolder, startProcess } from '../support/process.js';

const run = promisify(execFile);
/** They are installed where their binaries run: Linux on x64. */
const nodeOf = (version: string): string => resolve('test/clients/node_modules', version, 'bin/node');

describe.each(['node-22', 'node-24'])('A gateway on %s', (version) => {
  const node = nodeOf(version);

  it.skipIf(!existsSync(node))('issues, is verified and ends, and the next version opens its folder', async () => {
    const dataDir = join(scratchFolder(), 'data');
    const gateway = await startProcess({ DATA_DIR: dataDir }, [], undefined, node);
    const example = async (name: string): Promise<string> =>
      (await run(node, [`examples/${name}.mjs`, gateway.url, dataDir])).stdout;
    expect(await example('issue-and-read')).toContain('revokedAt');
    if (ANVIL !== undefined) expect(await example('verify')).toContain('"status": "Compliant"');
    expect(await gateway.end('SIGTERM')).toMatchObject({ code: 0, err: '' });
    const other = await startProcess({ DATA_DIR: dataDir });
    expect((await fetch(`${other.url}/v1/catalog/credentials`)).status).toBe(200);
    expect(await other.end('SIGTERM')).toMatchObject({ code: 0, err: '' });
  });
});
