// Wallets where there is a chain (contract §21): whose account is where, which signatures count, and whose do not.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encoded } from '../../src/evm/contracts.js';
import type { Hex } from '../../src/evm/rpc.js';
import { ANVIL } from '../support/anvil.js';
import {
  type AccountsWorld,
  CODES,
  forwardingTo,
  makeKey,
  randomAddress,
  register,
  startAccountsWorld,
  wrapped,
} from './support.js';

describe.skipIf(ANVIL === undefined)('A wallet', () => {
  let world: AccountsWorld;
  beforeAll(async () => {
    world = await startAccountsWorld();
  });
  afterAll(() => world?.close());

  const accountOf = (owner: Hex): Promise<Hex> =>
    world.read('CoreAccountFactory', world.contracts.accountFactory, 'getAddress', [owner, 0n]);
  const factoryData = (owner: Hex, salt = 0n) => encoded('CoreAccountFactory', 'createAccount', [owner, salt]);
  const codeOf = async (answer: ReturnType<typeof register>) => (await answer).errors?.[0]?.extensions.code;

  it('the wallet of a key is its account from the factory, wherever the holder sees it', async () => {
    const { key, account, rest, gql } = await world.holderWithWallet();
    expect(account).toBe(await accountOf(key.address));
    const shown = { address: account, owner: key.address, chainId: 31_337, deployed: false };
    expect((await rest('GET', '/v1/holders/me/account')).body).toEqual(shown);
    const { data } = await gql(
      '{ me { user { abstractAccountAddress } } smartAccount { address owner chainId deployed } isSmartAccountDeployed }',
    );
    expect(data).toEqual({
      me: { user: { abstractAccountAddress: account } },
      smartAccount: shown,
      isSmartAccountDeployed: false,
    });
  });

  it('without a wallet, the account is null and cannot be deployed', async () => {
    const { rest, gql } = await world.holder();
    expect((await rest('GET', '/v1/holders/me/account')).body).toBeNull();
    expect((await gql('{ smartAccount { address } isSmartAccountDeployed }')).data).toEqual({
      smartAccount: null,
      isSmartAccountDeployed: false,
    });
    const { status, body } = await rest('POST', '/v1/holders/me/account/deploy');
    expect([status, body.message]).toEqual([409, 'There is no wallet yet: register one first.']);
  });

  it('a wallet may be a contract that signs for itself (ERC-1271)', async () => {
    const contract = randomAddress();
    await world.chain.rpc('anvil_setCode', contract, CODES.yes);
    const holder = await world.holder();
    const { data } = await register(holder, contract, async () => '0x1234');
    const { abstractAccountAddress: address } = data.initializeWallet.result;
    expect(address.toLowerCase()).toBe(contract);
    const { body } = await holder.rest('GET', '/v1/holders/me/account');
    expect(body).toMatchObject({ address, owner: address, deployed: true });
    expect((await holder.rest('POST', '/v1/holders/me/account/deploy')).status).toBe(409);
  });

  it('an account may sign before it is deployed (ERC-6492), and is then the wallet of its key', async () => {
    const key = await makeKey();
    const account = await accountOf(key.address);
    const holder = await world.holder();
    const sign = async (message: string) =>
      wrapped(world.contracts.accountFactory, await factoryData(key.address), await key.signFor(account, message));
    const { data } = await register(holder, account, sign);
    expect(data.initializeWallet.result.abstractAccountAddress).toBe(account);
    const { body } = await holder.rest('GET', '/v1/holders/me/account');
    expect(body).toEqual({ address: account, owner: key.address, chainId: 31_337, deployed: false });
    const other = await world.holder();
    expect(await codeOf(register(other, key.address, (message) => key.sign(message)))).toBe('CONFLICT');
  });

  it('a wallet belongs to one holder: a second one gets 409 until the first has registered another', async () => {
    const { key, account, ...first } = await world.holderWithWallet();
    const second = await world.holder();
    const claim = () => register(second, key.address, (message) => key.sign(message));
    expect(await codeOf(claim())).toBe('CONFLICT');
    const other = await makeKey();
    await register(first, other.address, (message) => other.sign(message));
    expect((await claim()).data.initializeWallet.result.abstractAccountAddress).toBe(account);
  });

  it('one of two holders that register a wallet at the same time gets it', async () => {
    const key = await makeKey();
    const holders = await Promise.all([world.holder(), world.holder(), world.holder()]);
    const sign = (message: string) => key.sign(message);
    const codes = await Promise.all(holders.map((holder) => codeOf(register(holder, key.address, sign))));
    expect(codes.filter((code) => code === undefined)).toHaveLength(1);
    expect(codes.filter((code) => code === 'CONFLICT')).toHaveLength(2);
  });

  describe('Signatures that register no wallet', () => {
    const refused = async (address: Hex, sign: (message: string) => Promise<string>) => {
      const { errors } = await register(await world.holder(), address, sign);
      expect(errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', field: 'signature' });
    };

    it('a wallet is not registered by a signature of another factory, salt or owner', async () => {
      const { accountFactory } = world.contracts;
      const [key, other] = [await makeKey(), await makeKey()];
      const account = await accountOf(key.address);
      const stranger = randomAddress();
      await world.chain.rpc('anvil_setCode', stranger, CODES.yes);
      const inner = (message: string) => key.signFor(account, message);
      const wrap = async (factory: Hex, data: Hex, message: string) => wrapped(factory, data, await inner(message));
      await refused(account, async (message) => wrap(stranger, await factoryData(key.address), message));
      // One that has ours make the right account is another one all the same.
      const forwarder = randomAddress();
      await world.chain.rpc('anvil_setCode', forwarder, forwardingTo(accountFactory));
      await refused(account, async (message) => wrap(forwarder, await factoryData(key.address), message));
      await refused(account, async (message) => wrap(accountFactory, await factoryData(key.address, 1n), message));
      await refused(account, async (message) => wrap(accountFactory, await factoryData(other.address), message));
      await refused(account, async (message) => wrap(accountFactory, '0x', message));
    });

    it('a wallet is not registered by a contract that accepts every signature, at another address', async () => {
      const yes = randomAddress();
      await world.chain.rpc('anvil_setCode', yes, CODES.yes);
      await refused(randomAddress(), async () => wrapped(yes, '0x', '0x1234'));
      await refused((await makeKey()).address, async () => '0x1234');
    });

    it('a wallet is not registered by a signature for another chain, account or message', async () => {
      const key = await makeKey();
      const account = await accountOf(key.address);
      const wrap = async (signature: Hex) =>
        wrapped(world.contracts.accountFactory, await factoryData(key.address), signature);
      await refused(account, async (message) => wrap(await key.signFor(account, message, 1)));
      await refused(account, async (message) => wrap(await key.signFor(randomAddress(), message)));
      await refused(account, async () => wrap(await key.signFor(account, 'something else')));
    });

    it('a wallet is not registered by a contract that never ends, or returns a megabyte', async () => {
      for (const code of [CODES.endless, CODES.megabyte]) {
        const contract = randomAddress();
        await world.chain.rpc('anvil_setCode', contract, code);
        await refused(contract, async () => '0x1234');
      }
    });

    it.each(['', '0x', '0x123', 'nothing', `0x${'6492'.repeat(16)}`, `0x${'00'.repeat(9_000)}`])(
      'a wallet is not registered by a malformed signature: %.20s',
      async (signature) => refused(randomAddress(), async () => signature),
    );
  });
});
