// The command line with an environment of its own: as a function, and as the process that users start.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { Terminal } from '../../src/cli/output.js';
import { run } from '../../src/cli/run.js';

export interface CliResult {
  code: number | null;
  out: string;
  err: string;
}

/** Nobody serves this port: without `--url` no gateway is found. */
const ENVIRONMENT = { LOG_LEVEL: 'warn', PORT: '2' };

/** Every five seconds of a long run: only a slow machine prints it in a test. */
const PROGRESS = /^(?:issuing|offering|checking|importing|copying and comparing) \d+\/\d+.*\n/gm;

/** Runs the command line to its end, as a function in this process: a process of its own takes a second longer. */
export async function runCli(args: readonly string[], env: Record<string, string> = {}): Promise<CliResult> {
  const [out, err] = [new Text(), new Text()];
  const code = await run(args, new Terminal(out, err, { ...ENVIRONMENT, ...env }));
  return { code, out: out.text, err: err.text.replaceAll(PROGRESS, '') };
}

class Text extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk;
    done();
  }
}

/** Runs the built command line as a process. `nodeOptions` are Node's own. */
export function runCliProcess(
  args: readonly string[],
  env: Record<string, string> = {},
  nodeOptions: readonly string[] = [],
): Promise<CliResult> {
  const child = spawn(process.execPath, [...nodeOptions, 'dist/cli/main.js', ...args], {
    env: { PATH: process.env.PATH, ...ENVIRONMENT, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const result: CliResult = { code: null, out: '', err: '' };
  child.stdout.on('data', (chunk) => {
    result.out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    result.err += chunk;
  });
  const ended = (code: number | null): CliResult => ({ ...result, err: result.err.replaceAll(PROGRESS, ''), code });
  return new Promise((resolve) => child.once('close', (code) => resolve(ended(code))));
}

/** A folder with these files, gone after the test. */
export function folderOf(files: Record<string, string> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  return folder;
}
