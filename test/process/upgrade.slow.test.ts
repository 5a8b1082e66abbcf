// A data folder of an earlier version (test/process/old-store, see its README): this version starts with it and continues.
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCliProcess } from '../cli/run-cli.js';
import { eventually } from '../support/eventually.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { registerPartner } from '../support/partner.js';

const OLD = 'test/process/old-store';
/** The key under which the folder was encrypted. */
const KEYSTORE_KEY = Buffer.alloc(32, 9).toString('base64');
const ENV = { KEYSTORE_KEY, CHAIN: 'off', ZK: 'off' };
const [LIVE, LIVE_TOO, REVOKED] = [
  'e81f79ca82bce5a54ea47beab34279f697002368b55377fc4c6fbccdd21708bd',
  '6417325bbc55d1ee497c43a79fd6c77314ae8e4e9242458fd585f68f27ba2f49',
  '93520954edf27c71ebd9537c156109b32eb3429a13ce8a09df8df5d52b1c8bf6',
];

const gateway = new GatewayProcess(ENV);
const cli = (...args: string[]) => runCliProcess(args, { ...ENV, DATA_DIR: gateway.dataDir });

beforeAll(async () => {
  writeFileSync(join(gateway.dataDir, 'data.mdb'), gunzipSync(readFileSync(join(OLD, 'data.mdb.gz'))), { mode: 0o600 });
  copyFileSync(join(OLD, 'engine.json'), join(gateway.dataDir, 'engine.json'));
  await gateway.start();
});
afterAll(() => gateway.remove());

const statusOf = async (hash: string) =>
  (await gateway.rest('GET', `/v1/credentials/status?coreClaimHash=${hash}`)).body.vcStatus;
const traction = async () => (await gateway.rest('GET', '/v1/catalog/credentials/degree-college')).body.data.traction;

describe('A data folder of an earlier version', () => {
  it('a data folder of an earlier version is served: catalog, counts and the states of credentials are unchanged', async () => {
    const { body } = await gateway.rest('GET', '/v1/catalog/programs/graduates');
    expect(body.data).toMatchObject({
      name: 'Graduates',
      acceptedCredentials: [{ credentialId: 'degree-college', verificationConditions: ['level >= 6'] }],
    });
    expect(await traction()).toMatchObject({ issuanceCount: 1_243, verificationCount: 310 });
    expect(await Promise.all([LIVE, LIVE_TOO, REVOKED].map(statusOf))).toEqual([
      'WAIT_ONCHAIN',
      'WAIT_ONCHAIN',
      'REMOVE',
    ]);
  });

  it('a data folder of an earlier version can be used: its issuer issues, and earlier credentials can be revoked', async () => {
    const { issuerDid } = (await gateway.admin('GET', '/v1/admin/issuers/college')).body;
    const partner = await registerPartner(gateway.asGateway, [issuerDid]);
    const order = {
      issuerDid,
      credentialId: 'degree-college',
      credentialSubject: { level: 8 },
      email: 'new@example.org',
    };
    const { status, body } = await partner.rest('POST', '/v1/credentials/issue-on-behalf', order);
    expect([status, await statusOf(body.coreClaimHash)]).toEqual([200, 'WAIT_ONCHAIN']);
    await eventually(async () => expect(await traction()).toMatchObject({ issuanceCount: 1_244 }));
    expect((await gateway.admin('POST', '/v1/admin/revoke', { body: { coreClaimHash: LIVE } })).status).toBe(200);
    expect(await statusOf(LIVE)).toBe('REMOVE');
  });

  it("a data folder of an earlier version passes every check: counts, audit log, installation, and the engine's own", async () => {
    expect(await cli('traction', 'verify')).toMatchObject({ code: 0 });
    expect(await cli('audit', 'verify')).toMatchObject({ code: 0 });
    expect(await cli('doctor')).toMatchObject({ code: 0, out: expect.stringContaining('all is well') });
    await gateway.stop('SIGTERM');
    expect(await cli('engine', 'check')).toMatchObject({ code: 0 });
  });
});
