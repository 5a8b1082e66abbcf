// Takes the pictures of README and docs again, docs/pictures/*.png: node tools/take-pictures.mjs. Starts a sandbox with the sample catalog on a
// free port and opens its pages in an installed Chromium (CHROMIUM names one elsewhere). Run it after a change in web/, and look at each:
// node tools/take-pictures.mjs /tmp/pictures takes them for a desktop and a phone, light and dark, and leaves those of the README.
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium } from 'playwright-core';

const [, , folder] = process.argv;
const FOLDER = folder ?? 'docs/pictures';
const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
/** What is taken: the end of the file's name, the window and the theme. */
const VIEWS =
  folder === undefined
    ? [['', { width: 1400, height: 800 }, 'light']]
    : ['light', 'dark'].flatMap((theme) =>
        [1280, 390].map((width) => [`-${width}-${theme}`, { width, height: 844 }, theme]),
      );

const paths = process.env.PATH.split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name)));
const executablePath = [process.env.CHROMIUM, ...paths].find((path) => path && existsSync(path));
if (executablePath === undefined) throw new Error('No Chromium is installed; CHROMIUM may name one.');

/** A sandbox of its own. Returns its address once it serves. */
async function startGateway(dataDir) {
  const PORT = '4000';
  const env = { ...process.env, DATA_DIR: dataDir, PORT, PUBLIC_URL: `http://localhost:${PORT}` };
  const gateway = spawn(process.execPath, ['dist/process/main.js'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: gateway.stdout })) {
    const [, url] = /start page +(http:\S+)\/$/.exec(line) ?? [];
    if (url !== undefined) return { gateway, url };
  }
  throw new Error('The gateway ended before it printed its address; is it built?');
}

/** The first query of the README. */
const [, QUERY] = /'query=(\{[^']+\})'/.exec(readFileSync('README.md', 'utf8')) ?? [];

const newPerson = () => `ada${randomBytes(2).toString('hex')}@example.org`;
const walletOf = (page) => page.frameLocator('iframe');

/** The button of a window of the wallet, once it takes clicks. */
const buttonOf = (window) => window.locator('button.main[aria-disabled="false"]');

/** Opens the wallet's window, with an authenticator that is touched at once. */
async function openWindow(page) {
  const opening = walletOf(page).locator('.opening button').click();
  const [window] = await Promise.all([page.waitForEvent('popup'), opening]);
  const session = await page.context().newCDPSession(window);
  await session.send('WebAuthn.enable');
  const verified = { hasResidentKey: true, hasUserVerification: true, isUserVerified: true };
  const options = { protocol: 'ctap2', ctap2Version: 'ctap2_1', transport: 'internal', hasPrf: true, ...verified };
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...options, automaticPresenceSimulation: true },
  });
  return window;
}

/** Opens the example, with its client in the page's `core`. */
async function open(page, example) {
  await page.route(
    ({ port, pathname }) => port === new URL(example).port && pathname === '/',
    async (route) => {
      const response = await route.fetch({ url: example });
      const body = (await response.text()).replace('await core.init()', 'window.core = core; await core.init()');
      await route.fulfill({ response, body });
    },
  );
  await page.goto(example);
}

/** Logs a user in by the code of the sandbox's mailbox. */
async function logIn(page, operatorKey, email) {
  await page.getByText('You are logged out.').waitFor();
  await page.getByRole('button', { name: 'Log in' }).click();
  await walletOf(page).getByLabel('E-mail address').fill(email);
  await walletOf(page).getByRole('button', { name: 'Send code' }).click();
  await walletOf(page).getByRole('heading', { name: 'Enter the code' }).waitFor();
  const headers = { 'x-admin-api-key': operatorKey };
  const { messages } = await (await page.request.get(`/v1/sandbox/mailbox?email=${email}`, { headers })).json();
  await walletOf(page).getByLabel('Code', { exact: true }).fill(messages.at(-1).code);
  await walletOf(page).getByRole('button', { name: 'Log in' }).click();
  const result = page.locator('#result', { hasText: 'token' });
  await result.evaluate((shown) => shown.replaceChildren());
}

/** What is shown, by the name of its picture: in the page, or in the window that is returned. */
const PICTURES = {
  async start(page) {
    await page.goto('/');
    await page.getByText('Ready.').waitFor();
    await page.locator('[data-count="verifiers"]', { hasText: /\d/ }).waitFor();
  },
  async graphiql(page) {
    await page.goto('/graphiql');
    // The examples are open beside the editors where there is room.
    if (page.viewportSize().width >= 700) await page.getByRole('button', { name: 'Hide Examples' }).waitFor();
    await page
      .locator('.graphiql-query-editor .CodeMirror')
      .evaluate((editor, query) => editor.CodeMirror.setValue(query), QUERY);
    await page
      .locator('.graphiql-editor-tool .CodeMirror')
      .first()
      .evaluate((editor) => editor.CodeMirror.setValue(''));
    await page.getByRole('button', { name: /Prettify/ }).click();
    await page.getByRole('button', { name: 'Hide editor tools' }).click();
    // The page finds out which operation the editor holds a moment later, and runs it by its name: this one has none.
    await page.getByRole('tab', { name: '<untitled>' }).waitFor();
    await page.getByRole('button', { name: /Execute query/ }).click();
    await page.locator('.graphiql-response').getByText('holderCount').first().waitFor();
  },
  async console(page) {
    await page.goto('/console/programs/tenant-identity?holding=national-id');
    await page.getByText('Yes: one of them').waitFor();
  },
  async partner(page, { keyFile }) {
    await page.goto('/console/partner');
    await page.getByLabel(/Or the key file/).setInputFiles(keyFile);
    await page.getByText('issue, verify').waitFor();
    await page.evaluate("history.pushState(null, '', '/console/partner/why')");
    const query = '{ credential(credentialId: "kyc-veridian") { issuer { issuerDid } } }';
    const { data } = await (await page.request.post('/graphql', { data: { query } })).json();
    await page.getByLabel('DID of the issuer').fill(data.credential.issuer.issuerDid);
    await page.getByLabel('Id of the credential').fill('kyc-veridian');
    await page.keyboard.press('Enter');
    await page.locator('li.fault').first().waitFor();
  },
  async operator(page, { operatorKey }) {
    await page.goto('/console/operator');
    await page.getByLabel('An operator’s key').fill(operatorKey);
    await page.getByRole('button', { name: 'Use the key' }).click();
    await page.getByText('May do').waitFor();
    await page.evaluate("history.pushState(null, '', '/console/operator/catalog/verifiers/rentwise')");
    await page.getByLabel('DID').fill('did:web:lettings.rentwise.example');
    // Another operator is faster.
    const theirs = (await page.getByLabel('Name').inputValue()) === 'Rentwise' ? 'Rentwise Lettings' : 'Rentwise';
    await page.getByLabel('Name').fill('Rentwise Homes');
    const headers = { 'x-admin-api-key': operatorKey };
    const data = { name: theirs, verifierDid: 'did:web:rentwise.example' };
    await page.request.put('/v1/admin/verifiers/rentwise', { headers, data });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Save what is chosen' }).waitFor();
  },
  async wallet(page, { example }) {
    await page.goto(example);
    await page.getByText('You are logged out.').waitFor();
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.frameLocator('iframe').getByLabel('E-mail address').fill('ada@example.org');
  },
  async touch(page, { example, operatorKey }) {
    const email = newPerson();
    await open(page, example);
    await logIn(page, operatorKey, email);
    await page.evaluate('void (window.done = core.setupOrUpdateMfa())');
    await buttonOf(await openWindow(page)).click();
    await page.evaluate('done');
    await page.goto(example.replace('localhost', 'shop.localhost'));
    await logIn(page, operatorKey, email);
    await page.evaluate("void core.provider.request({ method: 'eth_requestAccounts' }).catch(() => {})");
    const window = await openWindow(page);
    await buttonOf(window).waitFor();
    return window;
  },
  async swap(page, { example, operatorKey }) {
    await open(page, example);
    await logIn(page, operatorKey, newPerson());
    const purchase = { displayCurrencyCode: 'USD', targetCurrencyCode: 'TUSD' };
    await page.evaluate(`void (window.done = core.showOnRampUI(${JSON.stringify(purchase)}))`);
    const buying = await openWindow(page);
    await buttonOf(buying).click();
    await buying.getByLabel('You pay').fill('100');
    await buying.locator('output').getByText('100 TUSD').waitFor();
    await buttonOf(buying).click();
    await buying.getByText('Rent a flat asks for this.').waitFor();
    await buttonOf(buying).click();
    await page.evaluate('done');
    await page.evaluate('void core.showSwapUI({}).catch(() => {})');
    const window = await openWindow(page);
    await window.getByLabel('You pay').fill('10');
    await window.locator('output').getByText('10 TUSD').waitFor();
    await buttonOf(window).waitFor();
    return window;
  },
  async docs(page) {
    await page.goto('/docs');
    await page.locator('[id="operations-tag-catalog"]').click();
    await page.mouse.move(0, 0);
    await page.getByText('/v1/catalog/verifiers/{id}').waitFor();
    await page
      .locator('.filter-container, .filter')
      .first()
      .evaluate((filter) => filter.scrollIntoView());
  },
};

/** The page of examples/web, with a partner of its own. Returns its address once it serves. */
async function startExample(dataDir, gateway) {
  const port = 8080;
  const keyFile = join(dataDir, 'partner.json');
  const origins = ['localhost', 'shop.localhost'].flatMap((host) => ['--origin', `http://${host}:${port}`]);
  const where = ['--url', gateway, '--key-file', keyFile, ...origins];
  const rights = ['--issuer', 'lumen-university', '--scope', 'issue', 'verify'];
  const env = { ...process.env, DATA_DIR: dataDir, GATEWAY: gateway.replace('127.0.0.1', 'localhost') };
  spawnSync(process.execPath, ['dist/cli/main.js', 'partner', 'create', '--name', 'Rent a flat', ...where, ...rights], {
    env,
  });
  const args = [resolve('examples/web/server.mjs'), keyFile, String(port)];
  const server = spawn(process.execPath, args, { env, cwd: dataDir, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: server.stdout })) return { server, example: line, keyFile };
  throw new Error('The example ended before it printed its address.');
}

const dataDir = mkdtempSync(join(tmpdir(), 'pictures-'));
const { gateway, url } = await startGateway(dataDir);
const { server, example, keyFile } = await startExample(dataDir, url);
const operatorKey = readFileSync(join(dataDir, 'operator.key'), 'utf8').trim();
// Pages that the example's route answers count as being of another network.
const args = ['--no-sandbox', '--disable-dev-shm-usage', '--disable-features=LocalNetworkAccessChecks'];
const browser = await chromium.launch({ executablePath, args });
try {
  mkdirSync(FOLDER, { recursive: true });
  for (const [name, show] of Object.entries(PICTURES)) {
    for (const [ending, viewport, colorScheme] of VIEWS) {
      const path = `${FOLDER}/${name}${ending}.png`;
      const page = await browser.newPage({ baseURL: url, viewport, colorScheme });
      const shown = (await show(page, { example, operatorKey, keyFile })) ?? page;
      await shown.screenshot({ path });
      await page.close();
      console.log(path);
    }
  }
} finally {
  await browser.close();
  server.kill();
  const ended = new Promise((resolve) => gateway.once('exit', resolve));
  gateway.kill('SIGTERM');
  await ended;
  rmSync(dataDir, { recursive: true });
}
