// Keys in the frame: created when they are first needed, backed up under a recovery code, and restored wherever the user logs in.
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import type { Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeKey, register } from '../accounts/support.js';
import { chainEnvOf } from '../chain/support.js';
import { ANVIL, startChain, type TestChain } from '../support/anvil.js';
import { CHROMIUM } from '../support/chromium.js';
import { decrypt, encrypt } from '../support/holder-device.js';
import { logIn } from '../support/partner.js';
import { openBackup } from './backup.js';
import {
  accessFaults,
  approvable,
  approvalOf,
  approve,
  ask,
  asked,
  type Browsing,
  enterCode,
  enterRecoveryCode,
  given,
  keepRecoveryCode,
  openLoggedIn,
  type SdkWorld,
  startSdkWorld,
  takeCode,
} from './world.js';

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

describe.skipIf(CHROMIUM === undefined || ANVIL === undefined)('The keys of a user', () => {
  let world: SdkWorld;
  let chain: TestChain;
  let browsing: Browsing;
  beforeAll(async () => {
    chain = await startChain();
    world = await startSdkWorld({ env: (await chainEnvOf(chain)).env });
  });
  afterAll(async () => {
    await world?.close();
    await chain?.close();
  });
  beforeEach(async () => {
    browsing = await world.browse();
  });
  afterEach(() => browsing.close());

  const holders = () => world.gateway.app.connection.collection('holders');
  // biome-ignore lint/suspicious/noExplicitAny: a row of the store.
  const holderOf = async (page: Page): Promise<any> => {
    const id = await page.evaluate('core.getUserInfo().then(({ user }) => user.id)');
    return holders().findOne({ _id: id } as never);
  };
  // biome-ignore lint/suspicious/noExplicitAny: a row of the store.
  const backupOf = async (page: Page): Promise<any> => {
    const { _id } = await holderOf(page);
    return world.gateway.app.connection.collection('keyBackups').findOne({ _id } as never);
  };
  const accountOf = (page: Page): Promise<unknown> =>
    page.evaluate('core.getUserInfo().then(({ user }) => user.abstractAccountAddress)');
  const makeKeys = async (page: Page): Promise<string> => {
    await ask(page, 'eth_requestAccounts');
    return keepRecoveryCode(page);
  };
  const restart = async (page: Page): Promise<void> => {
    await page.reload();
    await page.waitForFunction('window.core !== undefined');
    await page.evaluate('core.init()');
  };

  it('keys are created when they are first needed, and the page is informed of the account', async () => {
    const page = await openLoggedIn(world, browsing, 'first@example.org');
    await page.evaluate(`window.provided = [];
      for (const event of ['accountsChanged', 'connect']) core.provider.on(event, (value) => provided.push([event, value]))`);
    const code = await makeKeys(page);
    expect(code).toMatch(/^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/);
    const value = await given(page);
    expect(value).toEqual([expect.stringMatching(ADDRESS)]);
    expect(await accountOf(page)).toBe(value[0]);
    await page.waitForFunction('core.isWalletInitialized');
    expect(await page.evaluate('[heard, provided]')).toEqual([
      ['initialized', 'logged_in', 'wallet_initialized'],
      [['accountsChanged', value]],
    ]);
    await ask(page, 'eth_requestAccounts');
    expect(await asked(page)).toEqual({ value });
    await restart(page);
    await page.waitForFunction('core.isWalletInitialized');
    expect(await page.evaluate('heard')).toEqual(['initialized', 'logged_in', 'wallet_initialized']);
    await ask(page, 'eth_accounts');
    expect(await asked(page)).toEqual({ value });
    expect(browsing.faults).toEqual([]);
  });

  it('keys decrypt earlier credentials, and nothing of the keys is readable at the gateway', async () => {
    const email = 'earlier@example.org';
    const { body } = await world.partner.rest('POST', '/v1/auth/initialize-user', { email });
    const earlier = encrypt('an earlier credential', body.publicKey);
    const page = await openLoggedIn(world, browsing, email);
    const code = await makeKeys(page);
    const [account] = await given(page);
    const backup = await backupOf(page);
    const keys = openBackup(backup, body.did, code);
    expect(keys).toEqual({
      v: 1,
      accountKey: expect.any(String),
      holderKeys: [expect.any(String), expect.any(String)],
    });
    const opened = keys.holderKeys.flatMap((raw: string) => {
      const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b656e04220420', 'hex'), Buffer.from(raw, 'base64')]);
      const key = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
      try {
        return [decrypt(key, { ...earlier, key: earlier.encryptedKey }).toString()];
      } catch {
        return [];
      }
    });
    expect(opened).toEqual(['an earlier credential']);
    const { privateKeyToAccount } = await import('viem/accounts');
    const owner = privateKeyToAccount(`0x${Buffer.from(keys.accountKey, 'base64').toString('hex')}`).address;
    const row = await holderOf(page);
    expect([row.accountOwner, row.abstractAccountAddress]).toEqual([owner, account]);
    const collections = await world.gateway.app.connection.listCollections();
    const stored = await Promise.all(
      collections.map(({ name }) => world.gateway.app.connection.collection(name).find({}).toArray()),
    );
    const text = JSON.stringify(stored);
    expect(text).toContain(backup.data);
    const secrets = [keys.accountKey, ...keys.holderKeys].flatMap((key) => [
      key,
      Buffer.from(key, 'base64').toString('hex'),
    ]);
    expect([...secrets, code, code.replaceAll(' ', '')].filter((secret) => text.includes(secret))).toEqual([]);
  });

  it.each([
    ['the first backup', 'PUT', '/v1/holders/me/key-backup', 1],
    ['the hand-over of the holder key', 'POST', '/v1/holders/me/key', 1],
    ['the backup of what was handed over', 'PUT', '/v1/holders/me/key-backup', 2],
    ['the challenge of the account', 'POST', '/v1/holders/me/account/challenge', 2],
    ['the registration of the account', 'PUT', '/v1/holders/me/account', 1],
  ])(
    'keys are complete after an interruption of %s: before it, after it, and with the tab',
    async (_name, method, path, which) => {
      for (const how of ['not sent', 'answer lost', 'tab closed'] as const) {
        const own = await world.browse();
        const email = `${how.replace(' ', '-')}-${which}-${method}-${path.split('/').at(-1)}@example.org`.toLowerCase();
        const { body: recipient } = await world.partner.rest('POST', '/v1/auth/initialize-user', { email });
        let page = await openLoggedIn(world, own, email);
        let seen = 0;
        const interrupt = async (route: Route): Promise<void> => {
          if (route.request().method() !== method || ++seen !== which) return route.continue();
          if (how === 'answer lost') await route.fetch();
          if (how === 'tab closed') await page.close();
          else await route.abort();
        };
        await own.context.route(`${world.url}${path}`, interrupt);
        const closed = how === 'tab closed' ? page.waitForEvent('close') : undefined;
        const code = await makeKeys(page);
        if (closed) {
          await closed;
          page = await own.open(world.origins.partner);
          await page.evaluate('core.init()');
        } else expect(await asked(page)).toMatchObject({ code: 4_900 });
        await own.context.unroute(`${world.url}${path}`, interrupt);
        await ask(page, 'eth_requestAccounts');
        const [account] = await given(page);
        const keys = openBackup(await backupOf(page), recipient.did, code);
        expect(keys.holderKeys).toHaveLength(2);
        const row = await holderOf(page);
        expect(row.abstractAccountAddress).toBe(account);
        expect(row.publicKey).toBe(recipient.publicKey);
        await own.close();
      }
    },
  );

  it('keys are restored in a wiped browser and on another site, by the recovery code alone', async () => {
    const email = 'again@example.org';
    const page = await openLoggedIn(world, browsing, email);
    const code = await makeKeys(page);
    const value = await given(page);
    for (const origin of [world.origins.partner, world.origins.shop]) {
      const own = await world.browse();
      const other = await openLoggedIn(world, own, email, origin);
      await ask(other, 'eth_requestAccounts');
      await enterRecoveryCode(other, 'AAAA BBBB CCCC DDDD EEEE FFFF GGGG HHHH');
      await (await approvalOf(other)).getByRole('alert').getByText('This recovery code is wrong').waitFor();
      expect(await accessFaults(other, world.url)).toEqual([]);
      await enterRecoveryCode(other, code.toLowerCase().replaceAll(' ', '-'));
      expect(await asked(other)).toEqual({ value });
      await other.waitForFunction('core.isWalletInitialized');
      expect(own.faults).toEqual([]);
      await own.close();
    }
  });

  it('keys are deleted from the browser by a logout, and another user of it gets their own', async () => {
    const page = await openLoggedIn(world, browsing, 'leaves@example.org');
    await makeKeys(page);
    const value = await given(page);
    await page.evaluate('core.logout()');
    await page.evaluate('void (window.result = tried(core.login()))');
    await enterCode(world, page, 'comes@example.org');
    await page.evaluate('result');
    await ask(page, 'eth_accounts');
    expect(await asked(page)).toEqual({ value: [] });
    await makeKeys(page);
    expect(await given(page)).not.toEqual(value);
    await page.evaluate('core.logout()');
    await page.evaluate('void (window.result = tried(core.login()))');
    await enterCode(world, page, 'leaves@example.org');
    await page.evaluate('result');
    await ask(page, 'eth_requestAccounts');
    await (await approvalOf(page)).getByRole('heading', { name: 'Enter your recovery code' }).waitFor();
  });

  it('keys last as long as the page if storage is denied', async () => {
    const denied = await world.browse('denied');
    const page = await openLoggedIn(world, denied, 'denied@example.org');
    await makeKeys(page);
    const value = await given(page);
    await ask(page, 'eth_requestAccounts');
    expect(await asked(page)).toEqual({ value });
    await denied.close();
  });

  it('keys last as long as the page if storage is full', async () => {
    await browsing.context.addInitScript(
      `IDBObjectStore.prototype.put = () => { throw new DOMException('full', 'QuotaExceededError'); }`,
    );
    const page = await openLoggedIn(world, browsing, 'full@example.org');
    await makeKeys(page);
    expect(await given(page)).toHaveLength(1);
  });

  it('keys of two browsers that create them at once are those of the first', async () => {
    const email = 'twice@example.org';
    const second = await world.browse();
    const [one, two] = [await openLoggedIn(world, browsing, email), await openLoggedIn(world, second, email)];
    await ask(one, 'eth_requestAccounts');
    await ask(two, 'eth_requestAccounts');
    await takeCode(two);
    await (await approvalOf(two)).getByLabel('Recovery code', { exact: true }).waitFor();
    const code = await keepRecoveryCode(one);
    const value = await given(one);
    await keepRecoveryCode(two);
    await enterRecoveryCode(two, code);
    expect(await asked(two)).toEqual({ value });
    await second.close();
  });

  it('keys on another device without a backup are replaced after a separate click, and so is the account', async () => {
    const email = 'elsewhere@example.org';
    await world.partner.rest('POST', '/v1/auth/initialize-user', { email });
    const headers = { authorization: `Bearer ${await logIn(world.gateway, world.partner, email)}` };
    const device = generateKeyPairSync('x25519').publicKey.export({ format: 'der', type: 'spki' }).toString('hex');
    await world.gateway.rest('POST', '/v1/holders/me/key', { body: { devicePublicKey: `0x${device}` }, headers });
    const key = await makeKey();
    const gql = (query: string, variables?: Record<string, unknown>) => world.gateway.gql(query, variables, headers);
    await register({ gql }, key.address, (message) => key.sign(message));
    const page = await openLoggedIn(world, browsing, email);
    const before = await accountOf(page);
    await makeKeys(page);
    await (await approvalOf(page)).getByRole('heading', { name: 'Make a new key for credentials' }).waitFor();
    await approve(page);
    await (await approvalOf(page)).getByRole('heading', { name: 'Replace your account' }).waitFor();
    await approve(page);
    const [account] = await given(page);
    expect(account).not.toBe(before);
    expect(await accountOf(page)).toBe(account);
  });

  it('screens about keys have no faults of accessibility, light and dark', async () => {
    const page = await openLoggedIn(world, browsing, 'access@example.org');
    await ask(page, 'eth_requestAccounts');
    await approvable(page);
    expect(await accessFaults(page, world.url)).toEqual([]);
    await page.keyboard.press('Escape');
    expect(await asked(page)).toMatchObject({ code: 4_001 });
    expect(await backupOf(page)).toBeNull();
  });

  it.each([
    [
      'another holder’s key',
      '/v1/holders/me/key',
      { did: 'did:core:id:testnet:other', publicKey: '0x', wrappedKey: null },
    ],
    ['a challenge for another account', '/v1/holders/me/account/challenge', { challengeId: 'x', message: 'Register' }],
  ])('keys are not disclosed to a gateway that responds with %s', async (_name, path, body) => {
    const page = await openLoggedIn(world, browsing, `hostile-${path.split('/').at(-1)}@example.org`);
    await browsing.context.route(`${world.url}${path}`, (route) => route.fulfill({ json: body }));
    await ask(page, 'eth_requestAccounts');
    await keepRecoveryCode(page);
    expect(await asked(page)).toMatchObject({ code: -32_603 });
    expect(await accountOf(page)).toBeUndefined();
  });
});
