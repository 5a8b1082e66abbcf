// Where the data folder of a sandbox is another one, an example ends with one sentence that says how to name it.
import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';

/** A gateway as far as examples ask before they read the operator's key. */
const gateway = createServer((_request, response) => response.end('{}'));
let address: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
});
afterAll(() => gateway.close());

const errorsOf = (example: string, { env, args = [] }: { env: NodeJS.ProcessEnv; args?: string[] }): Promise<string> =>
  new Promise((resolve) =>
    execFile(
      process.execPath,
      [`examples/${example}.mjs`, ...args],
      { env: { PATH: process.env.PATH, ...env } },
      (_error, _stdout, stderr) => resolve(stderr),
    ),
  );

it.each(['issue-and-read', 'verify', 'offer', 'present'])('%s says how to name the data folder', async (example) => {
  const says = (file: string) =>
    `${file} cannot be read: set DATA_DIR to the data folder of the gateway at ${address}, or give both: node examples/${example}.mjs ${address} <data folder>\n`;
  const folder = '/absent/of-variable';
  const byVariables = await errorsOf(example, { env: { GATEWAY: address, DATA_DIR: folder } });
  expect(byVariables).toBe(says(`${folder}/operator.key`));
  const byArguments = await errorsOf(example, { env: { DATA_DIR: folder }, args: [address, '/absent/of-argument'] });
  expect(byArguments).toBe(says('/absent/of-argument/operator.key'));
});
