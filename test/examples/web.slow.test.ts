// `examples/web` as a newcomer runs it: from `partner create` to a Compliant result in a page.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli } from '../cli/run-cli.js';
import { approvalOf, approve, keepRecoveryCode, walletOf } from '../sdk/world.js';
import { ANVIL } from '../support/anvil.js';
import { CHROMIUM, openPage, startChromium } from '../support/chromium.js';
import { freePorts, GatewayProcess, OPERATOR_KEY } from '../support/gateway-process.js';

const EMAIL = 'ada@example.org';

describe.skipIf(CHROMIUM === undefined || ANVIL === undefined)('The web example', () => {
  const folder = mkdtempSync(join(tmpdir(), 'web-example-'));
  let gateway: GatewayProcess;
  let server: ChildProcess;
  let browser: Browser;
  let address: string;
  beforeAll(async () => {
    const [port, own] = await freePorts(2);
    const url = `http://localhost:${port}`;
    address = `http://localhost:${own}`;
    gateway = new GatewayProcess({ PORT: String(port), PUBLIC_URL: url, SAMPLE_CATALOG: 'true' });
    await gateway.start();
    const rights = ['--issuer', 'civic-registry', '--scope', 'issue', 'verify', '--origin', address];
    const file = ['--key-file', join(folder, 'partner.json'), '--url', gateway.url, '--key', OPERATOR_KEY];
    const { code, err } = await runCli(['partner', 'create', '--name', 'Rent a flat', ...rights, ...file]);
    expect([code, err]).toEqual([0, '']);
    for (const name of ['server.mjs', 'index.html']) {
      mkdirSync(join(folder, 'examples/web'), { recursive: true });
      copyFileSync(join('examples/web', name), join(folder, 'examples/web', name));
    }
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
    const env = { ...process.env, GATEWAY: url };
    server = spawn(process.execPath, ['examples/web/server.mjs', 'partner.json', String(own)], {
      cwd: folder,
      env,
      stdio: 'pipe',
    });
    await once(server.stdout ?? server, 'data');
    browser = await startChromium();
  });
  afterAll(async () => {
    await browser?.close();
    server?.kill();
    await gateway?.stop('SIGTERM');
    gateway?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  it('leads from a login to a Compliant result', async () => {
    expect(readFileSync('examples/web/server.mjs', 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(40);
    const page = await openPage(browser);
    await page.goto(address);
    await page.getByText('You are logged out.').waitFor();
    await page.getByRole('button', { name: 'Log in' }).click();
    const wallet = walletOf(page);
    await wallet.getByLabel('E-mail address').fill(EMAIL);
    await wallet.getByRole('button', { name: 'Send code' }).click();
    await wallet.getByRole('heading', { name: 'Enter the code' }).waitFor();
    const { out } = await runCli(['mailbox', EMAIL, '--url', gateway.url, '--key', OPERATOR_KEY]);
    await wallet.getByLabel('Code', { exact: true }).fill(/ {2}(\d{6}) {2}/.exec(out)?.[1] ?? '');
    await wallet.getByRole('button', { name: 'Log in' }).click();
    await page.getByText('You are logged in.').waitFor();
    const tokens: string[] = [];
    page.on('request', (request) => request.url().endsWith('/token/issue') && tokens.push(request.url()));
    await page.getByRole('button', { name: 'Get an identity' }).dblclick();
    await keepRecoveryCode(page);
    await (await approvalOf(page)).getByText('Ada Lovelace').waitFor();
    await approve(page);
    await expect.poll(() => page.locator('#result').textContent()).toBe('{}');
    expect(tokens).toHaveLength(1);
    await page.getByRole('button', { name: 'Prove who I am' }).click();
    await (await approvalOf(page)).getByText('Rentwise Lettings').waitFor();
    await approve(page);
    await expect.poll(() => page.locator('#result').textContent()).toContain('"Compliant"');
  });
});
