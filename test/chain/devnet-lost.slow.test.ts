// A devnet that is killed in the midst of its work, and whose state is gone, or that is reset: a new chain has all that was confirmed and all
// that waited.
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { isAnchored } from '../../src/chain/anchor-check.js';
import { Devnet } from '../../src/chain/devnet.js';
import { rpcOver } from '../../src/evm/rpc.js';
import { guardedFetch } from '../../src/http/outbound/guarded-fetch.js';
import { runCliProcess } from '../cli/run-cli.js';
import { ANVIL } from '../support/anvil.js';
import { eventually, until } from '../support/eventually.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { registerIssuer, registerPartner, type TestPartner } from '../support/partner.js';

describe.skipIf(ANVIL === undefined || process.platform === 'win32')('A devnet that begins anew', () => {
  const gateway = new GatewayProcess({ ANCHOR_INTERVAL_S: '1' });
  let partner: TestPartner;
  let issuerDid: string;
  beforeAll(async () => {
    await gateway.start();
    issuerDid = await registerIssuer(gateway.asGateway, 'lost');
    partner = await registerPartner(gateway.asGateway, [issuerDid]);
  });
  afterAll(() => gateway.remove());

  const fetch = guardedFetch({ allowLoopback: true });
  const file = (name: string) => join(gateway.dataDir, 'chain', name);
  const env = () => ({ DATA_DIR: gateway.dataDir });
  /** Kills the anvil of this folder, without its keeper. */
  const kill = (): void => {
    for (const line of execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n')) {
      const [, pid, args] = /^\s*(\d+) (.*)$/.exec(line) ?? [];
      if (args?.startsWith(ANVIL ?? '') && args.includes(gateway.dataDir)) process.kill(Number(pid), 'SIGKILL');
    }
  };
  const issued: string[] = [];
  const issue = async (): Promise<void> => {
    const body = { issuerDid, credentialId: 'lost-credential', credentialSubject: { note: 'x' } };
    const email = `${randomUUID()}@example.org`;
    issued.push((await partner.rest('POST', '/v1/credentials/issue-on-behalf', { ...body, email })).body.coreClaimHash);
  };
  const statusOf = async (hash: string) =>
    (await gateway.rest('GET', `/v1/credentials/status?coreClaimHash=${hash}`)).body;
  const isThere = async (hash: string): Promise<boolean> => {
    const { anchor } = await statusOf(hash);
    if (anchor === null) return false;
    const { port } = JSON.parse(readFileSync(file('devnet.json'), 'utf8'));
    return isAnchored(rpcOver(fetch, `http://127.0.0.1:${port}`), hash, 0, anchor).catch(() => false);
  };
  const allThere = async (): Promise<void> => {
    for (const hash of issued) await until(() => isThere(hash));
  };

  it('a devnet that lost its state in a kill has every claim again, once', async () => {
    await issue();
    await issue();
    await allThere();
    await issue();
    await issue();
    kill();
    rmSync(file('state.json'), { force: true });
    await issue();
    await allThere();
    for (const hash of issued) expect((await statusOf(hash)).vcStatus).toBe('ONCHAIN');
    await eventually(async () => {
      const { body } = await gateway.admin('GET', '/v1/events?types=anchored&limit=100');
      const told = body.items.map(({ coreClaimHash }: { coreClaimHash: string }) => coreClaimHash);
      expect(told.sort()).toEqual(issued.toSorted());
    });
  });

  it('a devnet that was reset while the gateway ran has every claim again', async () => {
    expect((await runCliProcess(['chain', 'reset'], env())).out).toContain('sends every transaction again');
    await issue();
    await allThere();
    const { status, body } = await gateway.rest('GET', '/health/ready');
    expect([status, body.problems ?? []]).toEqual([200, []]);
  });

  it('a devnet without the proxy works after a reset, as doctor says', async () => {
    await gateway.stop('SIGTERM');
    const options = { program: ANVIL ?? '', folder: join(gateway.dataDir, 'chain'), chainId: 31_337, fetch };
    const devnet = new Devnet({ ...options, onNotice: () => {} });
    onTestFinished(() => devnet.stop());
    const rpc = await devnet.rpc();
    await devnet.reset();
    await rpc('anvil_setCode', ['0x4e59b44847b379578588920ca78fbf26c0b4956c', '0x']);
    const doctor = async () => (await runCliProcess(['doctor'], env())).out;
    expect(await doctor()).toMatch(/no CREATE2 proxy[\s\S]*Run: npm run cli -- chain reset/);
    await runCliProcess(['chain', 'reset'], env());
    expect(await doctor()).not.toContain('no CREATE2 proxy');
  });
});
