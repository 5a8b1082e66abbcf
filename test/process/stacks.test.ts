// Stacks of the built gateway name its sources.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { withSource } from '../../src/base/source-maps.js';
import { freePorts } from '../support/gateway-process.js';

const folder = mkdtempSync(join(tmpdir(), 'stacks-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a built program after a module that breaks something. @returns what it prints */
function run(breaking: string, program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): string {
  const preload = join(folder, `${program.replaceAll('/', '-')}.mjs`);
  writeFileSync(preload, breaking);
  const all = ['--import', pathToFileURL(preload).href, `dist/${program}.js`, ...args];
  const given = { ...process.env, MONGODB_URI: '', DATA_DIR: join(folder, 'data'), ...env };
  const { stdout, stderr } = spawnSync(process.execPath, all, { encoding: 'utf8', env: given });
  return stdout + stderr;
}

/** The sources of ours that a stack names, with their lines. */
const sourcesIn = (stack: string): [string, number][] =>
  [...stack.matchAll(/([^\s(]+[\\/]src[\\/][^\s():]+\.ts):(\d+):\d+/g)].map(([, file = '', line]) => [
    file,
    Number(line),
  ]);

describe('the stack of an unexpected error', () => {
  it('at the start names the source, and the line that called', async () => {
    const [port] = await freePorts(1);
    const broken = `import { Server } from 'node:net'; Server.prototype.listen = () => { throw new Error('broken listen'); };`;
    const stack = run(broken, 'process/main', [], { PORT: String(port), MONGODB_URI: 'mongodb://127.0.0.1:1/' });
    expect(stack).toContain('Error: broken listen\n    at ');
    const [file = '', line = 0] = sourcesIn(stack.slice(stack.indexOf('broken listen')))[0] ?? [];
    expect(file).toBe(resolve('src/compose/app.ts'));
    expect(readFileSync(file, 'utf8').split('\n')[line - 1]).toContain('http.listen(');
  });

  it('of a command names the source', () => {
    const broken = `process.stdout.write = () => { throw new Error('broken output'); };`;
    const [file = '', line = 0] = sourcesIn(run(broken, 'cli/main', ['--help']))[0] ?? [];
    expect(file).toBe(resolve('src/cli/program.ts'));
    expect(readFileSync(file, 'utf8').split('\n')[line - 1]).toContain('writeOut');
  });
});

describe('a line of a stack', () => {
  const chunk = readdirSync('dist/chunks').find(
    (name) => name.startsWith('app-') && existsSync(`dist/chunks/${name}.map`),
  );
  const url = pathToFileURL(`dist/chunks/${chunk}`).href;

  it.each([
    ['createApp (node:net:1:2)', 'a module of Node'],
    ['createApp (native)', 'native code'],
    [`f (${pathToFileURL('dist/none.js').href}:1:2)`, 'a file without a map'],
    ['f (file://%:1:2)', 'what is no address'],
    ['f (file://host/none.js:1:2)', 'another host'],
  ])('is unchanged: %s (%s)', (line) => {
    expect(withSource(line)).toBe(line);
  });

  it('keeps what is around the place', () => {
    const line = readFileSync(`dist/chunks/${chunk}`, 'utf8')
      .split('\n')
      .findIndex((text) => text.includes('function createApp('));
    expect(withSource(`async createApp (${url}:${line + 1}:16)`)).toMatch(
      /^async createApp \(\S+src[\\/]compose[\\/]app\.ts:\d+:\d+\)$/,
    );
  });
});
