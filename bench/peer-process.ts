// A peer as a process of its own, on the server's core; it prints its address when it is ready.
import { execFileSync, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { commandOn, SERVER_CORE } from './cores.js';

export const INSTALLED = 'bench/peers/installed';

export interface PeerProcess {
  url: string;
  pid: number;
  stop(): void;
}

/** Starts `bench/peers/<name>.ts`. @throws Error when it ends before it is ready. */
export function startPeer(name: string, args: readonly string[]): Promise<PeerProcess> {
  return startProgram(`dist/bench/peers/${name}.js`, args);
}

/** Starts `bench/peers/installed/<name>.mjs`, whose packages it installs first. @throws Error when it ends before it is ready. */
export function startInstalledPeer(name: string, args: readonly string[]): Promise<PeerProcess> {
  installPeers();
  return startProgram(`${INSTALLED}/${name}.mjs`, args);
}

/** Packages of the benchmarks alone, so that the gateway's own installation stays small. */
export function installPeers(): void {
  execFileSync(process.execPath, ['tools/install.mjs', INSTALLED], { stdio: ['ignore', 'ignore', 'inherit'] });
}

async function startProgram(name: string, args: readonly string[]): Promise<PeerProcess> {
  const [command, all] = commandOn(SERVER_CORE, [name, ...args]);
  const env = { PATH: process.env.PATH, NODE_ENV: 'production' };
  const child = spawn(command, all, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  process.once('exit', () => child.kill('SIGKILL'));
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /http:\/\/\S+/.exec(line)?.[0];
    if (url !== undefined) return { url, pid: child.pid ?? 0, stop: () => void child.kill('SIGKILL') };
  }
  throw new Error(`the peer ${name} ended before it was ready`);
}
