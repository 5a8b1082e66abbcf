// The engine as a process of its own, for benchmarks that need both a gateway and its store.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** Starts the engine in a folder; answers its address. */
export async function startEngine(dataDir: string): Promise<{ uri: string; stop(): void }> {
  const args = ['dist/engine/main.js', '--port', '0', '--data-dir', dataDir];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: child.stdout })) {
    const uri = /mongodb:\/\/\S+/.exec(line)?.[0];
    if (uri !== undefined) return { uri, stop: () => child.kill() };
  }
  throw new Error('the engine ended before it printed its address');
}
