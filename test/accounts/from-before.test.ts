// Wallets that were registered without a chain, or before accounts had rows: they have their owner, and their account once there is a chain.
import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { ACCOUNTS_OF_KEYS } from '../../src/holders/holder-accounts.service.js';
import { updateRows } from '../../src/store/row-updates.js';
import { ANVIL, startChain, type TestChain } from '../support/anvil.js';
import { until } from '../support/eventually.js';
import { databaseUri, startGateway, type TestGateway } from '../support/gateway.js';
import { logIn, registerPartner, type TestPartner } from '../support/partner.js';
import { makeKey, register } from './support.js';

describe.skipIf(ANVIL === undefined)('A wallet from before', () => {
  const env = { MONGODB_URI: databaseUri(`test_${randomUUID().slice(0, 8)}`) };
  let chain: TestChain | undefined;
  let gateway: TestGateway;
  afterAll(async () => {
    await gateway?.close();
    await chain?.close();
  });

  it('a wallet of an earlier version has its address until there is a chain, then its account; of two holders with one wallet, the oldest has it', async () => {
    const bare = await startGateway({ env });
    const partner = await registerPartner(bare);
    const old = await holderOf(bare, partner);
    const shown = await bare.rest('GET', '/v1/holders/me/account', { headers: old.headers });
    expect(shown.body).toEqual({ address: old.key.address, owner: old.key.address, chainId: null, deployed: false });
    const younger = await holderOf(bare, partner);
    const { connection } = bare.app;
    const holders = connection.collection('holders');
    // As rows were before: the address alone; and nothing kept two from sharing it.
    await holders.updateMany({}, { $unset: { accountOwner: 1 } });
    await holders.updateOne({ _id: younger.id as never }, { $set: { abstractAccountAddress: old.key.address } });
    await connection.collection('accounts').deleteMany({});
    await connection.collection('checkpoints').deleteMany({ _id: 'holders have owners of accounts' as never });
    await updateRows(connection, [ACCOUNTS_OF_KEYS]);
    await updateRows(connection, [ACCOUNTS_OF_KEYS]);
    expect(await connection.collection('accounts').find().toArray()).toMatchObject([
      { _id: old.key.address, holderId: old.id, waits: true },
    ]);

    chain = await startChain();
    const relayerKey = `0x${randomBytes(32).toString('hex')}`;
    const chainEnv = { CHAIN_RPC_URL: chain.url, CHAIN_ID: '31337', RELAYER_PRIVATE_KEY: relayerKey };
    gateway = await startGateway({ env: { ...env, ...chainEnv } });
    const account = await gateway.app.services.chain.accountOf(old.key.address);
    const me = async (headers: Record<string, string>) =>
      (await gateway.rest('GET', '/v1/holders/me', { headers })).body.user.abstractAccountAddress;
    await until(async () => (await me(old.headers)) === account);
    expect(await me(younger.headers)).toBe(account);
    const login = await gateway.rest('POST', '/v1/auth/login', {
      body: { address: account, partnerId: partner.partnerId },
    });
    const signature = await old.key.sign(login.body.message);
    const verified = await gateway.rest('POST', '/v1/auth/verify', {
      body: { loginId: login.body.loginId, signature },
    });
    expect(verified.body.id).toBe(old.id);
    await bare.app.close();
  });

  async function holderOf(at: TestGateway, partner: TestPartner) {
    const headers = { authorization: `Bearer ${await logIn(at, partner, `${randomUUID()}@example.org`)}` };
    const key = await makeKey();
    const gql = (query: string, variables?: Record<string, unknown>) => at.gql(query, variables, headers);
    await register({ gql }, key.address, (message) => key.sign(message));
    const { body } = await at.rest('GET', '/v1/holders/me', { headers });
    return { headers, key, id: body.user.id as string };
  }
});
