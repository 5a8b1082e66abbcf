// A script in the page finds no key, recovery code or plaintext of a credential, whatever the user does with these.

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chainEnvOf } from '../chain/support.js';
import { ANVIL, startChain, type TestChain } from '../support/anvil.js';
import { CHROMIUM } from '../support/chromium.js';
import { openBackup } from './backup.js';
import { issueNote } from './note.js';
import { encodingsOf, SPY, seenBy } from './spy.js';
import {
  approvalOf,
  approve,
  ask,
  asked,
  given,
  keepRecoveryCode,
  openLoggedIn,
  type SdkWorld,
  startSdkWorld,
} from './world.js';

const EMAIL = 'canary@example.org';
const PLAINTEXT = 'a canary that nobody else may read';

describe.skipIf(CHROMIUM === undefined || ANVIL === undefined)('A script in the page', () => {
  let world: SdkWorld;
  let chain: TestChain;
  beforeAll(async () => {
    chain = await startChain();
    world = await startSdkWorld({ env: (await chainEnvOf(chain)).env });
  });
  afterAll(async () => {
    await world?.close();
    await chain?.close();
  });

  /** The secrets that only the user and the frame have. */
  async function secretsOf(code: string): Promise<string[]> {
    const { body: recipient } = await world.partner.rest('POST', '/v1/auth/initialize-user', { email: EMAIL });
    const _id = recipient.userId as never;
    const backup = await world.gateway.app.connection.collection('keyBackups').findOne({ _id });
    const { accountKey, holderKeys } = openBackup(backup, recipient.did, code);
    return [accountKey, ...holderKeys, code, code.replaceAll(' ', ''), PLAINTEXT];
  }

  it('no key, code or token is in messages, storage, the document or the console', async () => {
    const browsing = await world.browse();
    await browsing.context.addInitScript(SPY);
    const said: string[] = [];
    browsing.context.on('console', (message) => void said.push(message.text()));
    const page: Page = await openLoggedIn(world, browsing, EMAIL);
    await issueNote(world, EMAIL, PLAINTEXT);
    await ask(page, 'eth_requestAccounts');
    const code = await keepRecoveryCode(page);
    const [account] = await given(page);
    await ask(page, 'personal_sign', ['0x68656c6c6f', account]);
    await approve(page);
    await asked(page);
    const authToken = await world.partner.token({}, 'verify');
    const options = JSON.stringify({ authToken, programId: 'note' });
    await page.evaluate(`void (window.result = tried(core.verifyCredential(${options})))`);
    await (await approvalOf(page)).getByText('is there').waitFor();
    await approve(page);
    expect(await page.evaluate('result')).toMatchObject({ value: { status: 'Compliant' } });
    await page.evaluate(`tried(core.verifyCredential({ authToken: 'x', programId: 'note' }))`);
    const seen = (await seenBy(page)) + said.join('\n');
    // The script finds what the page may have, so it would find a secret, too.
    expect(seen).toContain(account);
    expect(seen).toContain('"zkProofs"');
    const secrets = await secretsOf(code);
    expect(secrets.flatMap(encodingsOf).filter((text) => text !== '' && seen.includes(text))).toEqual([]);
  });
});
