// A Chromium on this machine, and a server that serves a folder to it under a Content-Security-Policy.
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, extname, join, normalize } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type LaunchOptions, type Page } from 'playwright-core';
import { LIMIT_MS, limitPage } from './limited-page.js';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/**
 * The path of an installed Chromium; undefined if there is none. The variable `CHROMIUM` names one in another place.
 */
export const CHROMIUM: string | undefined = [
  process.env.CHROMIUM ?? '',
  ...(process.env.PATH ?? '').split(delimiter).flatMap((folder) => NAMES.map((name) => join(folder, name))),
].find((path) => path !== '' && existsSync(path));

/** Containers run Chromium as root, where its sandbox does not start. */
export const startChromium = (options: LaunchOptions = {}): Promise<Browser> =>
  chromium.launch({
    executablePath: CHROMIUM ?? '',
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
    timeout: LIMIT_MS,
    ...options,
  });

/** Opens a new page whose time limits suit a busy machine. */
export async function openPage(browser: Browser, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await browser.newPage(options);
  page.setDefaultTimeout(LIMIT_MS);
  const faults: string[] = [];
  page.on('console', (message) => void (message.type() === 'error' && faults.push(message.text())));
  page.on('pageerror', ({ message }) => void faults.push(message));
  limitPage(page, faults);
  return page;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.wasm': 'application/wasm',
};

export interface FolderServer {
  url: string;
  /** The requested paths, in their order. */
  asked: string[];
  close(): void;
}

/** Serves the files of a folder, with this policy on each. */
export async function serveFolder(folder: string, policy: string): Promise<FolderServer> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? '/', 'http://127.0.0.1').pathname);
    asked.push(path);
    const file = join(folder, path === '/' ? 'index.html' : path);
    const type = TYPES[extname(file)];
    if (type === undefined || !existsSync(file)) return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': type, 'content-security-policy': policy }).end(readFileSync(file));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, asked, close };
}
