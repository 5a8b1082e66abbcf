// `doctor` as an operator runs it: what is wrong is named with what mends it, and nothing is changed.
import { chmodSync, existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PROBLEMS } from '../../src/base/monitoring/problem-kinds.js';
import { certificateModels } from '../../src/certificates/models.js';
import { registerModels } from '../../src/compose/domains.js';
import { beginKeyChange, checkKeystoreKey } from '../../src/compose/keystore.js';
import { SealedBox } from '../../src/keys/sealed-box.js';
import { partnerModels } from '../../src/partners/models.js';
import { processLeaseModels } from '../../src/store/process-rows.js';
import { openDatabase, type TestDatabase } from '../support/database.js';
import { databaseUri } from '../support/gateway.js';
import { runProcess, startProcess } from '../support/process.js';
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

const KEY = Buffer.alloc(32, 1);

const envOf = ({ connection }: TestDatabase) => ({
  MONGODB_URI: databaseUri(connection.name),
  DATA_DIR: folderOf(),
  KEYSTORE_KEY: KEY.toString('base64'),
  CHAIN: 'off',
});

async function emptyDatabase() {
  const database = await openDatabase(() => ({}));
  onTestFinished(() => database.close());
  return envOf(database);
}

/** A store that is sealed under KEY. */
async function sealedStore() {
  const database = await openDatabase(registerModels);
  onTestFinished(() => database.close());
  await checkKeystoreKey(database.connection, new SealedBox(KEY), []);
  return { database, env: envOf(database) };
}

describe('cli doctor', () => {
  it('doctor finds no fault before the first start, and creates nothing', async () => {
    const folder = folderOf();
    const { code, out } = await runCliProcess(['doctor'], { DATA_DIR: join(folder, 'data') });
    expect(code).toBe(0);
    expect(out).toMatch(/^ok {4}store {10}there is no data yet: the first start creates it$/m);
    expect(out).toMatch(/all is well: \d+ checks\n$/);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('doctor also checks the node of the chain before the first start', async () => {
    const chain = { CHAIN_ID: '5', RELAYER_PRIVATE_KEY: `0x${'12'.repeat(32)}` };
    const at = (port: number) => ({
      ...{ ...chain, CHAIN_RPC_URL: `http://127.0.0.1:${port}` },
      DATA_DIR: join(folderOf(), 'data'),
    });
    const { code, wrong } = await wrongIn(at(9));
    expect([code, wrong]).toEqual([1, [expect.objectContaining({ part: 'chain', state: 'bad' })]]);
    const node = createServer((_request, response) => {
      response.setHeader('content-type', 'application/json');
      response.end('{"jsonrpc":"2.0","id":1,"result":"0x6"}');
    });
    await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void node.close());
    const { port } = node.address() as AddressInfo;
    expect((await wrongIn(at(port))).wrong).toMatchObject([
      { part: 'chain', says: expect.stringMatching(/the id 6, CHAIN_ID says 5/) },
    ]);
    expect(await wrongIn({ ...at(port), CHAIN_ID: '6' })).toEqual({ code: 0, wrong: [] });
  });

  it('doctor finds a port that no client calls', async () => {
    const { code, wrong } = await wrongIn({ PORT: '4190', DATA_DIR: join(folderOf(), 'data') });
    expect([code, wrong]).toEqual([1, [expect.objectContaining({ part: 'configuration', state: 'bad' })]]);
  });

  it('doctor names every invalid variable', async () => {
    const { code, wrong } = await wrongIn({ PORT: 'abc', LOG_LEVEL: 'loud' });
    expect(code).toBe(1);
    expect(wrong.map(({ state, says }) => [state, says.split(' ')[0]])).toEqual([
      ['bad', 'PORT'],
      ['bad', 'LOG_LEVEL'],
    ]);
  });

  it('doctor finds no fault beside a running gateway, except a secret that others may read', async () => {
    const folder = join(folderOf(), 'data');
    const gateway = await startProcess({ DATA_DIR: folder, SAMPLE_CATALOG: 'false' });
    expect(await wrongIn({ DATA_DIR: folder })).toEqual({ code: 0, wrong: [] });
    chmodSync(join(folder, 'keystore.key'), 0o644);
    const { code, wrong } = await wrongIn({ DATA_DIR: folder });
    expect(code).toBe(1);
    expect(wrong).toMatchObject([{ part: 'data folder', mend: `chmod 600 ${join(folder, 'keystore.key')}` }]);
    await gateway.end('SIGTERM');
  });

  it('doctor finds missing indexes, which migrate builds, and a wrong KEYSTORE_KEY', async () => {
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

  it.each([
    ['/dev/null', 'is not a folder; set DATA_DIR to another one.'],
    ['/etc/passwd/x', 'is not a folder; set DATA_DIR to another one.'],
    ['/proc/x', 'cannot be created there; set DATA_DIR to another one.'],
    ['/etc', "is not empty and is not this engine's: it holds"],
  ])('doctor reports the data folder %s as a start does', async (DATA_DIR, says) => {
    const { code, wrong } = await wrongIn({ DATA_DIR });
    expect([code, wrong.map(({ state }) => state)]).toEqual([1, ['bad']]);
    expect(wrong[0]?.says).toContain(`The data folder ${DATA_DIR} ${says}`);
    const { err } = await runProcess({ DATA_DIR });
    expect(err).toBe(`${wrong[0]?.says}\n`);
  });

  it('doctor reports a key with which no gateway starts as a start does', async () => {
    const { database, env } = await sealedStore();
    const { KEYSTORE_KEY: _key, ...without } = env;
    const keysOf = async (of: Record<string, string>) =>
      (await wrongIn(of)).wrong.filter(({ part }) => part === 'keys').map(({ state, says }) => `${state} ${says}`);
    expect(await keysOf(env)).toEqual([]);
    expect(await keysOf(without)).toEqual([expect.stringMatching(/^bad KEYSTORE_KEY is not set, /)]);
    expect(readdirSync(env.DATA_DIR)).toEqual([]);
    const unwritable = (await wrongIn({ ...without, DATA_DIR: '/proc' })).wrong;
    expect(unwritable).toContainEqual(expect.objectContaining({ part: 'data folder', state: 'bad' }));
    const cut = { ...without, DATA_DIR: folderOf({ 'keystore.key': 'c2hvcnQ=' }) };
    expect(await keysOf(cut)).toEqual([expect.stringMatching(/^bad .*keystore\.key must hold a KEYSTORE_KEY, /)]);
    await beginKeyChange(database.connection, new SealedBox(KEY));
    expect(await keysOf(env)).toEqual([expect.stringMatching(/^bad A change .* run `keys rotate` again/)]);
    const next = Buffer.alloc(32, 2).toString('base64');
    expect(await keysOf({ ...env, KEYSTORE_KEY: next })).toEqual(await keysOf(env));
  });

  it('doctor reports the open problems of gateways that run, since when, and what to do', async () => {
    const { database, env } = await sealedStore();
    const { sentence, todo } = PROBLEMS['mail-not-taken'];
    const problems = [{ kind: 'mail-not-taken', since: 1_000, note: 'The reason: x.' }];
    const { processes } = processLeaseModels(database.connection);
    const expiresAt = new Date(Date.now() + 3_600_000);
    await processes.insertMany([
      { _id: 'runs', elects: true, expiresAt, problems },
      { _id: 'has ended', elects: true, expiresAt: new Date(0), problems: [{ ...problems[0], kind: 'heap-small' }] },
    ]);
    const { code, wrong } = await wrongIn(env);
    const says = `${sentence} The reason: x. Since 1970-01-01T00:00:01.000Z, say gateways.`;
    expect(wrong).toContainEqual({ part: 'mail', state: 'bad', says, mend: todo });
    expect(wrong.map(({ part }) => part)).not.toContain('heap');
    expect(code).toBe(1);
    await processes.updateOne({ _id: 'runs' }, { $unset: { problems: 1 } });
    expect((await wrongIn(env)).wrong.map(({ part }) => part)).not.toContain('mail');
  });

  it('doctor reports why the key set of a partner is refused', async () => {
    const { database, env } = await sealedStore();
    const { partners } = partnerModels(database.connection);
    const row = { _id: 'acme', name: 'Acme', keySetProblem: 'It publishes the private member "d".', live: true };
    await partners.collection.insertOne(row as never);
    const { wrong } = await wrongIn(env);
    expect(wrong).toContainEqual(
      expect.objectContaining({ part: 'key sets', says: expect.stringContaining('acme: It publishes the private') }),
    );
  });

  it('doctor reports certificates that end soon, unless a newer key has another', async () => {
    const { database, env } = await sealedStore();
    const { certificates } = certificateModels(database.connection);
    const at = (days: number) => new Date(Date.now() + days * 86_400_000);
    const row = { chain: ['AA=='], subject: 'CN=x', notBefore: at(-9), sha256: '0'.repeat(64), ofSandbox: false };
    await certificates.insertMany([
      { ...row, _id: 'a', owner: 'issuer:club', notAfter: at(29) },
      { ...row, _id: 'b', owner: 'issuer:renewed', notAfter: at(-1) },
      { ...row, _id: 'c', owner: 'issuer:renewed', notAfter: at(31) },
      { ...row, _id: 'd', owner: 'verifier:sandbox', notAfter: at(2), ofSandbox: true },
    ]);
    const { wrong } = await wrongIn(env);
    const says = wrong.find(({ part }) => part === 'certificates')?.says;
    expect(says).toMatch(/^Certificates end soon or have ended: issuer:club \S+Z\.$/);
  });

  it('doctor says of passkeys of another host that they cannot be used, and how they can', async () => {
    const { database, env } = await sealedStore();
    const rows = ['gateway.example', 'gateway.example', 'wallet.example'].map((rpId, at) => ({ _id: `${at}`, rpId }));
    await database.connection.collection('passkeys').insertMany(rows as never);
    const PUBLIC_URL = 'https://wallet.gateway.example';
    const passkeys = async (more: object) =>
      (await wrongIn({ ...env, PUBLIC_URL, ...more })).wrong.filter(({ part }) => part === 'passkeys');
    expect(await passkeys({ PASSKEY_RP_ID: 'gateway.example' })).toEqual([
      {
        ...{ part: 'passkeys', state: 'bad' },
        says: '1 passkey is for wallet.example, and cannot be used: PASSKEY_RP_ID is gateway.example.',
        mend: expect.stringContaining('Set PASSKEY_RP_ID to wallet.example'),
      },
    ]);
    expect(await passkeys({})).toMatchObject([{ says: expect.stringMatching(/^3 passkeys are for/) }]);
    await database.connection.collection('passkeys').deleteOne({ rpId: 'wallet.example' });
    expect(await passkeys({ PASSKEY_RP_ID: 'gateway.example' })).toEqual([]);
    expect(await passkeys({ PUBLIC_URL: 'http://127.0.0.1:4000' })).toMatchObject([
      { says: expect.stringContaining('PASSKEY_RP_ID is none') },
    ]);
  });

  it('doctor reports that the store is unreachable, and checks everything else', async () => {
    const uri = 'mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=300';
    const { code, wrong } = await wrongIn({ MONGODB_URI: uri, DATA_DIR: folderOf(), PUBLIC_URL: 'http://127.0.0.1:1' });
    expect(code).toBe(1);
    expect(wrong).toMatchObject([
      { part: 'store', state: 'bad', says: 'The store at MONGODB_URI does not respond.' },
      {
        part: 'PUBLIC_URL',
        state: 'warn',
        says: 'Nothing responds at http://127.0.0.1:1: the connection is refused (ECONNREFUSED).',
      },
    ]);
    expect(existsSync('data')).toBe(false);
  });

  it('doctor finds a wrong chain, and a mail server that does not work', async () => {
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
      ['privileges', 'warn', 'The store has no access control.'],
      ['chain', 'bad', 'The chain at CHAIN_RPC_URL has the id 5, CHAIN_ID says 80002.'],
      ['mail', 'bad', 'The mail server at SMTP_URL does not accept mail: it does not respond in time (ETIMEDOUT).'],
    ]);
  });
});
