// A devnet that is killed in the midst of its work, and whose state is gone: a new chain has all that was confirmed and all that waited.
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { isAnchored } from '../../src/chain/anchor-check.js';
import { rpcOver } from '../../src/evm/rpc.js';
import { guardedFetch } from '../../src/http/guarded-fetch.js';
import { ANVIL } from '../support/anvil.js';
import { eventually, until } from '../support/eventually.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { registerIssuer, registerPartner } from '../support/partner.js';

describe.skipIf(ANVIL === undefined || process.platform === 'win32')('A devnet that is killed with its state', () => {
  const gateway = new GatewayProcess({ ANCHOR_INTERVAL_S: '1' });
  afterAll(() => gateway.remove());

  const file = (name: string) => join(gateway.dataDir, 'chain', name);
  /** Kills the anvil of this folder, without its keeper. */
  const kill = (): void => {
    for (const line of execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n')) {
      const [, pid, args] = /^\s*(\d+) (.*)$/.exec(line) ?? [];
      if (args?.startsWith(ANVIL ?? '') && args.includes(gateway.dataDir)) process.kill(Number(pid), 'SIGKILL');
    }
  };

  it('begins anew, and has every claim again, once', async () => {
    await gateway.start();
    const issuerDid = await registerIssuer(gateway.asGateway, 'lost');
    const partner = await registerPartner(gateway.asGateway, [issuerDid]);
    const issue = async (): Promise<string> => {
      const body = { issuerDid, credentialId: 'lost-credential', credentialSubject: { note: 'x' } };
      const email = `${randomUUID()}@example.org`;
      return (await partner.rest('POST', '/v1/credentials/issue-on-behalf', { ...body, email })).body.coreClaimHash;
    };
    const statusOf = async (hash: string) =>
      (await gateway.rest('GET', `/v1/credentials/status?coreClaimHash=${hash}`)).body;
    const isThere = async (hash: string): Promise<boolean> => {
      const { anchor } = await statusOf(hash);
      if (anchor === null) return false;
      const { port } = JSON.parse(readFileSync(file('devnet.json'), 'utf8'));
      const rpc = rpcOver(guardedFetch({ allowLoopback: true }), `http://127.0.0.1:${port}`);
      return isAnchored(rpc, hash, 0, anchor).catch(() => false);
    };
    const confirmed = [await issue(), await issue()];
    for (const hash of confirmed) await until(() => isThere(hash));
    const waiting = [await issue(), await issue()];
    kill();
    rmSync(file('state.json'), { force: true });
    waiting.push(await issue());
    for (const hash of [...waiting, ...confirmed]) await until(() => isThere(hash));
    for (const hash of [...waiting, ...confirmed]) expect((await statusOf(hash)).vcStatus).toBe('ONCHAIN');
    await eventually(async () => {
      const { body } = await gateway.admin('GET', '/v1/events?types=anchored&limit=100');
      const told = body.items.map(({ coreClaimHash }: { coreClaimHash: string }) => coreClaimHash);
      expect(told.sort()).toEqual([...confirmed, ...waiting].sort());
    });
  });
});
