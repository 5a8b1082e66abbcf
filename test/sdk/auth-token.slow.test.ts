// Partner tokens in the client library: one speaks for one partner, and for one person if it names one, in every operation that takes one.

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM } from '../support/chromium.js';
import { type Browsing, enterCode, openLoggedIn, type SdkWorld, startSdkWorld } from './world.js';

const EMAIL = 'ada@b\u00fccher.example';
const ISSUED = { issuerDid: 'did:web:x.example', credentialId: 'member', credentialSubject: {} };

describe.skipIf(CHROMIUM === undefined)('A partner token', () => {
  let world: SdkWorld;
  let browsing: Browsing;
  let page: Page;
  let id: string;
  beforeAll(async () => {
    world = await startSdkWorld();
    browsing = await world.browse();
    page = await openLoggedIn(world, browsing, EMAIL);
    ({ id } = (await page.evaluate('core.login()')) as { id: string });
  });
  afterAll(() => world?.close());

  /** Every operation that takes a token. */
  const operations = (token: string): Record<string, string> => ({
    login: `core.login({ authToken: '${token}' })`,
    issueCredential: `core.issueCredential(${JSON.stringify({ ...ISSUED, authToken: token })})`,
    verifyCredential: `core.verifyCredential({ authToken: '${token}', programId: 'p' })`,
    claimCoreId: `core.claimCoreId({ background: true, token: '${token}' })`,
  });
  /** The errors of all operations, and whether a dialog was open meanwhile. */
  async function errorsOf(token: string): Promise<unknown[]> {
    const errors: unknown[] = [];
    for (const call of Object.values(operations(token)))
      errors.push(await page.evaluate(`tried(${call}).then(({ name }) => name)`));
    expect(await page.evaluate('dialogs')).toBe(0);
    return errors;
  }
  const four = (name: string) => Array.from({ length: 4 }, () => name);

  it('a token of another partner or person is refused before a screen, in every operation', async () => {
    await page.evaluate(`void (window.dialogs = 0, HTMLDialogElement.prototype.showModal = new Proxy(
      HTMLDialogElement.prototype.showModal, { apply(...call) { window.dialogs += 1; return Reflect.apply(...call); } }))`);
    const bank = await world.addPartner('Bank', [world.site('bank')]);
    expect(await errorsOf(await bank.token({ email: EMAIL }))).toEqual(four('PARTNER_ACCESS_TOKEN_INVALID'));
    for (const claims of [{ email: 'bob@example.org' }, { userId: crypto.randomUUID() }, { email: 7 }])
      expect(await errorsOf(await world.partner.token(claims))).toEqual(four('USER_MISMATCH'));
    const [, ...others] = await errorsOf(await world.partner.token({ email: EMAIL }, 'issue', '-1h'));
    expect(others).toEqual(four('PARTNER_TOKEN_EXPIRED').slice(1));
  });

  it("a token of the user is taken in any spelling of its address, and the partner's own id is not compared", async () => {
    const spelled = { email: ' Ada@XN--BCHER-KVA.example ', userId: id.toUpperCase(), partnerUserId: 'somebody' };
    const token = await world.partner.token(spelled);
    expect(await page.evaluate(`tried(core.login({ authToken: '${token}' }))`)).toMatchObject({ value: { id } });
    const { issueCredential } = operations(token);
    // The gateway knows no such credential: the token was not what was refused.
    expect(await page.evaluate(`tried(${issueCredential}).then(({ name }) => name)`)).toBe('INVALID_PARAMETER');
  });

  it('a token that names another user than the code proves opens no session', async () => {
    await page.evaluate('core.logout()');
    const token = await world.partner.token({ userId: id });
    await page.evaluate(`void (window.result = tried(core.login({ authToken: '${token}' })))`);
    await enterCode(world, page, 'bob@example.org');
    expect(await page.evaluate('result')).toMatchObject({ name: 'USER_MISMATCH' });
    expect(await page.evaluate('core.isLoggedIn')).toBe(false);
  });
});
