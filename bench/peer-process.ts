// A peer as a process of its own, on the server's core; it prints its address when it is ready.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { commandOn, SERVER_CORE } from './cores.js';

export interface PeerProcess {
  url: string;
  pid: number;
  stop(): void;
}

/** Starts `bench/peers/<name>.ts`. @throws Error when it ends before it is ready. */
export async function startPeer(name: string, args: readonly string[]): Promise<PeerProcess> {
  const [command, all] = commandOn(SERVER_CORE, [`dist/bench/peers/${name}.js`, ...args]);
  const env = { PATH: process.env.PATH, NODE_ENV: 'production' };
  const child = spawn(command, all, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  process.once('exit', () => child.kill('SIGKILL'));
  for await (const line of createInterface({ input: child.stdout })) {
    const url = /http:\/\/\S+/.exec(line)?.[0];
    if (url !== undefined) return { url, pid: child.pid ?? 0, stop: () => void child.kill('SIGKILL') };
  }
  throw new Error(`the peer ${name} ended before it was ready`);
}
