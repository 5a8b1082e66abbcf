// A gateway on localhost, and pages of two partners' sites in a Chromium that reaches no other host.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { CHROMIUM } from '../support/chromium.js';
import {
  callsOf,
  type GatewayOptions,
  OPERATOR_KEY,
  startGateway,
  type TestGateway,
  UNLIMITED,
} from '../support/gateway.js';
import { freePorts } from '../support/gateway-process.js';
import { LIMIT_MS, limitPage, WITH_PATIENCE } from '../support/limited-page.js';
import { registerPartner, type TestPartner } from '../support/partner.js';
import { fileEnd, scratchFolder, startProcess } from '../support/process.js';

/**
 * Whether frames of other sites have storage. Playwright's list of disabled features denies it; for `parted`, a list of
 * our own replaces Playwright's.
 */
export type Storage = 'parted' | 'denied';

export interface SdkWorld {
  gateway: TestGateway;
  /** The value of PUBLIC_URL. */
  url: string;
  partner: TestPartner;
  /** Origins of the partner's page, of another site that the partner allows, and of one that it does not. */
  origins: { partner: string; shop: string; stranger: string };
  /** The origin of this site. */
  site(name: string): string;
  /** Registers another partner with these origins. */
  addPartner(name: string, allowedOrigins: string[]): Promise<TestPartner>;
  /** Opens a new profile. The file's profiles share a browser, since starting one takes longer than most tests. */
  browse(storage?: Storage): Promise<Browsing>;
  codeFor(email: string): Promise<string>;
  close(): Promise<void>;
}

export interface Browsing {
  context: BrowserContext;
  /**
   * Opens a page with the client library on a site.
   * @param options `headers` are added to the page's response
   */
  open(origin: string, options?: PageOptions): Promise<Page>;
  /** Serves a page on every site. @returns its path. */
  put(options?: PageOptions): string;
  /** Goes to such a page in one that is open: its authenticator stays. */
  go(page: Page, origin: string, options?: PageOptions): Promise<void>;
  /** Errors of consoles and pages, and requests that failed or went elsewhere. */
  faults: string[];
  close(): Promise<void>;
}

export interface PageOptions {
  /** The partner of the page; by default, that of the world. */
  partnerId?: string;
  headers?: Record<string, string>;
  /** HTML for the body, and a script that runs in it. */
  body?: string;
  script?: string;
}

/** A built gateway as a process of its own, with the store and the chain that a sandbox has. */
export async function startSandbox({ env = {} }: GatewayOptions): Promise<TestGateway> {
  const { atEnd, end } = fileEnd();
  const DATA_DIR = join(scratchFolder(atEnd), 'data');
  const all = { ADMIN_API_KEY: OPERATOR_KEY, SAMPLE_CATALOG: 'false', ...UNLIMITED, DATA_DIR, ...env };
  const gateway = await startProcess(all, [], atEnd);
  return {
    ...callsOf(gateway.url),
    get app(): never {
      throw new Error('the gateway is another process');
    },
    async close() {
      await gateway.end('SIGTERM');
      end();
    },
  };
}

/** Starts it. */
export async function startSdkWorld(
  options: GatewayOptions = {},
  start: (options: GatewayOptions) => Promise<TestGateway> = startGateway,
): Promise<SdkWorld> {
  const [port] = await freePorts(1);
  const url = `http://localhost:${port}`;
  const env = { PORT: String(port), PUBLIC_URL: url, ...options.env };
  const gateway = await start({ ...options, env });
  const pages = await servePages();
  const origin = (host: string): string => `http://${host}.localhost:${pages.port}`;
  const origins = { partner: origin('partner'), shop: origin('shop'), stranger: origin('stranger') };
  const addPartner = async (name: string, allowedOrigins: string[]): Promise<TestPartner> => {
    const added = await registerPartner(gateway);
    const path = `/v1/admin/partners/${added.partnerId}`;
    const { jwks, scopes, issueOnBehalf } = (await gateway.admin('GET', path)).body;
    await gateway.admin('PUT', path, { body: { name, jwks, scopes, issueOnBehalf, allowedOrigins } });
    return added;
  };
  const partner = await addPartner('Test partner', [origins.partner, origins.shop]);
  const browsers = new Map<Storage, Promise<Browser>>();
  const browserOf = (storage: Storage): Promise<Browser> => {
    const browser = browsers.get(storage) ?? startBrowser(storage);
    browsers.set(storage, browser);
    return browser;
  };
  return {
    gateway,
    url,
    partner,
    origins,
    site: origin,
    addPartner,
    browse: async (storage = 'parted') =>
      openProfile({ url, partnerId: partner.partnerId, pages, browser: await browserOf(storage) }),
    async codeFor(email) {
      const mailbox = await gateway.admin('GET', `/v1/sandbox/mailbox?email=${encodeURIComponent(email)}`);
      return mailbox.body.messages.at(-1).code;
    },
    async close() {
      await Promise.all([...browsers.values()].map(async (browser) => (await browser).close()));
      pages.close();
      await gateway.close();
    },
  };
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

interface PageServer {
  port: number;
  /** The content of the page at each path. */
  pages: Map<string, { headers: Record<string, string>; html: string }>;
  close(): void;
}

/** Serves pages that are put into its map. */
export async function servePages(): Promise<PageServer> {
  const pages: PageServer['pages'] = new Map();
  const server = createServer((request: IncomingMessage, response) => {
    const page = pages.get((request.url ?? '').replace(/\?.*/, ''));
    if (page === undefined) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...page.headers }).end(page.html);
  });
  const port = await listening(server);
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { port, pages, close };
}

/** Starts a browser without a profile. */
export function startBrowser(storage: Storage): Promise<Browser> {
  const features = storage === 'parted' ? ['--disable-features=Translate'] : [];
  return chromium.launch({
    executablePath: CHROMIUM ?? '',
    args: ['--no-sandbox', '--disable-dev-shm-usage', ...features],
    timeout: LIMIT_MS,
  });
}

interface ProfileParts {
  browser: Browser;
  url: string;
  partnerId: string;
  pages: PageServer;
}

/** Opens a new profile, which shares nothing with others of its browser. */
export async function openProfile({ browser, url, partnerId, pages }: ProfileParts): Promise<Browsing> {
  const context = await browser.newContext();
  context.setDefaultTimeout(LIMIT_MS);
  await context.addInitScript(WITH_PATIENCE);
  const faults: string[] = [];
  await context.route(
    ({ hostname }) => hostname !== 'localhost' && !hostname.endsWith('.localhost'),
    (route) => {
      faults.push(`asked ${route.request().url()}`);
      return route.abort();
    },
  );
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) faults.push(message.text());
  });
  context.on('weberror', (error) => faults.push(error.error().message));
  context.on('page', (page) => limitPage(page, faults));
  const put = (options: PageOptions = {}): string => {
    const path = `/${pages.pages.size}`;
    pages.pages.set(path, { headers: options.headers ?? {}, html: pageOf(url, partnerId, options) });
    return path;
  };
  const go = async (page: Page, origin: string, options: PageOptions = {}): Promise<void> => {
    await page.goto(origin + put(options));
    await page.waitForFunction('window.core !== undefined');
  };
  return {
    context,
    faults,
    put,
    go,
    async open(origin, options) {
      const page = await context.newPage();
      await go(page, origin, options);
      return page;
    },
    close: () => context.close(),
  };
}

/** A page with the library as `core`, and the events that its listeners received as `heard`. */
const pageOf = (
  url: string,
  own: string,
  { partnerId = own, body = '', script = '' }: PageOptions,
): string => `<!doctype html>
<html lang="en"><title>Partner</title><link rel="icon" href="data:,"><body>${body}
<script type="module">
import { CoreService } from '${url}/sdk/core.js';
window.CoreService = CoreService;
window.heard = [];
const listen = (event) => heard.push(event.event);
window.start = () => { const core = new CoreService({ partnerId: '${partnerId}' }); core.on(listen); return core; };
window.tried = (promise) => promise.then((value) => ({ value }), ({ name, message }) => ({ name, message }));
window.core = start();
${script}
</script></body></html>`;

/** The frame of the wallet in a page. */
export const walletOf = (page: Page) => page.frameLocator('iframe[title="Wallet"]').last();

/** Types an address and the mailed code into the wallet. */
export async function enterCode(world: SdkWorld, page: Page, email: string): Promise<void> {
  const wallet = walletOf(page);
  await wallet.getByLabel('E-mail address').fill(email);
  await wallet.getByRole('button', { name: 'Send code' }).click();
  await wallet.getByRole('heading', { name: 'Enter the code' }).waitFor();
  await wallet.getByLabel('Code', { exact: true }).fill(await world.codeFor(email));
  await wallet.getByRole('button', { name: 'Log in' }).click();
}

export {
  accessFaults,
  approvable,
  approvalOf,
  approve,
  approving,
  checkBox,
  HOLD_SECOND,
  pressIn,
} from './approvals.js';
export { enterRecoveryCode, keepRecoveryCode, takeCode } from './recovery-codes.js';

/** A page of a user who has logged in. */
export async function openLoggedIn(world: SdkWorld, browsing: Browsing, email: string, origin?: string): Promise<Page> {
  const page = await browsing.open(origin ?? world.origins.partner);
  await logIn(world, page, email);
  return page;
}

/** Logs in on a page. */
export async function logIn(world: SdkWorld, page: Page, email: string): Promise<void> {
  await page.evaluate('core.init()');
  await page.evaluate('void (window.result = tried(core.login()))');
  await enterCode(world, page, email);
  await page.evaluate('result');
}

/** Sends a request to the page's provider without waiting; `asked(page)` is its result. */
export const ask = (page: Page, method: string, params: unknown[] = []): Promise<void> =>
  page.evaluate(`void (window.asked = core.provider.request(${JSON.stringify({ method, params })})
    .then((value) => ({ value }), ({ code, message, data }) => ({ code, message, data })))`);

// biome-ignore lint/suspicious/noExplicitAny: results of every shape.
export const asked = (page: Page): Promise<any> => page.evaluate('asked');

/** The value of the request to the provider. A refusal is shown whole. */
// biome-ignore lint/suspicious/noExplicitAny: results of every shape.
export async function given(page: Page): Promise<any> {
  const answer = await asked(page);
  expect(answer).toEqual({ value: answer.value });
  return answer.value;
}
