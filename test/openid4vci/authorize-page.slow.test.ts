// The page of the authorization endpoint in a browser: by keyboard alone, on a phone, in both themes, to a page and to an app.
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { CHROMIUM, openPage, startChromium } from '../support/chromium.js';
import { LIMIT_MS } from '../support/limited-page.js';
import { EMAIL, type Membership, startMembership } from '../support/membership.js';
import { Authorizing, codeFor, mailsOf, newPkce, PUBLIC } from './authorizing.js';
import { TestWallet } from './wallet.js';

const FITS = 'document.documentElement.scrollWidth <= innerWidth';
/** Runs axe; what it finds, a line each. */
const AXE = `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
  .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html.slice(0, 200)))`;

describe.skipIf(CHROMIUM === undefined)('The page on which a user lets a wallet have a credential', () => {
  let world: Membership;
  let at: Authorizing;
  let browser: Browser;
  beforeAll(async () => {
    world = await startMembership({ env: { PUBLIC_URL: PUBLIC } });
    at = new Authorizing(world.gateway.url);
    browser = await startChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await world?.gateway.close();
  });

  /** Opens the page for a new offer. `faults` are errors of the console, such as those of the policy. */
  async function open(redirectUri: string, email = EMAIL): Promise<{ page: Page; faults: string[] }> {
    const { body } = await world.partner('POST', '/v1/offers', {
      ...{ issuerDid: world.issuerDid, credentialId: 'member', email, txCode: 'partner' },
      credentialSubject: { level: 7, since: '2024-01-01' },
    });
    const { body: offer } = await TestWallet.offerAt(body.offerUri, at.own);
    const parameters = at.parameters(newPkce().challenge, {
      ...{ issuer_state: offer.grants.authorization_code.issuer_state, redirect_uri: redirectUri },
    });
    const { body: pushed } = await at.push(parameters);
    const context = await browser.newContext({ viewport: { width: 390, height: 800 } });
    onTestFinished(() => context.close());
    context.setDefaultTimeout(LIMIT_MS);
    const page = await context.newPage();
    const faults: string[] = [];
    context.on('console', (message) => faults.push(message.text()));
    await context.route('https://wallet.example/**', (route) => route.fulfill({ body: 'Back in the wallet.' }));
    const query = new URLSearchParams({ client_id: 'wallet.example', request_uri: pushed.request_uri });
    // As a wallet that is a page sends its user: from another site.
    await page.goto('https://wallet.example/start');
    await page.evaluate(`location.href = '${world.gateway.url}/oid4vci/club/authorize?${query}'`);
    await page.locator('#email:focus').waitFor();
    return { page, faults };
  }

  /** What is wrong with the page as it is, in both themes. */
  async function looked(page: Page, name: string): Promise<string[]> {
    const found: string[] = [];
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.evaluate(axe.source);
      found.push(...((await page.evaluate(AXE)) as string[]).map((fault) => `${colorScheme} ${name}: ${fault}`));
      if (!(await page.evaluate(FITS))) found.push(`${colorScheme} ${name}: wider than the window`);
      if (process.env.SCREENSHOTS)
        await page.screenshot({
          path: `${process.env.SCREENSHOTS}/authorize-${name}-${colorScheme}.png`,
          fullPage: true,
        });
    }
    return found;
  }

  it('by keyboard alone, to a page of a wallet, without a fault that axe finds', async () => {
    const { page, faults } = await open('https://wallet.example/cb');
    await page.getByRole('heading', { name: 'Member for your wallet' }).waitFor();
    expect(await looked(page, 'email')).toEqual([]);
    await page.keyboard.type(EMAIL);
    await page.keyboard.press('Enter');
    await page.locator('#code:focus').waitFor();
    expect(await looked(page, 'code')).toEqual([]);
    const right = await codeFor(world, EMAIL);
    await page.keyboard.type(right === '000000' ? '000001' : '000000');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('The code is wrong; 4 tries are left.').waitFor();
    await page.locator('#code:focus').waitFor();
    expect(await looked(page, 'wrong')).toEqual([]);
    await page.keyboard.type(right);
    await page.keyboard.press('Enter');
    await page.getByText('You are logged in.').waitFor();
    expect(await looked(page, 'agree')).toEqual([]);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Agree, and open wallet.example');
    await page.keyboard.press('Enter');
    await page.getByText('Back in the wallet.').waitFor();
    expect(new URL(page.url()).searchParams.get('code')).toMatch(/^[\w-]{43}$/);
    expect(faults).toEqual([]);
  });

  it('the code is typed with spaces, below the address that it was mailed to, and another address begins with that one', async () => {
    const { page } = await open('https://wallet.example/cb');
    await page.keyboard.type('typo@example.org');
    await page.keyboard.press('Enter');
    await page.getByText('A code was mailed to typo@example.org.').waitFor();
    await page.getByRole('link', { name: 'Use another address' }).click();
    await page.locator('#email:focus').waitFor();
    expect(await page.locator('#email').inputValue()).toBe('typo@example.org');
    await page.locator('#email').fill(EMAIL);
    await page.keyboard.press('Enter');
    const code = page.locator('#code:focus');
    await code.fill('000 000');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await page.getByText(`A code was mailed to ${EMAIL}.`).waitFor();
    await code.fill(` ${(await codeFor(world, EMAIL)).replace(/(?=...$)/, ' ')}`);
    await page.keyboard.press('Enter');
    await page.getByText('You are logged in.').waitFor();
  });

  it('is loaded again at each step, goes back and forward, and is clicked twice: one mail, and the wallet gets its code', async () => {
    const email = 'reload@example.org';
    const { page, faults } = await open('https://wallet.example/cb', email);
    await page.reload();
    await page.locator('#email').fill(email);
    await page.getByRole('button', { name: 'Mail me a code' }).dblclick();
    await page.getByText(`A code was mailed to ${email}.`).waitFor();
    await page.reload();
    await page.getByText(`A code was mailed to ${email}.`).waitFor();
    await page.getByRole('link', { name: 'Use another address' }).click();
    await page.locator('#email').waitFor();
    await page.goBack();
    await page.locator('#code').waitFor();
    await page.goForward();
    await page.locator('#email').waitFor();
    await page.goBack();
    expect(await mailsOf(world, email)).toBe(1);
    // A tab that was discarded is loaded again from its address.
    const tab = await page.context().newPage();
    const address = page.url();
    await page.close();
    await tab.goto(address);
    const code = await codeFor(world, email);
    await tab.locator('#code').fill(code === '000000' ? '000001' : '000000');
    await tab.keyboard.press('Enter');
    await tab.getByRole('alert').waitFor();
    await tab.reload();
    await tab.locator('#code').waitFor();
    expect(await tab.getByRole('alert').count()).toBe(0);
    await tab.locator('#code').fill(code);
    await tab.getByRole('button', { name: 'Log in' }).dblclick();
    await tab.getByText('You are logged in.').waitFor();
    await tab.reload();
    await tab.getByRole('link', { name: 'Agree, and open wallet.example' }).dblclick();
    await tab.getByText('Back in the wallet.').waitFor();
    expect(new URL(tab.url()).searchParams.get('code')).toMatch(/^[\w-]{43}$/);
    await tab.goBack();
    await tab.getByText('You are logged in.').waitFor();
    expect([await mailsOf(world, email), faults]).toEqual([1, []]);
  });

  it('is clicked twice at "Cancel": the wallet learns it, and the way back shows the way to the wallet', async () => {
    const { page } = await open('https://wallet.example/cb', 'cancel@example.org');
    await page.getByRole('link', { name: 'Cancel' }).dblclick();
    await page.getByText('Back in the wallet.').waitFor();
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
    await page.goBack();
    await page.getByRole('link', { name: 'Open wallet.example' }).click();
    await page.getByText('Back in the wallet.').waitFor();
    expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
  });

  it('is shown to its browser when another site sends it there, and to no other browser', async () => {
    const { page } = await open('https://wallet.example/cb', 'page@example.org');
    const address = page.url();
    await page.goto('https://wallet.example/start');
    await page.evaluate(`location.href = ${JSON.stringify(address)}`);
    await page.locator('#email').waitFor();
    const other = await openPage(browser);
    onTestFinished(() => other.close());
    await other.goto(address);
    await other.getByRole('alert').getByText('Start again in your wallet.').waitFor();
  });

  it('follows the text size of the browser, on a phone', async () => {
    const { page } = await open('https://wallet.example/cb');
    await page.setViewportSize({ width: 320, height: 640 });
    await page.evaluate("document.documentElement.style.fontSize = '200%'");
    expect(await page.evaluate('getComputedStyle(document.body).fontSize')).toBe('34px');
    expect(await page.evaluate(FITS)).toBe(true);
  });

  it('to an app: its policy does not stop the redirect', async () => {
    const email = 'app@example.org';
    const { page, faults } = await open('org.example.wallet:/authorize', email);
    await page.keyboard.type(email);
    await page.keyboard.press('Enter');
    await page.locator('#code:focus').waitFor();
    await page.keyboard.type(await codeFor(world, email));
    await page.keyboard.press('Enter');
    const link = page.getByRole('link', { name: 'Agree, and open the app for org.example.wallet: links' });
    await link.waitFor();
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    const redirected = new Promise<string>((resolve) => {
      session.on('Network.responseReceivedExtraInfo', ({ statusCode, headers }) => {
        if (statusCode === 303) resolve(headers.location ?? headers.Location ?? '');
      });
    });
    await link.press('Enter');
    expect(await redirected).toMatch(/^org\.example\.wallet:\/authorize\?code=/);
    expect(faults.filter((text) => /policy/i.test(text))).toEqual([]);
    // The page stays, for a browser that asked first whether it may open the app.
    expect(await link.isVisible()).toBe(true);
  });

  it('a request that cannot be shown has a way back to its wallet', async () => {
    const page = await openPage(browser, { viewport: { width: 390, height: 800 } });
    onTestFinished(() => page.close());
    const parameters = at.parameters(newPkce().challenge, { issuer_state: 'A'.repeat(43) });
    await page.goto(`${world.gateway.url}/oid4vci/club/authorize?${new URLSearchParams(parameters)}`);
    await page.getByRole('alert').getByText('The offer has expired, was taken, or was withdrawn.').waitFor();
    expect(await looked(page, 'refused')).toEqual([]);
    await page.route('https://wallet.example/**', (route) => route.fulfill({ body: 'Back in the wallet.' }));
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('Back in the wallet.').waitFor();
    expect(new URL(page.url()).searchParams.get('error')).toBe('invalid_grant');
  });
});
