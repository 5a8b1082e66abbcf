// A partner's part of the console in a browser: a gateway, a partner with its key file, and pages that it has entered.
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { SignJWT } from 'jose';
import type { Browser, Page, Request } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { openPage, startChromium } from '../support/chromium.js';
import { type GatewayOptions, startGateway, type TestGateway } from '../support/gateway.js';
import { registerIssuer } from '../support/partner.js';

const PARTNER_ID = '6f1f8a52-0d8c-4a07-a2a8-5a4b6a3f0a11';

const TOKEN_MS = 300_000;
/** How much `passTokensTime` adds to the gateway's clock. */
export const TOKENS_TIME_MS = 2 * TOKEN_MS;

/** Runs axe; what it finds, a line each. */
export const AXE = `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
  .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html.slice(0, 200)))`;

/** What reaches beyond the width of the window. */
export const WIDE = `document.documentElement.scrollWidth <= innerWidth ? []
  : [...document.querySelectorAll('*')].filter((it) => it.getBoundingClientRect().right > innerWidth).map((it) => it.outerHTML.slice(0, 100))`;

export interface EnteredPage {
  page: Page;
  /** Addresses and bodies of requests. */
  sent: string[];
  /** Complaints of the console, reports of the policy among them. */
  faults: string[];
  /** All that the page wrote to the console. */
  logged: string[];
}

export interface PartnerConsole {
  gateway: TestGateway;
  partnerId: string;
  /** The private part of the partner's key. */
  secret: string;
  keyFile: KeyFile;
  /** Opens a page and enters it by the key file; by a token, if there is one. @param url where the gateway is for the page */
  enter(options?: Parameters<typeof openPage>[1], token?: string, url?: string): Promise<EnteredPage>;
  /** A token of the partner, for five minutes. */
  token(): Promise<string>;
  /** Ten minutes pass for the gateway, not for the browser: tokens expire, and those that key files sign are not valid. */
  passTokensTime(): void;
  close(): Promise<void>;
}

type KeyFile = { name: string; mimeType: string; buffer: Buffer };

/** A partner with a key file as `partner create` writes it, which may issue `club-credential`. */
async function registerByFile(gateway: TestGateway): Promise<{ file: KeyFile; secret: string; privateKey: KeyObject }> {
  const issuerDid = await registerIssuer(gateway, 'club');
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const jwk = privateKey.export({ format: 'jwk' });
  const body = {
    name: 'Club partner',
    jwks: { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k1', alg: 'ES256', use: 'sig' }] },
    scopes: ['issue', 'verify'],
    issuerDids: [issuerDid],
    issueOnBehalf: true,
  };
  const { status } = await gateway.admin('PUT', `/v1/admin/partners/${PARTNER_ID}`, { body });
  if (status !== 200) throw new Error(`the partner was refused with ${status}`);
  const buffer = Buffer.from(JSON.stringify({ ...jwk, kid: 'k1', partnerId: PARTNER_ID }));
  return { file: { name: 'partner.json', mimeType: 'application/json', buffer }, secret: String(jwk.d), privateKey };
}

export async function startPartnerConsole(options: GatewayOptions = {}): Promise<PartnerConsole> {
  let aheadMs = 0;
  const now = (): number => Date.now() + aheadMs;
  const gateway = await startGateway({ clock: now, ...options });
  const { file, secret, privateKey } = await registerByFile(gateway);
  const browser = await startChromium();
  return {
    gateway,
    partnerId: PARTNER_ID,
    secret,
    keyFile: file,
    enter: (pageOptions, token, url = gateway.url) => enter(browser, url, token ?? file, pageOptions),
    token: () =>
      new SignJWT({ partnerId: PARTNER_ID, scope: 'issue verify' })
        .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid: 'k1' })
        .setIssuedAt(new Date(now()))
        .setExpirationTime(new Date(now() + TOKEN_MS))
        .sign(privateKey),
    passTokensTime: () => {
      aheadMs += TOKENS_TIME_MS;
    },
    close: async () => {
      await browser.close();
      await gateway.close();
    },
  };
}

async function enter(
  browser: Browser,
  url: string,
  credential: KeyFile | string,
  options: Parameters<typeof openPage>[1] = {},
): Promise<EnteredPage> {
  const entered = await openWatched(browser, options);
  const { page } = entered;
  await page.goto(`${url}/console/partner`);
  if (typeof credential === 'string') {
    await page.getByLabel(/A partner token/).fill(credential);
    await page.keyboard.press('Enter');
  } else await page.getByLabel(/Or the key file/).setInputFiles(credential);
  await page.getByText('issue, verify').waitFor();
  return entered;
}

/** A page whose requests and complaints are noted, and whose questions are confirmed. It is closed after the test. */
export async function openWatched(browser: Browser, options: Parameters<typeof openPage>[1]): Promise<EnteredPage> {
  const page = await openPage(browser, options);
  onTestFinished(() => page.close());
  const sent: string[] = [];
  const faults: string[] = [];
  const logged: string[] = [];
  page.on('request', (request: Request) => sent.push(request.url() + (request.postData() ?? '')));
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => {
    logged.push(message.text());
    if (['error', 'warning'].includes(message.type())) faults.push(message.text());
  });
  page.on('dialog', (dialog) => void dialog.accept());
  return { page, sent, faults, logged };
}

/** What each batch waits for. */
const holds = new Map<string, Promise<void>>();

/** Batches issue nothing until the returned function is called or the test ends, so that a page sees them under way however slow it is. */
export function holdBatches({ gateway }: PartnerConsole): () => void {
  const { batchRows } = gateway.app.services;
  const next = batchRows.nextWaiting.bind(batchRows);
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  batchRows.nextWaiting = async (...of) => {
    const [jobId] = of;
    // Checks come before batches, and are not held, nor again are the batches of earlier tests, which would hold the checks.
    const job = await gateway.app.connection
      .collection<{ _id: string; dryRun: boolean }>('issuanceJobs')
      .findOne({ _id: jobId });
    if (job?.dryRun === false) {
      holds.set(jobId, holds.get(jobId) ?? released);
      await holds.get(jobId);
    }
    return next(...of);
  };
  onTestFinished(release);
  return release;
}

/** Goes on within the page: a reload would forget the key. */
export const go = (page: Page, path: string): Promise<unknown> =>
  page.evaluate(`history.pushState(null, '', '/console${path}')`);

/** The lines of the file with all results of the batch that is shown. */
export async function resultsIn(page: Page): Promise<string[]> {
  await page.getByRole('button', { name: 'Results of all rows' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: /Save .* as CSV/ }).click(),
  ]);
  const chunks: Buffer[] = [];
  for await (const chunk of await download.createReadStream()) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8').split('\r\n').slice(0, -1);
}

/** Issues by the API, as another program of the partner does. */
export async function issue({ gateway, token }: PartnerConsole, email: string): Promise<string> {
  const issuer = await gateway.admin('GET', '/v1/admin/issuers/club');
  const body = {
    issuerDid: issuer.body.issuerDid,
    credentialId: 'club-credential',
    email,
    credentialSubject: { note: 'gold' },
  };
  const headers = { 'x-partner-auth': await token() };
  const answer = await gateway.rest('POST', '/v1/credentials/issue-on-behalf', { body, headers });
  expect(answer.status).toBe(200);
  return answer.body.issuance?.coreClaimHash ?? answer.body.coreClaimHash;
}

/** Chooses a file with so many rows, on the page of a new batch. */
export async function chooseRows(page: Page, prefix: string, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, index) => `${prefix}${index}@example.org,"""n${index}"""`);
  const buffer = Buffer.from(`email,credentialSubject.note\n${rows.join('\n')}`);
  await page.getByLabel('The file').setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer });
  await page.getByText(`${count.toLocaleString('en')} rows can be sent, 0 cannot.`).waitFor();
}

/** The id by which the console sends a document. */
export function documentIdOf(name: string): string {
  const texts = Object.entries(
    JSON.parse(readFileSync('dist/console/documents.json', 'utf8')) as Record<string, string>,
  );
  const [id] = texts.find(([, text]) => new RegExp(`(query|mutation|subscription) ${name}\\b`).test(text)) ?? [];
  if (id === undefined) throw new Error(`the console has no document ${name}`);
  return id;
}
