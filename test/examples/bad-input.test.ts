// What an example cannot use, it says in one sentence.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'bad-input-'));
writeFileSync(join(folder, 'operator.key'), 'a key\n');
writeFileSync(join(folder, 'key.json'), '{"partnerId": "p", "kty": "none"}');

/** A gateway that refuses everything but the question whether it is there, and counts what it refuses. */
let refused = 0;
const gateway = createServer((request, response) => {
  const isLive = request.url === '/health/live';
  if (!isLive) refused += 1;
  response.writeHead(isLive ? 200 : 403, { 'content-type': 'application/json' });
  response.end('{"message": "It is forbidden."}');
});
let address: string;
let port: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
  port = `${(gateway.address() as AddressInfo).port}`;
  address = `http://127.0.0.1:${port}`;
});
afterAll(() => {
  gateway.close();
  rmSync(folder, { recursive: true });
});

const ended = (example: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<unknown> =>
  new Promise((resolve) =>
    execFile(
      process.execPath,
      [`examples/${example}`, ...args],
      { env: { PATH: process.env.PATH, GATEWAY: address, DATA_DIR: folder, ...env } },
      (error, stdout, stderr) => resolve([error?.code, stdout, stderr]),
    ),
  );
const sentence = (form: RegExp) => [1, '', expect.stringMatching(new RegExp(`^${form.source}[^\\n]*\\n$`))];

it.each(['issue-and-read.mjs', 'verify.mjs', 'offer.mjs', 'present.mjs', 'sign-yourself.mjs'])(
  '%s says what the gateway refuses',
  async (example) => {
    expect(await ended(example, [])).toEqual(sentence(/The gateway refused \w+ \/v1\/admin\/\S+: It is forbidden\./));
  },
);

it('receive-webhooks says what it needs, and what the gateway refuses', async () => {
  const run = (env: NodeJS.ProcessEnv) => ended('receive-webhooks.mjs', ['0'], env);
  expect(await run({ PARTNER_TOKEN: '' })).toEqual(sentence(/Set PARTNER_TOKEN/));
  expect(await run({ PARTNER_TOKEN: 'token' })).toEqual(sentence(/The gateway refused GET \/v1\/webhooks: It is/));
  expect(await run({ WEBHOOK_SECRET: 'whsec_%' })).toEqual(sentence(/WEBHOOK_SECRET must be/));
});

it('receive-webhooks asks for no new secret where its port cannot be used', async () => {
  const before = refused;
  for (const taken of [port, 'eighty'])
    expect(await ended('receive-webhooks.mjs', [taken], { PARTNER_TOKEN: 'token' })).toEqual(
      sentence(/Port \w+ cannot be used: give another one/),
    );
  expect(refused).toBe(before);
});

it('the page and the app name a key file that is none, and the app an address that is missing', async () => {
  for (const file of [join(folder, 'key.json'), '/absent.json'])
    expect(await ended('web/server.mjs', [file, '0'])).toEqual(sentence(/The page cannot be served with the key file/));
  expect(await ended('mobile.mjs', ['ada@example.org', '/absent.json'])).toEqual(
    sentence(/ENOENT: [^\n]* '\/absent\.json'/),
  );
  expect(await ended('mobile.mjs', [])).toEqual(sentence(/Give an e-mail address/));
});
