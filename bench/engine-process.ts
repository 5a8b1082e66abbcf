// The engine as a process of its own, for benchmarks that need both a gateway and its store.
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { cpuSeconds } from './processor-time.js';

/** An engine that listens. */
export interface EngineProcess {
  uri: string;
  /** Processor time until now, seconds. */
  cpuSeconds(): number;
  /** Memory that is the process's own (RssAnon of Linux: without the mapped data file), bytes; NaN elsewhere. */
  memory(): Promise<number>;
  /** Ends it; resolves when it has ended. */
  stop(): Promise<void>;
}

/** Starts the engine in a folder; answers its address. */
export async function startEngine(dataDir: string): Promise<EngineProcess> {
  const args = ['dist/engine/main.js', '--port', '0', '--data-dir', dataDir];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  process.once('exit', () => child.kill('SIGKILL'));
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = (): Promise<void> => {
    child.kill();
    return ended;
  };
  const memory = async (): Promise<number> => {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '');
    return Number(/RssAnon:\s+(\d+) kB/.exec(status)?.[1] ?? Number.NaN) * 1024;
  };
  for await (const line of createInterface({ input: child.stdout })) {
    const uri = /mongodb:\/\/\S+/.exec(line)?.[0];
    if (uri !== undefined) return { uri, cpuSeconds: () => cpuSeconds(child.pid ?? 0), memory, stop };
  }
  throw new Error('the engine ended before it printed its address');
}
