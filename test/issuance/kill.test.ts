// A gateway killed with SIGKILL at random moments of its issuances: what was acknowledged is whole and counted once, nothing is there by half.
// KILLS and ISSUANCES are kept small for the suite; 50 and 500 take some minutes.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { loadConfig } from '../../src/config.js';
import { openStore, type Store } from '../../src/store.js';
import type { RestAnswer, TestGateway } from '../support/gateway.js';
import { registerIssuer, registerPartner, type TestPartner } from '../support/partner.js';

const KILLS = 5;
const ISSUANCES = 60;
const AT_ONCE = 4;
const OPERATOR_KEY = 'operator-key-of-the-kill-test-0123456789abcdef';

const dataDir = mkdtempSync(join(tmpdir(), 'gateway-kill-'));
let child: ChildProcess | undefined;
let url = '';
afterAll(() => {
  child?.kill('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

async function start(): Promise<void> {
  const port = await freePort();
  const env = {
    PATH: process.env.PATH,
    DATA_DIR: dataDir,
    PORT: String(port),
    ADMIN_API_KEY: OPERATOR_KEY,
    SAMPLE_CATALOG: 'false',
    LOG_LEVEL: 'silent',
  };
  child = spawn(process.execPath, ['dist/main.js'], { env, stdio: 'ignore' });
  url = `http://127.0.0.1:${port}`;
  while (!(await fetch(`${url}/health/ready`).catch(() => undefined))?.ok) await delay(20);
}

async function kill(): Promise<void> {
  const ended = new Promise((resolve) => child?.once('exit', resolve));
  child?.kill('SIGKILL');
  await ended;
}

async function rest(
  method: string,
  path: string,
  { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
): Promise<RestAnswer> {
  const answer = await fetch(url + path, {
    method,
    headers: { ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
    body: body ? JSON.stringify(body) : undefined,
  });
  return { status: answer.status, headers: answer.headers, body: await answer.json() };
}

/** The part of a test gateway that registering needs, over the process. */
const remote = {
  rest,
  admin: (method: string, path: string, options: { body?: unknown } = {}) =>
    rest(method, path, { ...options, headers: { 'x-admin-api-key': OPERATOR_KEY } }),
} as unknown as TestGateway;

/** Issues until the process dies or enough is issued; answers the acknowledged hashes. */
async function issueSome(partner: TestPartner, issuerDid: string, from: number, acknowledged: string[]): Promise<void> {
  let next = from;
  const lane = async (): Promise<void> => {
    while (next < from + ISSUANCES) {
      const email = `holder-${next++ % 20}@example.org`;
      const body = { issuerDid, credentialId: 'killed-credential', credentialSubject: { note: 'x' }, email };
      const answer = await partner.rest('POST', '/v1/credentials/issue-on-behalf', body).catch(() => undefined);
      if (!answer) return;
      if (answer.status === 200) acknowledged.push(answer.body.coreClaimHash);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

async function tractionOf(): Promise<{ issuanceCount: number; holderCount: number }> {
  return (await rest('GET', '/v1/catalog/credentials/killed-credential')).body.data.traction;
}

/** What the store holds of issuances, each with its package and its events. */
async function audit({ connection }: Store) {
  const issuances = await connection.collection('issuances').find().toArray();
  const stored = new Set(
    (await connection.collection('storedCredentials').find().toArray()).map(({ coreClaimHash }) => coreClaimHash),
  );
  const submitted = (await connection.collection('events').find({ type: 'submitted' }).toArray()).map(
    ({ payload }) => payload.coreClaimHash,
  );
  return { issuances, stored, submitted };
}

it('keeps every acknowledged issuance whole, and counts each once, through SIGKILL', async () => {
  await start();
  const issuerDid = await registerIssuer(remote, 'killed');
  const partner = await registerPartner(remote, [issuerDid]);
  const acknowledged: string[] = [];
  for (let round = 0; round < KILLS; round += 1) {
    const issuing = issueSome(partner, issuerDid, round * ISSUANCES, acknowledged);
    await delay(randomInt(100, 1_500));
    await kill();
    await issuing;
    await start();
  }
  await issueSome(partner, issuerDid, KILLS * ISSUANCES, acknowledged);
  const total = async () =>
    Number(
      (await rest('GET', '/v1/admin/issuance-history?limit=1', { headers: { 'x-admin-api-key': OPERATOR_KEY } })).body
        .pagination.total,
    );
  const issued = await total();
  for (let asked = 0; asked < 600 && (await tractionOf()).issuanceCount < issued; asked += 1) await delay(50);
  const traction = await tractionOf();
  await kill();
  const store = await openStore(loadConfig({ DATA_DIR: dataDir }));
  await store.connected;
  try {
    const { issuances, stored, submitted } = await audit(store);
    const hashes = new Set(issuances.map(({ coreClaimHash }) => coreClaimHash));
    expect(acknowledged.filter((hash) => !hashes.has(hash))).toEqual([]);
    expect(stored).toEqual(hashes);
    expect(submitted.sort()).toEqual([...hashes].sort());
    expect(traction).toMatchObject({
      issuanceCount: issuances.length,
      holderCount: new Set(issuances.map(({ holderId }) => holderId)).size,
    });
    expect(acknowledged.length).toBeGreaterThan(ISSUANCES);
  } finally {
    await store.close();
  }
}, 180_000);
