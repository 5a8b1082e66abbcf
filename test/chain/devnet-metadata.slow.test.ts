// On the devnet the tokens of core ids lead to their metadata at PUBLIC_URL, which the sender sets: from the first start with it on, where it
// changes, and on a devnet that begins anew.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { artifactOf } from '../../src/evm/contracts.js';
import { viem } from '../../src/evm/viem.js';
import { makeKey, register } from '../accounts/support.js';
import { runCliProcess } from '../cli/run-cli.js';
import { ANVIL } from '../support/anvil.js';
import { eventually, until } from '../support/eventually.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { logIn, registerPartner } from '../support/partner.js';

describe.skipIf(ANVIL === undefined || process.platform === 'win32')('A core id on the devnet', () => {
  const env: Record<string, string> = { ZK: 'off' };
  const gateway = new GatewayProcess(env);
  const at = gateway.asGateway;
  let headers: Record<string, string>;
  let id: string;
  beforeAll(async () => {
    await gateway.start();
    headers = { authorization: `Bearer ${await logIn(at, await registerPartner(at), `${randomUUID()}@example.org`)}` };
    const key = await makeKey();
    const gql = async (query: string, variables?: Record<string, unknown>) =>
      (await at.rest('POST', '/graphql', { body: { query, variables }, headers })).body;
    await register({ gql }, key.address, (message) => key.sign(message));
    id = (await at.rest('POST', '/v1/holders/me/core-id', { headers })).body.coreId.id;
    await until(async () => (await at.rest('GET', '/v1/holders/me', { headers })).body.coreId?.status === 'minted');
  });
  afterAll(() => gateway.remove());

  const restart = async (publicUrl: string) => {
    await gateway.stop('SIGTERM');
    env.PUBLIC_URL = publicUrl;
    await gateway.start();
  };
  const tokenUri = async () => {
    const { encodeFunctionData, decodeFunctionResult } = await viem();
    const abi = artifactOf('CoreId').abi as never;
    const data = encodeFunctionData({ abi, functionName: 'tokenURI', args: [BigInt(id)] } as never);
    const to = (await at.rest('GET', '/v1/chain')).body.contracts.coreId;
    const body = { jsonrpc: '2.0', id: 1, method: 'eth_call', params: [{ to, data }, 'latest'] };
    const { result } = (await at.rest('POST', '/v1/chain/rpc', { body, headers })).body;
    return decodeFunctionResult({ abi, functionName: 'tokenURI', data: result } as never) as string;
  };

  it('tokenURI of core ids is empty without a public address', async () => {
    expect(await tokenUri()).toBe('');
  });

  it.each(['https://one.example', 'https://two.example/gateway'])(
    'tokenURI of a core id leads to its metadata at %s',
    async (publicUrl) => {
      await restart(publicUrl);
      await eventually(async () => expect(await tokenUri()).toBe(`${publicUrl}/v1/core-ids/${id}`));
      const { pathname } = new URL((await tokenUri()).replace('/gateway', ''));
      expect((await at.rest('GET', pathname)).body).toMatchObject({
        image: `${publicUrl}/v1/core-ids/${id}/image.svg`,
      });
    },
  );

  it('tokenURI leads to the metadata on a devnet that was reset, too', async () => {
    await runCliProcess(['chain', 'reset'], { DATA_DIR: gateway.dataDir });
    await eventually(async () => expect(await tokenUri()).toBe(`https://two.example/gateway/v1/core-ids/${id}`));
  });
});
