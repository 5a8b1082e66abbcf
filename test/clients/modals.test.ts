// The wallet inside modals of libraries for pages, which make everything outside their own modal dead, or silent for screen readers.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browsing, type SdkWorld, startSdkWorld, walletOf } from '../sdk/world.js';
import { CHROMIUM } from '../support/chromium.js';

const LIBRARIES = ['radix', 'react-aria', 'floating-ui', 'mui', 'base-ui', 'headless'] as const;

interface AccessNode {
  nodeId: string;
  parentId?: string;
  ignored: boolean;
  role?: { value: string };
  name?: { value: string };
}

describe.skipIf(CHROMIUM === undefined)('The wallet inside a modal of the page', () => {
  let world: SdkWorld;
  let browsing: Browsing;
  let modals: string;
  beforeAll(async () => {
    world = await startSdkWorld();
    browsing = await world.browse();
    const bundler = '../../tools/bundle-client.mjs';
    const { bundleForWeb } = (await import(bundler)) as {
      bundleForWeb(input: object, options: object, define: object, plugins: object[]): Promise<Map<string, string>>;
    };
    const options = { codeSplitting: false, entryFileNames: '[name].js' };
    const define = { 'process.env.NODE_ENV': '"production"' };
    // Hundreds of files begin with "use client", which the bundler would name one by one.
    const quiet = {
      name: 'quiet',
      onLog: (_level: string, { code }: { code?: string }) => code !== 'MODULE_LEVEL_DIRECTIVE',
    };
    const files = await bundleForWeb({ modals: 'test/clients/page/modals.mjs' }, options, define, [quiet]);
    modals = files.get('modals.js') ?? '';
  });
  afterAll(() => world?.close());

  /** A page whose modal has asked for a login. */
  async function ask(library: string): Promise<Page> {
    const page = await browsing.open(world.origins.partner, {
      body: '<main>Page</main>',
      script: 'window.begin = () => void (window.result = tried(core.login()));',
    });
    await page.addScriptTag({ content: modals, type: 'module' });
    await page.waitForFunction('window.showModal !== undefined');
    await page.evaluate('core.init()');
    await page.evaluate(`showModal('${library}')`);
    await page.getByRole('button', { name: 'Log in' }).click();
    await walletOf(page).getByLabel('E-mail address').waitFor();
    return page;
  }

  /** Whether screen readers are told of the wallet's frame: neither it nor what is around it is hidden. */
  async function isSpoken(page: Page): Promise<boolean> {
    const session = await page.context().newCDPSession(page);
    const { nodes } = (await session.send('Accessibility.getFullAXTree')) as { nodes: AccessNode[] };
    const frame = nodes.find(({ role, name }) => role?.value === 'Iframe' && name?.value === 'Wallet');
    const dialog = nodes.find(({ role, name }) => role?.value === 'dialog' && name?.value === 'Wallet');
    return frame !== undefined && !frame.ignored && dialog !== undefined && !dialog.ignored;
  }

  it.each(LIBRARIES)('of %s is used by mouse, by keyboard and by screen readers', async (library) => {
    const page = await ask(library);
    expect(await isSpoken(page)).toBe(true);
    const field = walletOf(page).getByLabel('E-mail address');
    await walletOf(page).locator('input:focus').waitFor();
    await page.keyboard.type(`${library}@example.org`);
    expect(await field.inputValue()).toBe(`${library}@example.org`);
    // Where the button is, the wallet has the click.
    const send = walletOf(page).getByRole('button', { name: 'Send code' });
    await send.click();
    await walletOf(page).getByRole('heading', { name: 'Enter the code' }).waitFor();
    await walletOf(page).locator('input:focus').waitFor();
    await page.keyboard.press('Escape');
    expect(await page.evaluate('result')).toMatchObject({ name: 'USER_CANCELLED' });
    expect(await page.getByRole('button', { name: 'Log in' }).isVisible()).toBe(true);
    await page.close();
  });

  it('stays alive when a library marks the dialog itself later', async () => {
    const page = await ask('radix');
    for (const attribute of ['inert', 'aria-hidden']) {
      await page.evaluate(`document.querySelector('dialog[aria-label="Wallet"]').setAttribute('${attribute}', 'true')`);
      await page.waitForFunction(`!document.querySelector('dialog[aria-label="Wallet"]').hasAttribute('${attribute}')`);
    }
    await walletOf(page).getByLabel('E-mail address').fill('later@example.org');
    await walletOf(page).getByRole('button', { name: 'Send code' }).click();
    await walletOf(page).getByRole('heading', { name: 'Enter the code' }).waitFor();
    await page.close();
  });
});
