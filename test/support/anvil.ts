// A chain for tests: an anvil process for each test file on a free port, or the anvil at TEST_RPC_URL. With the latter,
// test files have to run one after the other (`--no-file-parallelism`). Without anvil, tests that need a chain are
// skipped.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { anvilPath } from '../../src/chain/anvil.js';
import { openCutProxy } from './cut-proxy.js';

/** The path of anvil, or undefined; for `describe.skipIf`. */
export const ANVIL = anvilPath();
if (ANVIL === undefined) console.warn('anvil is not installed: tests of the chain are skipped');

export interface TestChain {
  url: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape.
  rpc(method: string, ...params: unknown[]): Promise<any>;
  /**
   * Makes the chain hang: connections are accepted and nothing is answered. Resolves once that is so, since a stopped
   * process may still answer for a moment.
   */
  pause(): Promise<void>;
  resume(): void;
  close(): Promise<void>;
}

const LISTENING = /Listening on 127\.0\.0\.1:(\d+)/;

/** Starts a chain without accounts; every transaction is mined at once, unless `more` says otherwise. */
export async function startChain(more: readonly string[] = []): Promise<TestChain> {
  const given = process.env.TEST_RPC_URL;
  return given && more.length === 0 ? chainAt(given) : ownChain(more);
}

/**
 * Uses a chain that runs already, through a proxy that can pause it. The chain must have anvil's methods and the id
 * 31337.
 */
async function chainAt(url: string): Promise<TestChain> {
  const { uri, hold, release, close } = await openCutProxy(url);
  const rpc: TestChain['rpc'] = (method, ...params) => callNode(url, method, params);
  await rpc('evm_setAutomine', true);
  return {
    url: new URL(uri).origin,
    rpc,
    pause: async () => hold(),
    resume: release,
    close: async () => {
      await rpc('evm_setIntervalMining', 0);
      await rpc('evm_setAutomine', true);
      await close();
    },
  };
}

async function ownChain(more: readonly string[]): Promise<TestChain> {
  const child = spawn(ANVIL ?? '', ['--port', '0', '--accounts', '0', ...more], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = await new Promise<string>((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk;
      const match = LISTENING.exec(text);
      if (match) resolve(match[1] as string);
    });
    child.once('exit', () => reject(new Error(`anvil ended: ${text}`)));
  });
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    rpc: (method, ...params) => callNode(url, method, params),
    pause: async () => {
      child.kill('SIGSTOP');
      while (await answers(url));
    },
    resume: () => void child.kill('SIGCONT'),
    close: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

async function answers(url: string): Promise<boolean> {
  return callNode(url, 'eth_chainId', [], AbortSignal.timeout(250)).then(
    () => true,
    () => false,
  );
}

async function callNode(url: string, method: string, params: unknown[], signal?: AbortSignal): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body, ...(signal && { signal }) });
  const { result, error } = (await answer.json()) as { result?: unknown; error?: { message: string } };
  if (error) throw new Error(error.message);
  return result;
}
