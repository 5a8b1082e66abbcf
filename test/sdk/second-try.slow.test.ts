// A person's second try: what is left of an operation whose response was lost, in the same page, in one that was loaded again, and in another tab.
import { randomBytes, randomUUID } from 'node:crypto';
import type { Page, Route } from 'playwright-core';
import { createPublicClient, type Hex, http } from 'viem';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chainEnvOf } from '../chain/support.js';
import { ANVIL, startChain, type TestChain } from '../support/anvil.js';
import { CHROMIUM } from '../support/chromium.js';
import { type DeployedIssuer, startDeployedIssuer } from '../support/deployed-issuer.js';
import { SCHEMA } from '../support/membership.js';
import { openBackup } from './backup.js';
import { addAuthenticator, touch } from './touch.js';
import {
  approvalOf,
  approve,
  ask,
  asked,
  type Browsing,
  enterCode,
  given,
  keepRecoveryCode,
  openLoggedIn,
  type SdkWorld,
  startSdkWorld,
  walletOf,
} from './world.js';

describe.skipIf(CHROMIUM === undefined || ANVIL === undefined)('A second try', () => {
  let world: SdkWorld;
  let chain: TestChain;
  let hosted: DeployedIssuer;
  let issuerDid: string;
  let browsing: Browsing;
  beforeAll(async () => {
    chain = await startChain();
    world = await startSdkWorld({ env: (await chainEnvOf(chain)).env });
    hosted = await startDeployedIssuer(world.gateway);
    ({ issuerDid } = await put('issuers/club', { name: 'Club', issuerFrom: 'test', managed: true }));
    await put(`schemas/${encodeURIComponent(SCHEMA.$id)}`, { jsonSchema: SCHEMA });
    const of = (issuerId: string, schemaId: string) => ({ category: 'c', issuerId, schemaId });
    await put('credentials/member', { name: 'Member', ...of('club', SCHEMA.$id) });
    await put('credentials/hosted', { name: 'Hosted', ...of(hosted.issuerId, hosted.schemaId) });
    const path = `partners/${world.partner.partnerId}`;
    const { name, jwks, scopes, issueOnBehalf, allowedOrigins } = (
      await world.gateway.admin('GET', `/v1/admin/${path}`)
    ).body;
    await put(path, { name, jwks, scopes, issueOnBehalf, allowedOrigins, issuerDids: [issuerDid] });
  });
  afterAll(async () => {
    await hosted?.close();
    await world?.close();
    await chain?.close();
  });
  beforeEach(async () => {
    browsing = await world.browse();
  });
  afterEach(() => browsing.close());

  async function put(path: string, body: object) {
    const answer = await world.gateway.admin('PUT', `/v1/admin/${path}`, { body });
    if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
    return answer.body;
  }
  const collection = (name: string) => world.gateway.app.connection.collection(name);

  /** Requests reach the gateway, and their responses get lost. @param meanwhile what happens before they do */
  async function lose(
    path: string,
    { times, meanwhile }: { times?: number; meanwhile?: () => unknown } = {},
  ): Promise<void> {
    const handler = async (route: Route): Promise<void> => {
      await route.fetch();
      await meanwhile?.();
      await route.abort('connectionreset').catch(() => {});
    };
    await browsing.context.route(`${world.url}${path}`, handler, times === undefined ? {} : { times });
  }
  const lineIsBack = () => browsing.context.unrouteAll({ behavior: 'ignoreErrors' });
  // biome-ignore lint/suspicious/noExplicitAny: results of every shape.
  const result = (page: Page): Promise<any> => page.evaluate('result');
  const call = (page: Page, operation: string) => page.evaluate(`void (window.result = tried(core.${operation}))`);

  /** A page of a user with keys. */
  async function userPage(email = `${randomUUID()}@example.org`): Promise<Page> {
    const page = await openLoggedIn(world, browsing, email);
    await ask(page, 'eth_requestAccounts');
    await keepRecoveryCode(page);
    await given(page);
    return page;
  }
  async function reload(page: Page): Promise<void> {
    await page.reload();
    await page.waitForFunction('window.core !== undefined');
    await page.evaluate('core.init()');
  }
  const idOf = (page: Page): Promise<string> => page.evaluate('core.getUserInfo().then(({ user }) => user.id)');

  it('a login whose response was lost begins with the same code', async () => {
    const page = await browsing.open(world.origins.partner);
    await page.evaluate('core.init()');
    await lose('/v1/auth/verify', { times: 1 });
    await lose('/v1/auth/token', { times: 1 });
    await call(page, 'login()');
    await enterCode(world, page, 'again@example.org');
    const wallet = walletOf(page);
    await wallet.getByRole('alert').getByText('The network cannot be reached.').waitFor();
    await wallet.getByLabel('Code', { exact: true }).fill(await world.codeFor('again@example.org'));
    await wallet.getByRole('button', { name: 'Log in' }).click();
    expect(await result(page)).toMatchObject({ value: { isLoggedIn: true } });
    const { id } = (await result(page)).value;
    expect(await collection('sessions').countDocuments({ holderId: id })).toBe(1);
  });

  const issue = async (page: Page, options: object) => {
    const authToken = await world.partner.token({}, 'issue on-behalf');
    await call(page, `issueCredential(${JSON.stringify({ authToken, ...options })})`);
    await approve(page);
    return result(page);
  };
  const member = (note: string) => ({
    issuerDid,
    credentialId: 'member',
    credentialSubject: { level: 3, since: '2024-02-29', note },
  });
  const issuedTo = async (page: Page) => collection('issuances').countDocuments({ holderId: await idOf(page) });

  it('a credential is issued once, although the response of its issuance was lost', async () => {
    const page = await userPage();
    await lose('/v1/credentials/issue-on-behalf', { times: 1 });
    expect(await issue(page, member('gold'))).toEqual({ value: {} });
    expect(await issuedTo(page)).toBe(1);
    await lose('/v1/credentials/issue-on-behalf');
    expect(await issue(page, member('silver'))).toMatchObject({ name: 'OFFLINE' });
    await lineIsBack();
    expect(await issuedTo(page)).toBe(2);
    expect(await issue(page, member('silver'))).toEqual({ value: {} });
    expect(await issuedTo(page)).toBe(2);
    expect(await issue(page, member('silver'))).toEqual({ value: {} });
    expect(await issuedTo(page)).toBe(3);
  });

  it('a credential is issued once, although the page was loaded again while it was issued, and after it', async () => {
    const page = await userPage();
    const reloaded = page.waitForEvent('load');
    await lose('/v1/credentials/issue-on-behalf', { times: 1, meanwhile: () => page.reload() });
    void issue(page, member('gold')).catch(() => {});
    await reloaded;
    await page.waitForFunction('window.core !== undefined');
    // However long the page takes, it has had the result for less than the time after which it counts as received.
    await page.evaluate('core.init().then(() => { window.setTimeout = () => 0; })');
    expect(await issue(page, member('gold'))).toEqual({ value: {} });
    await reload(page);
    expect(await issue(page, member('gold'))).toEqual({ value: {} });
    expect(await issuedTo(page)).toBe(1);
  });

  it('an issuer is asked once for a credential of its own, although the response was lost', async () => {
    const page = await userPage();
    const own = { issuerDid: `did:web:${hosted.issuerId}.example`, credentialId: 'hosted', credentialSubject: {} };
    await lose('/v1/credentials/issue');
    expect(await issue(page, own)).toMatchObject({ name: 'OFFLINE' });
    await lineIsBack();
    expect(await issue(page, own)).toEqual({ value: {} });
    expect(hosted.requests.filter(({ path }) => path === '/issue-vc')).toHaveLength(1);
  });

  it('a core id that was claimed is not asked for again', async () => {
    const page = await userPage();
    await lose('/v1/holders/me/core-id');
    await call(page, 'claimCoreId()');
    const name = `a${randomBytes(5).toString('hex')}`;
    await walletOf(page).getByLabel('Name').fill(name);
    await walletOf(page).getByRole('button', { name: 'Claim' }).click();
    expect(await result(page)).toMatchObject({ name: 'OFFLINE' });
    await lineIsBack();
    await call(page, 'claimCoreId()');
    expect(await result(page)).toMatchObject({ value: { coreId: { name: expect.stringContaining(name) } } });
  });

  const target: Hex = `0x${randomBytes(20).toString('hex')}`;
  const send = async (page: Page, value: string) => {
    await ask(page, 'eth_accounts');
    const [from] = await given(page);
    await ask(page, 'eth_sendTransaction', [{ from, to: target, data: value }]);
    await approve(page);
  };

  it('a batch of a page that was loaded again while it was sent is found by its id, and not sent twice', async () => {
    const page = await userPage();
    await ask(page, 'eth_accounts');
    const [from] = await given(page);
    const request = { version: '2.0.0', chainId: '0x7a69', from, id: 'order', calls: [{ to: target, data: '0x01' }] };
    await browsing.context.route(`${world.url}/v1/chain/rpc`, async (route) => {
      if (route.request().postDataJSON().method !== 'eth_sendUserOperation') return route.continue();
      await route.fetch();
      await page.reload();
    });
    await ask(page, 'wallet_sendCalls', [request]);
    await approve(page);
    await page.waitForFunction('window.core !== undefined && window.asked === undefined');
    await lineIsBack();
    await page.evaluate('core.init()');
    await ask(page, 'wallet_sendCalls', [request]);
    expect(await asked(page)).toMatchObject({ code: 5_720 });
    const status = async () => {
      await ask(page, 'wallet_getCallsStatus', ['order']);
      return (await given(page)).status;
    };
    await expect.poll(status).toBe(200);
  });

  it('a transaction waits for the one that another tab has sent, and then is mined, too', async () => {
    const first = await userPage();
    await send(first, '0x01');
    await given(first);
    const second = await browsing.open(world.origins.partner);
    await second.evaluate('core.init()');
    await chain.rpc('evm_setAutomine', false);
    try {
      await send(first, '0x02');
      await first.waitForResponse(
        (response) => response.request().postData()?.includes('eth_getUserOperationReceipt') ?? false,
      );
      await send(second, '0x03');
      await second.waitForResponse(
        (response) => response.request().postData()?.includes('eth_getUserOperationReceipt') ?? false,
      );
    } finally {
      await chain.rpc('evm_setAutomine', true);
      await chain.rpc('evm_mine');
    }
    const client = createPublicClient({ transport: http(chain.url) });
    for (const page of [first, second])
      expect((await client.getTransactionReceipt({ hash: await given(page) })).status).toBe('success');
  });

  const manage = async (page: Page): Promise<void> => {
    await call(page, 'setupOrUpdateMfa()');
    await (await approvalOf(page)).getByRole('heading', { name: 'Your passkeys' }).waitFor();
  };
  const press = async (page: Page, name: string) =>
    (await approvalOf(page)).locator('button[aria-disabled="false"]', { hasText: name }).click();
  const backupOf = async (page: Page) => collection('keyBackups').findOne({ _id: await idOf(page) } as never);

  it('a new recovery code that could not be stored stays on the screen until it opens the keys', async () => {
    const email = `${randomUUID()}@example.org`;
    const { body: recipient } = await world.partner.rest('POST', '/v1/auth/initialize-user', { email });
    const page = await userPage(email);
    await manage(page);
    const former = await backupOf(page);
    await browsing.context.route(`${world.url}/v1/holders/me/key-backup`, (route) =>
      route.request().method() === 'PUT' ? route.abort('connectionreset') : route.continue(),
    );
    await press(page, 'Make a new recovery code');
    const code = await keepRecoveryCode(page);
    await (await approvalOf(page)).getByText('This code may not be stored yet: keep the one before, too.').waitFor();
    expect(await backupOf(page)).toEqual(former);
    await lineIsBack();
    expect(await keepRecoveryCode(page)).toBe(code);
    await (await approvalOf(page)).getByRole('heading', { name: 'Your passkeys' }).waitFor();
    expect(openBackup(await backupOf(page), recipient.did, code).holderKeys).toHaveLength(2);
  });

  it('a passkey whose response was lost opens the keys; one that only proves says so', async () => {
    const page = await userPage();
    await addAuthenticator(page);
    await manage(page);
    await lose('/v1/holders/me/passkeys', { times: 1 });
    await press(page, 'Add a passkey');
    await touch(page, 'Protect your keys with a passkey');
    await (await approvalOf(page)).getByRole('button', { name: 'Remove' }).waitFor();
    const kinds = async () => (await backupOf(page))?.wraps.map(({ kind }: { kind: string }) => kind).sort();
    expect(await kinds()).toEqual(['passkey', 'recovery']);
    expect(await (await approvalOf(page)).getByText('It does not open your keys.').count()).toBe(0);
    await collection('keyBackups').updateMany({}, { $pull: { wraps: { kind: 'passkey' } } } as never);
    await page.keyboard.press('Escape');
    await result(page);
    await manage(page);
    await (await approvalOf(page)).getByText('It does not open your keys.').waitFor();
  });

  it('a logout ends although the browser’s storage does not respond, and deletes the keys at the next start', async () => {
    const page = await userPage();
    const frame = page.frames().find((one) => one.url().startsWith(world.url));
    const sealed = `new Promise((resolve) => {
      const opening = indexedDB.open('core.${world.partner.partnerId}');
      opening.onsuccess = () => {
        const getting = opening.result.transaction('keys').objectStore('keys').get('sealed');
        getting.onsuccess = () => { opening.result.close(); resolve(getting.result !== undefined); };
      };
    })`;
    expect(await frame?.evaluate(sealed)).toBe(true);
    await frame?.evaluate(`void (IDBFactory.prototype.open = () => ({}))`);
    await page.evaluate('core.logout()');
    expect(await page.evaluate('core.isLoggedIn')).toBe(false);
    await reload(page);
    const next = page.frames().find((one) => one.url().startsWith(world.url));
    await expect.poll(() => next?.evaluate(sealed)).toBe(false);
  });
});
