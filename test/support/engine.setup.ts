// One store for the whole run: the engine as a process of its own, or the MongoDB at MONGODB_URI. Each gateway gets its own database in it.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  export interface ProvidedContext {
    mongodbUri: string;
  }
}

async function addressOf(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('the engine has no output');
  for await (const line of createInterface({ input: child.stdout })) {
    const uri = /mongodb:\/\/\S+/.exec(line)?.[0];
    if (uri) return uri;
  }
  throw new Error('the engine ended before it printed its address');
}

/** vitest's global setup: answers its own tear-down. */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const given = process.env.MONGODB_URI;
  if (given) {
    project.provide('mongodbUri', given);
    return undefined;
  }
  const dataDir = mkdtempSync(join(tmpdir(), 'gateway-test-'));
  const child = spawn(process.execPath, ['dist/engine/main.js', '--port', '0', '--data-dir', dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  project.provide('mongodbUri', await addressOf(child));
  return async () => {
    child.kill('SIGTERM');
    await new Promise((resolve) => child.once('exit', resolve));
    rmSync(dataDir, { recursive: true, force: true });
  };
}
