// The commands of package.json as people and supervisors use them: a signal to npm ends the processes it has started, and nothing is compiled twice.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isListening as isSocketListening, socketPathFor } from '../../src/engine/wire/listener.js';
import { scratchFolder } from '../support/process.js';

/** Whether a program listens on a loopback port. */
function isListening(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => done(true)).once('error', () => done(false));
    socket.once('connect', () => socket.destroy());
  });
}

/** Starts an npm script and waits for the port that it prints. */
async function startScript(args: string[], env: Record<string, string>, printed: RegExp) {
  const child: ChildProcess = spawn('npm', args, {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  onTestFinished(() => {
    try {
      // Processes that npm has left behind are in its process group, which has npm's own number.
      if (child.pid) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // No process is left in the group.
    }
  });
  // The event `close` comes when npm and all processes it has started have closed their output.
  const ended = new Promise<number | null>((done) => child.once('close', done));
  let out = '';
  const port = await new Promise<number>((done, failed) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      out += chunk.toString();
      const found = printed.exec(out)?.[1];
      if (found !== undefined) done(Number(found));
    });
    void ended.then((code) => failed(new Error(`npm ${args.join(' ')} ended with ${code}: ${out}`)));
  });
  return { port, npm: child, ended };
}

describe('SIGTERM to npm', () => {
  it.each([
    ['start', [], /GraphQL +http:\/\/127\.0\.0\.1:(\d+)/],
    ['run', ['engine', '--', '--port', '0', '--data-dir'], /mongodb:\/\/127\.0\.0\.1:(\d+)/],
  ])(
    'SIGTERM to npm ends what `npm %s` started, with 0: port and data folder are free',
    async (script, args, printed) => {
      const dataDir = scratchFolder();
      const env = { PORT: '0', DATA_DIR: dataDir, SAMPLE_CATALOG: 'false' };
      const more = args.length > 0 ? [...args, dataDir] : [];
      const { port, npm, ended } = await startScript([script, ...more], env, printed);
      expect(await isListening(port)).toBe(true);
      expect(await isSocketListening(socketPathFor(dataDir))).toBe(true);
      npm.kill('SIGTERM');
      expect(await ended).toBe(0);
      expect(await isListening(port)).toBe(false);
      expect(await isSocketListening(socketPathFor(dataDir))).toBe(false);
    },
  );
});

const { ENTRIES } = (await import('../../tools/bundle.mjs' as string)) as { ENTRIES: readonly string[] };

/** A project of small programs that uses this project's build. */
function smallProject({ bundler }: { bundler: boolean }) {
  const folder = scratchFolder();
  const at = (path: string) => join(folder, path);
  for (const file of ['tools/build.mjs', 'tools/bundle.mjs', 'tsconfig.json', 'package-lock.json'])
    cpSync(file, at(file));
  for (const name of ENTRIES) {
    mkdirSync(dirname(at(`src/${name}.ts`)), { recursive: true });
    writeFileSync(at(`src/${name}.ts`), `console.log('${name}');\n`);
  }
  writeFileSync(at('src/cli/main.ts'), '#!/usr/bin/env node\nconsole.log("one");\n');
  if (bundler) symlinkSync(resolve('node_modules'), at('node_modules'));
  const build = (script = 'build', env: NodeJS.ProcessEnv = {}, user: { uid?: number; gid?: number } = {}) =>
    spawnSync(process.execPath, [at('tools/build.mjs')], {
      env: { PATH: process.env.PATH, npm_lifecycle_event: script, ...env },
      encoding: 'utf8',
      ...user,
    });
  return { at, build };
}

describe('The build', () => {
  it('the build bundles if a source has changed, and does nothing if none has', () => {
    const { at, build } = smallProject({ bundler: true });
    expect(build()).toMatchObject({ status: 0, stdout: '', stderr: '' });
    const made = statSync(at('dist/cli/main.js'));
    expect(made.mode & 0o111).toBe(0o111);
    writeFileSync(at('dist/cli/main.js'), 'left alone');
    expect(build().status).toBe(0);
    expect(readFileSync(at('dist/cli/main.js'), 'utf8')).toBe('left alone');
    writeFileSync(at('src/cli/main.ts'), 'console.log("two");\n');
    expect(build().status).toBe(0);
    expect(readFileSync(at('dist/cli/main.js'), 'utf8')).toContain('"two"');
  });

  it('the build of another user can be started, and keeps its commit', () => {
    const { at, build } = smallProject({ bundler: true });
    expect(build('build', { GATEWAY_COMMIT: 'built' }).status).toBe(0);
    chmodSync(at(''), 0o755);
    chmodSync(at('dist/commit'), 0o444);
    const other = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    expect(build('cli', { GATEWAY_COMMIT: 'another' }, other)).toMatchObject({ status: 0, stderr: '' });
    expect(readFileSync(at('dist/commit'), 'utf8')).toBe('built');
  });

  it('the build fails if a source does not compile, each time', () => {
    const { at, build } = smallProject({ bundler: true });
    writeFileSync(at('src/cli/main.ts'), 'const = 1;\n');
    for (const run of [build(), build()]) {
      expect(run.status).toBe(1);
      expect(run.stdout).toContain('src/cli/main.ts');
      expect(run.stderr).toBe('The sources do not compile.\n');
    }
  });

  it('the build lets `npm ci --omit=dev` install, and an unbuilt program refuses to start', () => {
    const { at, build } = smallProject({ bundler: false });
    expect(build('prepare')).toMatchObject({ status: 0, stdout: '', stderr: '' });
    expect(build('start')).toMatchObject({ status: 1, stderr: expect.stringMatching(/^dist is not built[^\n]*\n$/) });
    // An image contains the build and no sources.
    rmSync(at('src'), { recursive: true });
    expect(build('start')).toMatchObject({ status: 0, stderr: '' });
    expect(existsSync(dirname(at('dist/x')))).toBe(false);
  });
});

describe('credential-gateway', () => {
  it('credential-gateway is a command of the clone', () => {
    const { status, stdout } = spawnSync('npx', ['credential-gateway', '--help'], { encoding: 'utf8' });
    expect([status, stdout]).toEqual([0, expect.stringContaining('Usage: credential-gateway')]);
  });
});
