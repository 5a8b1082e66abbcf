// A hostile page: what it sends to the wallet ends its connection, and what it can read contains no session.

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../support/chromium.js';
import { encodingsOf, SPY, seenBy } from './spy.js';
import { type Browsing, enterCode, type SdkWorld, startSdkWorld } from './world.js';

const CALL = "namespace: 'penpal', channel: undefined, type: 'CALL', id: 'x'";
const deep = 'Array.from({ length: 100 }).reduce((inner) => ({ inner }), {})';

describe.skipIf(CHROMIUM === undefined)('A hostile page', () => {
  let world: SdkWorld;
  let browsing: Browsing;
  beforeAll(async () => {
    world = await startSdkWorld();
    browsing = await world.browse();
    await browsing.context.addInitScript(SPY);
  });
  afterAll(() => world?.close());

  const start = async (): Promise<Page> => {
    const page = await browsing.open(world.origins.partner);
    await page.evaluate('core.init()');
    return page;
  };

  it.each([
    ['a method that is none', `{ ${CALL}, methodPath: ['eval'], args: [] }`],
    ['a method of every object', `{ ${CALL}, methodPath: ['constructor'], args: [] }`],
    ['a path into a method', `{ ${CALL}, methodPath: ['login', 'call'], args: [{}] }`],
    ['other parameters', `{ ${CALL}, methodPath: ['login'], args: ['now'] }`],
    ['too many parameters', `{ ${CALL}, methodPath: ['logout'], args: [1] }`],
    ['300,000 characters', `{ ${CALL}, methodPath: ['login'], args: [{ authToken: 'x'.repeat(300_000) }] }`],
    ['a hundred objects in each other', `{ ${CALL}, methodPath: ['login'], args: [${deep}] }`],
    ['what is no plain data', `{ ${CALL}, methodPath: ['login'], args: [new Map([['authToken', 'x']])] }`],
  ])('a page that sends %s loses its connection', async (_name, message) => {
    const page = await start();
    await page.evaluate(`port.postMessage(${message})`);
    await expect.poll(() => page.evaluate('tried(core.getAccessToken())')).toMatchObject({ name: 'CLIENT_ERROR' });
    expect(await page.evaluate('document.querySelector("dialog").open')).toBe(false);
    await page.close();
  });

  it('a page gets no second connection', async () => {
    const page = await start();
    await page.evaluate(`received.length = 0;
      document.querySelector('iframe').contentWindow.postMessage(
        { namespace: 'penpal', channel: undefined, type: 'SYN', participantId: '0' }, '*')`);
    // The frame handles messages in their order, so it has handled the earlier one when this one is answered.
    expect(await page.evaluate('tried(core.updateSessionConfig({}))')).toHaveProperty('value');
    expect(await page.evaluate("received.filter(({ type }) => type === 'SYN' || type === 'ACK1')")).toEqual([]);
    await page.close();
  });

  it('a page that requests a thousand logins gets one', async () => {
    const page = await start();
    const names = await page.evaluate(`(async () => {
      const logins = Array.from({ length: 1_000 }, () => tried(core.login()));
      await new Promise((resolve) => { const look = () => document.querySelector('dialog').open ? resolve() : setTimeout(look, 20); look(); });
      document.querySelector('dialog').close();
      return [...new Set((await Promise.all(logins)).map(({ name }) => name))];
    })()`);
    expect(names).toEqual(['USER_CANCELLED']);
    await page.close();
  });

  it('a page finds the session token nowhere: not in messages, storage or the document', async () => {
    const page = await start();
    await page.evaluate('void (window.result = tried(core.login()))');
    await enterCode(world, page, 'canary@example.org');
    await page.evaluate('result.then(() => core.getUserInfo()).then(() => core.getAccessToken())');
    const frame = page.frames().find((one) => one.url().startsWith(world.url));
    const token = (await frame?.evaluate(
      "JSON.parse(localStorage.getItem(Object.keys(localStorage).find((key) => key.endsWith('.session')))).result.token",
    )) as string;
    expect(token).toMatch(/^ey/);
    const seen = await seenBy(page);
    // The search finds the page token, so it would find a session token, too.
    expect(seen).toContain('"token":"ey');
    const secret = token.split('.').at(-1) ?? '';
    expect(encodingsOf(secret).filter((text) => seen.includes(text))).toEqual([]);
    await page.close();
  });
});
