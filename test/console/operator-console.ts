// An operator's part of the console in a browser: a gateway, a partner that may issue `club-credential`, and pages that were entered with a key.
import type { Browser } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { type openPage, startChromium } from '../support/chromium.js';
import { type GatewayOptions, startGateway, type TestGateway } from '../support/gateway.js';
import { registerIssuer, registerPartner, type TestPartner } from '../support/partner.js';
import { type EnteredPage, openWatched } from './partner-console.js';

export interface OperatorConsole {
  gateway: TestGateway;
  partner: TestPartner;
  /** DID of the issuer of `club-credential`. */
  issuerDid: string;
  /** Opens a page and enters it, by default with the first key. */
  enter(key?: string, options?: Parameters<typeof openPage>[1], url?: string): Promise<EnteredPage>;
  /** Opens a page of the partner, which has entered by a token. */
  enterPartner(): Promise<EnteredPage>;
  /** A new key. */
  keyOf(role: 'READ' | 'CATALOG' | 'ALL'): Promise<string>;
  /** The partner issues `club-credential`. @returns the hash of its claim */
  issue(email: string): Promise<string>;
  close(): Promise<void>;
}

export async function startOperatorConsole(options: GatewayOptions = {}): Promise<OperatorConsole> {
  const gateway = await startGateway(options);
  const issuerDid = await registerIssuer(gateway, 'club');
  const partner = await registerPartner(gateway, [issuerDid]);
  const browser = await startChromium();
  let keys = 0;
  return {
    gateway,
    partner,
    issuerDid,
    enter: (key = gateway.operatorKey, pageOptions = {}, url = gateway.url) =>
      enterOperator(browser, url, key, pageOptions),
    async enterPartner() {
      const entered = await openWatched(browser, {});
      await entered.page.goto(`${gateway.url}/console/partner`);
      await entered.page.getByLabel(/A partner token/).fill(await partner.token({}, 'issue verify'));
      await entered.page.keyboard.press('Enter');
      await entered.page.getByText('issue, verify').waitFor();
      return entered;
    },
    async keyOf(role) {
      keys += 1;
      const create = 'mutation ($input: CreateOperatorKeyInput!) { createOperatorKey(input: $input) { key } }';
      const input = { name: `${role.toLowerCase()}-${keys}`, role };
      const { data } = await gateway.gql(create, { input }, { 'x-admin-api-key': gateway.operatorKey });
      return data.createOperatorKey.key;
    },
    async issue(email) {
      const content = { credentialId: 'club-credential', issuerDid, email, credentialSubject: { note: 'gold' } };
      const { status, body } = await partner.rest('POST', '/v1/credentials/issue-on-behalf', content);
      if (status !== 200) throw new Error(`the issuance was refused: ${JSON.stringify(body)}`);
      return body.coreClaimHash;
    },
    async close() {
      await browser.close();
      await gateway.close();
    },
  };
}

/** Opens a page of a gateway and enters the operator's part. */
export async function enterOperator(
  browser: Browser,
  url: string,
  key: string,
  options: Parameters<typeof openPage>[1] = {},
): Promise<EnteredPage> {
  const entered = await openWatched(browser, options);
  const { page } = entered;
  await page.goto(`${url}/console/operator`);
  await page.getByLabel('An operator’s key').fill(key);
  await page.getByRole('button', { name: 'Use the key' }).click();
  await page.getByText('May do').waitFor();
  return entered;
}

/** Imports stop after the results of their first lines until the returned function is called or the test ends, so that a page sees them under way. */
export function holdImports({ gateway }: OperatorConsole): () => void {
  const { catalogAdmin } = gateway.app.services;
  const whole = catalogAdmin.importLines.bind(catalogAdmin);
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  catalogAdmin.importLines = async function* (...of) {
    for await (const results of whole(...of)) {
      yield results;
      await released;
    }
  };
  onTestFinished(release);
  return release;
}
