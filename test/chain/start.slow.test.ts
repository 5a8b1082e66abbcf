// A gateway that nobody asks for anything of the chain neither loads nor starts anything of it; one issuance, and its claim is there.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ANVIL } from '../support/anvil.js';
import { until } from '../support/eventually.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { installProduction } from '../support/installation.js';
import { registerIssuer, registerPartner } from '../support/partner.js';

describe.skipIf(ANVIL === undefined || process.platform === 'win32')('A fresh clone', () => {
  const folder = mkdtempSync(join(tmpdir(), 'modules-'));
  const modules = join(folder, 'modules');
  // As in production: with the packages of `npm ci --omit=dev` alone.
  const installed = installProduction(join(folder, 'installed'));
  const env = { NODE_OPTIONS: `--import ${pathToFileURL('test/support/list-modules.mjs')}`, LIST_MODULES: modules };
  const gateway = new GatewayProcess(env, installed);
  beforeAll(() => gateway.start());
  afterAll(() => {
    gateway.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const anvils = () =>
    execFileSync('ps', ['-eo', 'args='], { encoding: 'utf8' })
      .split('\n')
      .filter((args) => args.includes('anvil') && args.includes(gateway.dataDir));
  const loaded = () =>
    readFileSync(modules, 'utf8')
      .split('\n')
      .filter((url) => url.includes('/dist/chunks/') && readFileSync(fileURLToPath(url), 'utf8').includes('viem@'));

  it("the gateway starts without loading the chain's libraries, and without a devnet", () => {
    expect(readFileSync(modules, 'utf8')).toMatch(/dist\/chunks\/domains-/);
    expect(loaded()).toEqual([]);
    expect(anvils()).toEqual([]);
    expect(existsSync(join(gateway.dataDir, 'chain'))).toBe(false);
  });

  it('a gateway anchors its first claim on its own devnet, which ends with it when it is killed', async () => {
    const issuerDid = await registerIssuer(gateway.asGateway, 'first');
    const partner = await registerPartner(gateway.asGateway, [issuerDid]);
    const issuance = { issuerDid, credentialId: 'first-credential', credentialSubject: { note: 'x' } };
    const issued = await partner.rest('POST', '/v1/credentials/issue-on-behalf', {
      ...issuance,
      email: 'a@example.org',
    });
    const hash = issued.body.coreClaimHash;
    await until(async () => {
      const { body } = await gateway.rest('GET', `/v1/credentials/status?coreClaimHash=${hash}`);
      return body.vcStatus === 'ONCHAIN';
    });
    expect(loaded()).not.toEqual([]);
    expect(anvils()).not.toEqual([]);
    await gateway.stop('SIGKILL');
    await until(async () => anvils().length === 0);
  });
});
