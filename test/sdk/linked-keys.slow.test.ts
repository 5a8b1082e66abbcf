// Keys on a page to which a link from another partner's page led: what the gateway still has is handed over after a mailed code alone.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chainEnvOf } from '../chain/support.js';
import { ANVIL, startChain, type TestChain } from '../support/anvil.js';
import { CHROMIUM } from '../support/chromium.js';
import {
  approve,
  ask,
  asked,
  type Browsing,
  keepRecoveryCode,
  openLoggedIn,
  type SdkWorld,
  startSdkWorld,
  walletOf,
} from './world.js';

const EMAIL = 'alma@example.org';

describe.skipIf(CHROMIUM === undefined || ANVIL === undefined)('The key of a user without a device', () => {
  let world: SdkWorld;
  let chain: TestChain;
  let browsing: Browsing;
  beforeAll(async () => {
    chain = await startChain();
    world = await startSdkWorld({ env: (await chainEnvOf(chain)).env });
    browsing = await world.browse();
  });
  afterAll(async () => {
    await browsing?.close();
    await world?.close();
    await chain?.close();
  });

  it('is handed over after a link once the user has entered a mailed code, and the session of the link ends', async () => {
    await world.partner.rest('POST', '/v1/auth/initialize-user', { email: EMAIL });
    const origin = world.site('bank');
    const bank = await world.addPartner('Bank', [origin]);
    const page = await openLoggedIn(world, browsing, EMAIL);
    const url = origin + browsing.put({ partnerId: bank.partnerId });
    await page.evaluate(`void (window.link = tried(core.goToPartner(${JSON.stringify(url)})))`);
    await approve(page);
    const { value } = (await page.evaluate('link')) as { value: { urlWithToken: string } };
    const redeemed = browsing.context.waitForEvent('response', (response) => response.url().endsWith('/redeem'));
    const target = await browsing.context.newPage();
    await target.goto(value.urlWithToken);
    await target.waitForFunction('window.core !== undefined');
    await target.evaluate('void (window.started = tried(core.init()))');
    const { token } = await (await redeemed).json();
    await approve(target);
    await target.evaluate('started');
    const second = await browsing.open(origin, { partnerId: bank.partnerId });
    expect(await second.evaluate('core.init()')).toMatchObject({ isLoggedIn: true });
    await ask(target, 'eth_requestAccounts');
    const wallet = walletOf(target);
    expect(await wallet.getByLabel('E-mail address').inputValue()).toBe(EMAIL);
    await wallet.getByRole('button', { name: 'Send code' }).click();
    await wallet.getByRole('heading', { name: 'Enter the code' }).waitFor();
    await wallet.getByLabel('Code', { exact: true }).fill(await world.codeFor(EMAIL));
    await wallet.getByRole('button', { name: 'Log in' }).click();
    await keepRecoveryCode(target);
    expect(await asked(target)).toEqual({ value: [expect.stringMatching(/^0x/)] });
    expect((await world.gateway.app.services.holders.byEmail(EMAIL))?.sealedPrivateKey).toBeNull();
    // The other tab goes on with the new session, and does not end it.
    for (const tab of [second, target])
      expect(await tab.evaluate('core.getUserInfo().then(({ user }) => user.email)')).toBe(EMAIL);
    const headers = { authorization: `Bearer ${token}` };
    await expect.poll(async () => (await world.gateway.rest('GET', '/v1/holders/me', { headers })).status).toBe(403);
  });
});
