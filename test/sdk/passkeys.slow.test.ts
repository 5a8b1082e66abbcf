// Passkeys in the frame: one touch on a new site opens the keys and proves, and nothing but the frame has what the passkey's PRF gives.
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { chainEnvOf } from '../chain/support.js';
import { ANVIL, startChain, type TestChain } from '../support/anvil.js';
import { CHROMIUM } from '../support/chromium.js';
import { issueNote } from './note.js';
import { SPY, seenBy } from './spy.js';
import { addAuthenticator, CREATE, deviceOf, touch, USE, WATCH, wipe } from './touch.js';
import {
  accessFaults,
  approvable,
  approvalOf,
  approve,
  ask,
  asked,
  type Browsing,
  enterRecoveryCode,
  given,
  keepRecoveryCode,
  logIn,
  openLoggedIn,
  type SdkWorld,
  startSdkWorld,
} from './world.js';

describe.skipIf(CHROMIUM === undefined || ANVIL === undefined)('A passkey', () => {
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

  const collection = (name: string) => world.gateway.app.connection.collection(name);
  const isMFASetup = (page: Page) => page.evaluate('core.getUserInfo().then(({ user }) => user.isMFASetup)');
  // biome-ignore lint/suspicious/noExplicitAny: a row of the store.
  const backupOf = async (page: Page): Promise<any> => {
    const _id = await page.evaluate('core.getUserInfo().then(({ user }) => user.id)');
    return collection('keyBackups').findOne({ _id } as never);
  };
  const waysOf = async (page: Page) => (await backupOf(page)).wraps.map(({ kind }: { kind: string }) => kind).sort();
  /** No session has proved anything any more. */
  const unprove = () => collection('sessions').updateMany({}, { $unset: { provedAt: 1 } });
  const setUp = (page: Page) => page.evaluate('void (window.mfa = tried(core.setupOrUpdateMfa()))');
  const mfa = (page: Page) => page.evaluate('mfa');
  const listed = async (page: Page) =>
    (await approvalOf(page)).getByRole('heading', { name: 'Your passkeys' }).waitFor();
  const click = async (page: Page, name: string | RegExp) =>
    (await approvalOf(page)).locator('button[aria-disabled="false"]', { hasText: name }).click();
  const press = async (page: Page, name: string | RegExp): Promise<void> => {
    await listed(page);
    await click(page, name);
  };

  it('opens the same keys by one touch on a second site and in a wiped browser, and nobody else has its PRF output', async () => {
    const email = 'touch@example.org';
    await browsing.context.addInitScript(WATCH);
    await browsing.context.addInitScript(SPY);
    const said: string[] = [];
    browsing.context.on('console', (message) => void said.push(message.text()));
    browsing.context.on('request', (request) => void said.push(request.url(), request.postData() ?? ''));
    const watched = async () => {
      const frame = page.frames().find((one) => one.url().startsWith(world.url));
      if (frame === undefined) throw new Error('the page has no frame');
      const outputs = (await deviceOf(page).evaluate('outputs')) as string[];
      const sent = [await frame.evaluate('sent'), await page.evaluate('sent')] as string[][];
      return { outputs, sent: sent.flat() };
    };
    const page = await openLoggedIn(world, browsing, email);
    await addAuthenticator(page);
    await page.evaluate(
      'core.on((event) => { if (event.event === "wallet_initialized") window.initialized = event.result; })',
    );
    await ask(page, 'eth_requestAccounts');
    await (await approvalOf(page)).getByRole('heading', { name: CREATE }).waitFor();
    await approvable(page);
    expect(await accessFaults(page, world.url)).toEqual([]);
    await touch(page, CREATE);
    const value = await given(page);
    await page.waitForFunction('window.initialized !== undefined');
    expect(await page.evaluate('initialized')).toEqual({ abstractAccountAddress: value[0], isMFASetup: true });
    expect(await waysOf(page)).toEqual(['passkey']);
    await issueNote(world, email, 'to be read on each site');
    const seen = [await watched()];
    for (const place of ['second site', 'wiped browser']) {
      if (place === 'wiped browser') await wipe(page, world.url);
      await browsing.go(page, world.origins.shop);
      await unprove();
      await logIn(world, page, email);
      await ask(page, 'eth_requestAccounts');
      await touch(page, USE);
      expect([place, await asked(page)]).toEqual([place, { value }]);
      await ask(page, 'personal_sign', ['0x68656c6c6f', value[0]]);
      await (await approvalOf(page)).getByRole('heading', { name: 'Sign a message' }).waitFor();
      await approve(page);
      expect(await given(page)).toMatch(/^0x[0-9a-f]{130,}$/i);
      const options = JSON.stringify({ authToken: await world.partner.token({}, 'verify'), programId: 'note' });
      await page.evaluate(`void (window.result = tried(core.verifyCredential(${options})))`);
      await (await approvalOf(page)).getByText('is there').waitFor();
      await page.keyboard.press('Escape');
      expect(await page.evaluate('result')).toMatchObject({ name: 'USER_CANCELLED' });
      // The touch has proved, too: this takes no other one.
      expect(await collection('sessions').countDocuments({ provedAt: { $exists: true } })).toBe(1);
      seen.push(await watched());
    }
    const outputs = [...new Set(seen.flatMap((one) => one.outputs))];
    expect(outputs).toHaveLength(1);
    const all = [...seen.flatMap((one) => one.sent), await seenBy(page), ...said].join('\n');
    expect(all).toContain(value[0]);
    const bytes = Buffer.from(outputs[0] ?? '', 'base64');
    const forms = ['base64', 'base64url', 'hex'].map((form) => bytes.toString(form as BufferEncoding));
    expect([...forms, [...bytes].join(',')].filter((form) => all.includes(form))).toEqual([]);
    expect(browsing.faults).toEqual([]);
  });

  it('without PRF is a second factor, and the recovery code opens the keys', async () => {
    const email = 'plain@example.org';
    const page = await openLoggedIn(world, browsing, email);
    await addAuthenticator(page, { hasPrf: false });
    await ask(page, 'eth_requestAccounts');
    await touch(page, CREATE);
    const code = await keepRecoveryCode(page);
    const value = await given(page);
    expect([await isMFASetup(page), await waysOf(page)]).toEqual([true, ['recovery']]);
    await browsing.go(page, world.origins.shop);
    await logIn(world, page, email);
    await ask(page, 'eth_requestAccounts');
    await enterRecoveryCode(page, code);
    expect(await asked(page)).toEqual({ value });
  });

  it('is made without PRF where the authenticator refuses one with it', async () => {
    await browsing.context.addInitScript(`
      const { create } = CredentialsContainer.prototype;
      CredentialsContainer.prototype.create = function (options) {
        if (!options.publicKey.extensions?.prf) return create.call(this, options);
        if (!options.publicKey.extensions.prf.eval?.first) throw new Error('no input');
        return Promise.reject(new DOMException('refused', 'UnknownError'));
      };`);
    const page = await openLoggedIn(world, browsing, 'refuses@example.org');
    await addAuthenticator(page);
    await ask(page, 'eth_requestAccounts');
    await touch(page, CREATE);
    await keepRecoveryCode(page);
    expect(await asked(page)).toEqual({ value: [expect.any(String)] });
    expect(await isMFASetup(page)).toBe(true);
  });

  it('may be touched again after the user has cancelled', async () => {
    const page = await openLoggedIn(world, browsing, 'again@example.org');
    await addAuthenticator(page);
    await deviceOf(page).evaluate(`{
      const { create } = CredentialsContainer.prototype;
      let isFirst = true;
      CredentialsContainer.prototype.create = function (options) {
        if (!isFirst) return create.call(this, options);
        isFirst = false;
        return Promise.reject(new DOMException('cancelled', 'NotAllowedError'));
      };
    }`);
    await ask(page, 'eth_requestAccounts');
    await touch(page, CREATE);
    await (await approvalOf(page)).getByRole('alert').getByText('The passkey was not used').waitFor();
    await touch(page, CREATE);
    expect(await asked(page)).toEqual({ value: [expect.any(String)] });
  });

  it('is added, listed and removed by setupOrUpdateMfa, which also makes a new recovery code; one way in stays', async () => {
    const email = 'manages@example.org';
    const page = await openLoggedIn(world, browsing, email);
    await ask(page, 'eth_requestAccounts');
    const first = await keepRecoveryCode(page);
    const value = await given(page);
    await setUp(page);
    await listed(page);
    await page.keyboard.press('Escape');
    expect(await mfa(page)).toMatchObject({ name: 'USER_CANCELLED' });
    await addAuthenticator(page);
    await setUp(page);
    await press(page, 'Add a passkey');
    await touch(page, CREATE);
    await listed(page);
    await (await approvalOf(page)).getByText('Added').waitFor();
    expect(await accessFaults(page, world.url)).toEqual([]);
    expect([await isMFASetup(page), await waysOf(page)]).toEqual([true, ['passkey', 'recovery']]);
    await press(page, 'Make a new recovery code');
    const second = await keepRecoveryCode(page);
    await press(page, 'Done');
    expect(await mfa(page)).toEqual({ value: undefined });
    expect(second).not.toBe(first);

    // On another site by the new code; a change then asks for the touch that this session has not made.
    await browsing.go(page, world.origins.shop);
    await logIn(world, page, email);
    await ask(page, 'eth_requestAccounts');
    await (await approvalOf(page)).getByRole('heading', { name: USE }).waitFor();
    await click(page, 'Use the recovery code');
    await enterRecoveryCode(page, first);
    await (await approvalOf(page)).getByRole('alert').getByText('This recovery code is wrong').waitFor();
    await enterRecoveryCode(page, second);
    expect(await asked(page)).toEqual({ value });
    await unprove();
    await setUp(page);
    await press(page, 'Remove');
    await (await approvalOf(page)).getByRole('listitem').waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    expect(await mfa(page)).toMatchObject({ name: 'USER_CANCELLED' });
    expect([await isMFASetup(page), await waysOf(page)]).toEqual([false, ['recovery']]);
  });

  it('that is the last way in cannot be removed, and a change asks for its touch', async () => {
    const page = await openLoggedIn(world, browsing, 'last@example.org');
    await addAuthenticator(page);
    await setUp(page);
    await touch(page, CREATE);
    expect(await mfa(page)).toEqual({ value: undefined });
    await setUp(page);
    await (await approvalOf(page)).getByText('The last way in').waitFor();
    expect(await (await approvalOf(page)).getByRole('button', { name: /^Remove/ }).count()).toBe(0);
    await unprove();
    await press(page, 'Make a recovery code');
    await keepRecoveryCode(page);
    await touch(page, USE);
    await listed(page);
    expect(await waysOf(page)).toEqual(['passkey', 'recovery']);
    // Closed with a passkey: done.
    await page.keyboard.press('Escape');
    expect(await mfa(page)).toEqual({ value: undefined });
  });

  it('is made in a window, also if the page denies its frames passkeys', async () => {
    const headers = { 'permissions-policy': 'publickey-credentials-create=(), publickey-credentials-get=()' };
    const page = await browsing.open(world.origins.partner, { headers });
    await logIn(world, page, 'window@example.org');
    await addAuthenticator(page);
    await ask(page, 'eth_requestAccounts');
    await touch(page, CREATE);
    expect(await asked(page)).toEqual({ value: [expect.any(String)] });
    expect([await isMFASetup(page), await waysOf(page)]).toEqual([true, ['passkey']]);
  });

  it('cannot be had without WebAuthn, and one that is the only way in says so', async () => {
    const email = 'without@example.org';
    const page = await openLoggedIn(world, browsing, email);
    await addAuthenticator(page);
    await ask(page, 'eth_requestAccounts');
    await touch(page, CREATE);
    await asked(page);
    const bare = await world.browse();
    await bare.context.addInitScript('delete window.PublicKeyCredential');
    const other = await openLoggedIn(world, bare, email);
    await setUp(other);
    expect(await mfa(other)).toMatchObject({ name: 'PASSKEY_AUTHENTICATION_FAILED' });
    await other.evaluate('core.logout()');
    await logIn(world, other, 'nobody-yet@example.org');
    await setUp(other);
    await keepRecoveryCode(other);
    await press(other, 'Add a passkey');
    expect(await mfa(other)).toMatchObject({ name: 'PASSKEY_REGISTRATION_FAILED' });
    await bare.close();
  });
});
