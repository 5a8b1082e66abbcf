// The client library in Chromium, against a gateway of its own: from the call or the click to the result. Median of five.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { type Browser, chromium, type Page } from 'playwright-core';
import { freePort, GatewayProcess, OPERATOR_KEY, scratchFolder } from './gateway-process.js';
import { type Bar, median } from './report.js';

const ROUNDS = 5;
const PARTNER_ID = '5f0c1f5e-6f4b-4c0e-9a55-3f1f6b1d2c3a';
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const EMAIL = 'bench@example.org';
const SUBJECT = { level: 3, note: 'gold' };

interface World {
  gateway: GatewayProcess;
  browser: Browser;
  /** Of the partner's page, and of one on another site. */
  origin: string;
  otherSite: string;
  issuerDid: string;
  token(scope: string): Promise<string>;
}

async function call(url: string, method: string, path: string, body?: object) {
  const headers = { 'content-type': 'application/json', 'x-admin-api-key': OPERATOR_KEY };
  const response = await fetch(url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`);
  return answer as Record<string, never> & { issuerDid: string; messages: { code: string }[] };
}

const pageOf = (gateway: string): string => `<!doctype html><title>Bench</title><link rel="icon" href="data:,">
<script type="module">import { CoreService } from '${gateway}/sdk/core.js';
window.core = new CoreService({ partnerId: '${PARTNER_ID}' });</script>`;

async function startWorld(): Promise<World> {
  const port = await freePort();
  const publicUrl = `http://localhost:${port}`;
  const gateway = await GatewayProcess.start(scratchFolder(), { port, settings: { PUBLIC_URL: publicUrl } });
  const server = createServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end(pageOf(publicUrl)),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const [origin = '', otherSite = ''] = ['partner', 'shop'].map(
    (host) => `http://${host}.localhost:${(server.address() as AddressInfo).port}`,
  );
  const put = (path: string, body: object) => call(gateway.url, 'PUT', `/v1/admin/${path}`, body);
  const { issuerDid } = await put('issuers/club', { name: 'Club', issuerFrom: 'bench', managed: true });
  const dataPoints = [
    { name: 'level', type: 'integer', isRequired: true, description: '' },
    { name: 'note', type: 'string', isRequired: true, description: '' },
  ];
  await put('schemas/member', { title: 'Member', description: '', dataPoints });
  await put('credentials/member', { name: 'Member', category: 'c', issuerId: 'club', schemaId: 'member' });
  await put('verifiers/agency', { name: 'Agency', verifierDid: 'did:web:agency.example' });
  const acceptedCredentials = [{ credentialId: 'member', verificationConditions: ['level >= 2', 'note = "gold"'] }];
  const program = { name: 'Gold', description: '', verifierId: 'agency', pricingModel: 'free', acceptedCredentials };
  await put('programs/gold', program);
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const keys = [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' }];
  const rights = {
    scopes: ['issue', 'verify'],
    issuerDids: [issuerDid],
    issueOnBehalf: true,
    allowedOrigins: [origin, otherSite],
  };
  await put(`partners/${PARTNER_ID}`, { name: 'Bench', jwks: { keys }, ...rights });
  const token = (scope: string): Promise<string> =>
    new SignJWT({ partnerId: PARTNER_ID, scope })
      .setProtectedHeader({ alg: 'ES256', typ: 'JWT', kid: 'k' })
      .setExpirationTime('5m')
      .sign(privateKey);
  const args = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-features=Translate'];
  const browser = await chromium.launch({ executablePath: CHROMIUM, args });
  return { gateway, browser, origin, otherSite, issuerDid, token };
}

async function open({ browser, origin }: World): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await page.goto(origin);
  await page.waitForFunction('window.core !== undefined');
  return page;
}

/** Gives a page an authenticator, which is touched at once. It stays from site to site. */
async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable', { enableUI: false });
  const verified = { hasResidentKey: true, hasUserVerification: true, isUserVerified: true };
  const options = { protocol: 'ctap2', ctap2Version: 'ctap2_1', transport: 'internal', hasPrf: true } as const;
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...options, ...verified, automaticPresenceSimulation: true },
  });
}

const TIMED_INIT =
  '(async () => { const from = performance.now(); await core.init(); return performance.now() - from; })()';
const wallet = (page: Page) => page.frameLocator('iframe');

async function logIn({ gateway }: World, page: Page): Promise<void> {
  await page.evaluate('void (window.result = core.login())');
  await wallet(page).getByLabel('E-mail address').fill(EMAIL);
  await wallet(page).getByRole('button', { name: 'Send code' }).click();
  await wallet(page).getByRole('heading', { name: 'Enter the code' }).waitFor();
  const { messages } = await call(gateway.url, 'GET', `/v1/sandbox/mailbox?email=${EMAIL}`);
  await wallet(page)
    .getByLabel('Code', { exact: true })
    .fill(messages.at(-1)?.code ?? '');
  await wallet(page).getByRole('button', { name: 'Log in' }).click();
  await page.evaluate('result');
}

/** Starts an operation whose screen has a button, and clicks it. @returns milliseconds from the click to the result. */
async function clickToResult(page: Page, operation: string): Promise<number> {
  await page.evaluate(`void (window.ended = ${operation}.then(() => Date.now()))`);
  const frame = page.frames()[1];
  const button = wallet(page).locator('button.main[aria-disabled="false"]');
  await button.waitFor();
  await frame?.evaluate(
    "addEventListener('click', () => { window.clickedAt = Date.now(); }, { capture: true, once: true })",
  );
  await button.click();
  const ended = (await page.evaluate('ended')) as number;
  return ended - Number(await frame?.evaluate('clickedAt'));
}

/** Milliseconds from the click on a proof's button until its answer is sent. */
async function clickToAnswer(page: Page, operation: string): Promise<number> {
  const answer = page.waitForRequest((request) => request.url().endsWith('/answer'));
  const whole = clickToResult(page, operation);
  await answer;
  const frame = page.frames()[1];
  const took = (await frame?.evaluate('Date.now() - clickedAt')) as number;
  await whole;
  return took;
}

const ACCOUNTS = "core.provider.request({ method: 'eth_requestAccounts' }).then((all) => (window.accounts = all))";

/** Milliseconds from the click until the keys are there, of a user who is logged in to a site that has none. */
async function touchToKeys(page: Page): Promise<number> {
  await page
    .frames()[1]
    ?.evaluate(`indexedDB.databases().then((all) => Promise.all(all.map(({ name }) => new Promise((done) => {
    const deleting = indexedDB.deleteDatabase(name); deleting.onsuccess = deleting.onblocked = done; }))))`);
  await page.reload();
  await page.waitForFunction('window.core !== undefined');
  await page.evaluate('core.init()');
  await page.evaluate(`void (window.initialized = new Promise((resolve) =>
    core.on(({ event }) => event === 'wallet_initialized' && resolve())))`);
  return clickToResult(page, `${ACCOUNTS}.then(() => initialized)`);
}

async function rounds(run: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) times.push(await run());
  return median(times);
}

const bar = (name: string, measured: number, limit: number): Bar => ({
  name,
  measured,
  limit,
  holds: 'at most',
  unit: 'ms',
});

/** The bars of the client library. */
export async function* sdkBars(): AsyncIterable<Bar> {
  const world = await startWorld();
  try {
    const init = await rounds(async () => {
      const page = await open(world);
      const took = (await page.evaluate(TIMED_INIT)) as number;
      await page.context().close();
      return took;
    });
    yield bar('init_ms: init to initialized, nothing cached', init, 400);
    const page = await open(world);
    await addAuthenticator(page);
    await page.evaluate('core.init()');
    await logIn(world, page);
    const again = await rounds(async () => {
      await page.reload();
      await page.waitForFunction('window.core !== undefined');
      return (await page.evaluate(TIMED_INIT)) as number;
    });
    yield bar('rehydrate_ms: init to logged_in after a reload', again, 250);
    await clickToResult(page, ACCOUNTS);
    const sign = "core.provider.request({ method: 'personal_sign', params: ['0x68656c6c6f', accounts[0]] })";
    // The first one waits for the chain of the sandbox.
    await clickToResult(page, sign);
    yield bar('sign_ms: click to signature', await rounds(() => clickToResult(page, sign)), 60);
    const options = { issuerDid: world.issuerDid, credentialId: 'member', credentialSubject: SUBJECT };
    const issue = JSON.stringify({ authToken: await world.token('issue'), ...options });
    await clickToResult(page, `core.issueCredential(${issue})`);
    await page.evaluate(`window.longest = 0; new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) longest = Math.max(longest, duration); }).observe({ type: 'longtask' })`);
    const verify = JSON.stringify({ authToken: await world.token('verify'), programId: 'gold' });
    const verified = `core.verifyCredential(${verify})`;
    await clickToAnswer(page, verified);
    yield bar(
      'verify_ms: click to answer, one bound and one equality',
      await rounds(() => clickToAnswer(page, verified)),
      2_500,
    );
    const longest = (await page.evaluate('longest')) as number;
    yield bar('page_longest_task_ms: in the page while proofs run', longest, 50);
    await page.goto(world.otherSite);
    await page.waitForFunction('window.core !== undefined');
    await page.evaluate('core.init()');
    await logIn(world, page);
    await touchToKeys(page);
    const touch = await rounds(() => touchToKeys(page));
    yield bar('touch_ms: click to wallet_initialized on a new site', touch, 500);
  } finally {
    await world.browser.close();
    await world.gateway.stop();
  }
}
