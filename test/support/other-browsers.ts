// Firefox and WebKit as they are installed, for what may differ between browsers: Firefox by WebDriver BiDi, which it speaks itself, WebKit by its WebDriver.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { WebSocket } from 'ws';
import { CHROMIUM, startChromium } from './chromium.js';
import { LIMIT_MS } from './limited-page.js';

export interface Tab {
  /** Opens an address, as a full load. */
  goto(url: string): Promise<void>;
  /** The value of an expression in the page. */
  evaluate(expression: string): Promise<unknown>;
}

export interface OtherBrowser {
  openTab(): Promise<Tab>;
  close(): Promise<void>;
}

/** The path of the first of these programs that is installed. */
const onPath = (...names: string[]): string | undefined =>
  names
    .flatMap((name) => (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name)))
    .find((path) => existsSync(path));

/** The browsers that this machine has, each with what starts it. */
export const BROWSERS: readonly (readonly [name: string, start: () => Promise<OtherBrowser>])[] = [
  ...(CHROMIUM === undefined ? [] : [['Chromium', chromium] as const]),
  ...(onPath('firefox-esr', 'firefox') === undefined ? [] : [['Firefox', firefox] as const]),
  ...(onPath('WebKitWebDriver') === undefined || onPath('xvfb-run') === undefined ? [] : [['WebKit', webkit] as const]),
];

async function chromium(): Promise<OtherBrowser> {
  const browser = await startChromium({ ignoreDefaultArgs: ['--disable-back-forward-cache'] });
  const context = await browser.newContext();
  return {
    async openTab() {
      const page = await context.newPage();
      page.setDefaultTimeout(LIMIT_MS);
      page.setDefaultNavigationTimeout(LIMIT_MS);
      return { goto: async (url) => void (await page.goto(url)), evaluate: (expression) => page.evaluate(expression) };
    },
    close: () => browser.close(),
  };
}

/** The first group of the first line of a process's output that matches. */
function lineOf(child: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the browser ended with ${code}`)));
    for (const stream of [child.stdout, child.stderr])
      if (stream)
        createInterface({ input: stream }).on('line', (line) => {
          const [, found] = pattern.exec(line) ?? [];
          if (found !== undefined) resolve(found);
        });
  });
}

const end = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    // Its own group, because browsers have processes of their own.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  });

async function firefox(): Promise<OtherBrowser> {
  const profile = mkdtempSync(join(tmpdir(), 'firefox-'));
  const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'];
  const child = spawn(onPath('firefox-esr', 'firefox') ?? '', args, { detached: true });
  const address = await lineOf(child, /WebDriver BiDi listening on (ws:\S+)/);
  const socket = new WebSocket(`${address}/session`);
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const waiting = new Map<number, (answer: BidiAnswer) => void>();
  socket.on('message', (data) => {
    const answer = JSON.parse(String(data)) as BidiAnswer;
    waiting.get(answer.id ?? -1)?.(answer);
  });
  let last = 0;
  const send = async (method: string, params: object): Promise<Record<string, unknown>> => {
    last += 1;
    const id = last;
    const answered = new Promise<BidiAnswer>((resolve) => waiting.set(id, resolve));
    socket.send(JSON.stringify({ id, method, params }));
    const { type, result, message } = await answered;
    if (type === 'error') throw new Error(`${method}: ${message}`);
    return result;
  };
  await send('session.new', { capabilities: {} });
  return {
    async openTab() {
      const { context } = await send('browsingContext.create', { type: 'tab' });
      return {
        goto: async (url) => void (await send('browsingContext.navigate', { context, url, wait: 'complete' })),
        async evaluate(expression) {
          const target = { context };
          const { result } = await send('script.evaluate', { expression, target, awaitPromise: true });
          return (result as { value?: unknown } | undefined)?.value;
        },
      };
    },
    async close() {
      socket.terminate();
      await end(child);
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

interface BidiAnswer {
  id: number | null;
  type: string;
  message?: string;
  result: Record<string, unknown>;
}

async function webkit(): Promise<OtherBrowser> {
  const port = 20_000 + (process.pid % 20_000);
  const child = spawn('xvfb-run', ['-a', 'WebKitWebDriver', `--port=${port}`], { detached: true });
  const send = async (method: string, path: string, body?: object): Promise<unknown> => {
    const init = body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, ...init });
    const { value } = (await response.json()) as { value: unknown };
    if (!response.ok) throw new Error(`${path}: ${JSON.stringify(value)}`);
    return value;
  };
  for (;;) {
    const isReady = await send('GET', '/status').then(
      () => true,
      () => false,
    );
    if (isReady) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const { sessionId } = (await send('POST', '/session', { capabilities: {} })) as { sessionId: string };
  const session = `/session/${sessionId}`;
  // One command at a time: each is for the window that is chosen.
  let turn: Promise<unknown> = Promise.resolve();
  const inWindow = <Result>(handle: string, work: () => Promise<Result>): Promise<Result> => {
    const result = turn.then(async () => {
      await send('POST', `${session}/window`, { handle });
      return work();
    });
    turn = result.catch(() => {});
    return result;
  };
  return {
    async openTab() {
      const { handle } = (await send('POST', `${session}/window/new`, { type: 'tab' })) as { handle: string };
      return {
        goto: (url) => inWindow(handle, async () => void (await send('POST', `${session}/url`, { url }))),
        evaluate: (expression) =>
          inWindow(handle, () => send('POST', `${session}/execute/sync`, { script: `return ${expression}`, args: [] })),
      };
    },
    async close() {
      await send('DELETE', session);
      await end(child);
    },
  };
}
