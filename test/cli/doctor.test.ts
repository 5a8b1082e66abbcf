// `doctor` as an operator runs it: what is wrong is named with what mends it, and nothing is changed.
import { chmodSync, existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDatabase } from '../support/database.js';
import { databaseUri } from '../support/gateway.js';
import { startProcess } from '../support/process.js';
import { folderOf, runCli, runCliProcess } from './run-cli.js';

interface Finding {
  part: string;
  state: string;
  says: string;
  mend?: string;
}

/** The findings that are not ok. */
async function wrongIn(env: Record<string, string>): Promise<{ code: number | null; wrong: Finding[] }> {
  const { code, out, err } = await runCli(['doctor', '--json'], env);
  if (err !== '') throw new Error(err);
  const { findings } = JSON.parse(out) as { findings: Finding[] };
  return { code, wrong: findings.filter(({ state }) => state !== 'ok') };
}

async function emptyDatabase(): Promise<{
  MONGODB_URI: string;
  DATA_DIR: string;
  KEYSTORE_KEY: string;
  CHAIN: string;
}> {
  const database = await openDatabase(() => ({}));
  onTestFinished(() => database.close());
  const MONGODB_URI = databaseUri(database.connection.name);
  return { MONGODB_URI, DATA_DIR: folderOf(), KEYSTORE_KEY: Buffer.alloc(32, 1).toString('base64'), CHAIN: 'off' };
}

describe('cli doctor', () => {
  it('before the first start finds nothing wrong, and leaves nothing behind', async () => {
    const folder = folderOf();
    const { code, out } = await runCliProcess(['doctor'], { DATA_DIR: join(folder, 'data') });
    expect(code).toBe(0);
    expect(out).toMatch(/^ok {4}store {10}there is no data yet: the first start makes it$/m);
    expect(out).toMatch(/all is well: \d+ checks\n$/);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('names every bad variable', async () => {
    const { code, wrong } = await wrongIn({ PORT: 'abc', LOG_LEVEL: 'loud' });
    expect(code).toBe(1);
    expect(wrong.map(({ state, says }) => [state, says.split(' ')[0]])).toEqual([
      ['bad', 'PORT'],
      ['bad', 'LOG_LEVEL'],
    ]);
  });

  it('finds nothing wrong beside a running gateway, but a secret that others may read', async () => {
    const folder = join(folderOf(), 'data');
    const gateway = await startProcess({ DATA_DIR: folder, SAMPLE_CATALOG: 'false' });
    expect(await wrongIn({ DATA_DIR: folder })).toEqual({ code: 0, wrong: [] });
    chmodSync(join(folder, 'keystore.key'), 0o644);
    const { code, wrong } = await wrongIn({ DATA_DIR: folder });
    expect(code).toBe(1);
    expect(wrong).toMatchObject([{ part: 'data folder', mend: `chmod 600 ${join(folder, 'keystore.key')}` }]);
    await gateway.end('SIGTERM');
  });

  it('finds missing indexes, which migrate builds, and a KEYSTORE_KEY that is another', async () => {
    const env = await emptyDatabase();
    const before = await wrongIn(env);
    expect(before.code).toBe(1);
    expect(before.wrong).toContainEqual(
      expect.objectContaining({ part: 'indexes', state: 'bad', mend: 'Run: npm run cli -- migrate' }),
    );
    expect((await runCli(['migrate'], env)).code).toBe(0);
    const gateway = await startProcess({ ...env, SAMPLE_CATALOG: 'false' });
    await gateway.end('SIGTERM');
    expect((await wrongIn(env)).wrong.filter(({ state }) => state === 'bad')).toEqual([]);
    const { code, wrong } = await wrongIn({ ...env, KEYSTORE_KEY: Buffer.alloc(32, 2).toString('base64') });
    expect(code).toBe(1);
    expect(wrong).toContainEqual(expect.objectContaining({ part: 'keys', state: 'bad' }));
  });

  it('says that the store is away, and looks at the rest all the same', async () => {
    const uri = 'mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=300';
    const { code, wrong } = await wrongIn({ MONGODB_URI: uri, DATA_DIR: folderOf(), PUBLIC_URL: 'http://127.0.0.1:1' });
    expect(code).toBe(1);
    expect(wrong).toMatchObject([
      { part: 'store', state: 'bad', says: 'The store at MONGODB_URI does not answer.' },
      { part: 'PUBLIC_URL', state: 'warn', says: 'Nothing answers at http://127.0.0.1:1.' },
    ]);
    expect(existsSync('data')).toBe(false);
  });

  it('finds a chain that is another one, and a mail server that is none', async () => {
    const node = createServer((_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end('{"jsonrpc":"2.0","id":1,"result":"0x5"}');
    });
    await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void node.close());
    const { port } = node.address() as AddressInfo;
    const { CHAIN: _off, ...store } = await emptyDatabase();
    await runCli(['migrate'], { ...store, CHAIN: 'off' });
    const { KEYSTORE_KEY: _key, ...withoutKey } = store;
    const sameChain = {
      CHAIN_RPC_URL: `http://127.0.0.1:${port}`,
      CHAIN_ID: '5',
      RELAYER_PRIVATE_KEY: `0x${'12'.repeat(32)}`,
    };
    expect((await wrongIn({ ...withoutKey, ...sameChain })).code).toBe(0);
    expect(readdirSync(store.DATA_DIR)).toEqual([]);
    const { code, wrong } = await wrongIn({
      ...store,
      CHAIN_RPC_URL: `http://127.0.0.1:${port}`,
      CHAIN_ID: '80002',
      RELAYER_PRIVATE_KEY: `0x${'12'.repeat(32)}`,
      SMTP_URL: `smtp://127.0.0.1:${port}`,
    });
    expect(code).toBe(1);
    expect(wrong.map(({ part, state, says }) => [part, state, says])).toEqual([
      ['chain', 'bad', 'The chain at CHAIN_RPC_URL has the id 5, CHAIN_ID says 80002.'],
      ['mail', 'bad', 'The mail server at SMTP_URL does not take mail.'],
    ]);
  });
});
