// What a process prints: first its version, and at the end why it stops and that it has stopped. In production it prints only JSON lines.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { scratchFolder, startProcess } from '../support/process.js';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const SMALL = { SAMPLE_CATALOG: 'false', LOG_LEVEL: 'info', CHAIN: 'off' };
const PRODUCTION = {
  NETWORK_ENV: 'production',
  HOLDER_DID_TYPE: '03d1',
  KEYSTORE_KEY: Buffer.alloc(32, 1).toString('base64'),
  PUBLIC_URL: 'https://gateway.example',
};

interface Line {
  msg: string;
  [member: string]: unknown;
}

/** The lines of the log. @throws Error for a line that is not JSON. */
const linesOf = (out: string): Line[] =>
  out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

it.each(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)(
  'in production the log has only JSON lines, until after %s',
  async (signal) => {
    const gateway = await startProcess({ ...SMALL, ...PRODUCTION, DATA_DIR: join(scratchFolder(), 'data') });
    expect((await fetch(`${gateway.url}/health/live`)).status).toBe(200);
    const { code, out, err } = await gateway.end(signal);
    const lines = linesOf(out);
    expect([code, err]).toEqual([0, '']);
    expect(lines[0]).toMatchObject({ msg: 'the gateway starts', version, networkEnv: 'production' });
    expect(lines.at(-2)).toMatchObject({ msg: `${signal}: the gateway stops`, signal });
    expect(lines.at(-1)).toMatchObject({ msg: 'the gateway has stopped', signal });
  },
);

it('several processes stop in order at SIGHUP, and the first one logs it', async () => {
  const args = ['--workers', '2'];
  const gateway = await startProcess({ ...SMALL, DATA_DIR: join(scratchFolder(), 'data') }, args);
  expect(gateway.output()).toMatch(/^\{.*"msg":"the gateway starts"\}\n/);
  const { code, out } = await gateway.end('SIGHUP');
  expect(code).toBe(0);
  expect(out.match(/"msg":"the gateway has stopped"/g)).toHaveLength(2);
  expect(linesOf(out.trimEnd().split('\n').slice(-1).join())[0]).toMatchObject({
    msg: 'the primary has stopped',
    signal: 'SIGHUP',
    inOrder: true,
  });
});

it('--version prints version and commit, of the gateway, the commands and the engine', () => {
  const commit = readFileSync('dist/commit', 'utf8');
  expect(commit).toMatch(/^[0-9a-f]{12}(-dirty)?$/);
  for (const program of ['dist/process/main.js', 'dist/cli/main.js', 'dist/engine/main.js']) {
    const { stdout, status } = spawnSync(process.execPath, [program, '--version'], { encoding: 'utf8' });
    expect([status, stdout]).toEqual([0, `${version}+${commit}\n`]);
  }
});
