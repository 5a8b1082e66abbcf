// `mailbox` and the origins of `partner create`: what the pages of a partner need in a sandbox.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startGateway, type TestGateway } from '../support/gateway.js';
import { runCli } from './run-cli.js';

const folder = mkdtempSync(join(tmpdir(), 'cli-'));
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await gateway.close();
});

const cli = (...args: string[]) => runCli([...args, '--url', gateway.url, '--key', gateway.operatorKey]);

it('partner create registers the origins of its pages, whose users get their codes from the mailbox', async () => {
  const origins = ['https://shop.example', 'http://localhost:5173'];
  const keyFile = join(folder, 'partner.json');
  const created = await cli(
    'partner',
    'create',
    '--name',
    'Shop',
    '--key-file',
    keyFile,
    '--origin',
    ...origins,
    '--json',
  );
  const { partnerId } = JSON.parse(created.out);
  const config = await gateway.rest('GET', `/v1/client/config?partnerId=${partnerId}`);
  expect(config.body.allowedOrigins).toEqual(origins);
  expect((await cli('mailbox', 'ada@example.org')).out).toBe('no mail to ada@example.org\n');
  await gateway.rest('POST', '/v1/auth/login', { body: { email: 'ada@example.org', partnerId } });
  const { out } = await cli('mailbox', 'ada@example.org');
  const code = /^\S+ {2}(\d{6}) {2}\S/.exec(out)?.[1];
  const [mail] = JSON.parse((await cli('mailbox', 'ada@example.org', '--json')).out).messages;
  expect(mail.code).toBe(code);
});

it('partner create refuses an invalid origin, and leaves no key behind', async () => {
  const keyFile = join(folder, 'other.json');
  const refused = await cli('partner', 'create', '--name', 'Shop', '--key-file', keyFile, '--origin', 'shop.example');
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('allowedOrigins')]);
});
