// Core ids (contract §21): claims with and without the holder, names that are unique, mints that fail, and what wallets are shown.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { viem } from '../../src/evm/viem.js';
import { jobsOf } from '../chain/support.js';
import { ANVIL } from '../support/anvil.js';
import { until } from '../support/eventually.js';
import { startGateway } from '../support/gateway.js';
import { logIn, registerPartner } from '../support/partner.js';
import { type AccountsWorld, startAccountsWorld } from './support.js';

type HolderWithWallet = Awaited<ReturnType<AccountsWorld['holderWithWallet']>>;

const label = () => `n${randomUUID().slice(0, 12)}`.replaceAll('-', '');

describe.skipIf(ANVIL === undefined)('A core id', () => {
  let world: AccountsWorld;
  beforeAll(async () => {
    world = await startAccountsWorld({ env: { CORE_ID_ROOT: 'id.example' } });
  });
  afterAll(() => world?.close());

  const claim = ({ rest }: HolderWithWallet, name?: string) =>
    rest('POST', '/v1/holders/me/core-id', name === undefined ? {} : { name });
  const own = async ({ rest }: HolderWithWallet) => (await rest('GET', '/v1/holders/me')).body.coreId;
  const onceMinted = async (holder: HolderWithWallet) => {
    await until(async () => (await own(holder))?.status === 'minted');
    return own(holder);
  };
  const eventsOf = async ({ rest }: HolderWithWallet) => (await rest('GET', '/v1/events')).body.items;
  const asPartner = async (email: string, body: object = {}) =>
    world.gateway.rest('POST', '/v1/core-ids/claim', {
      body,
      headers: { 'x-partner-auth': await world.token({ email }) },
    });

  it('a core id is minted to the account, with its node as id, and an event for each step', async () => {
    const holder = await world.holderWithWallet();
    const name = label();
    const { status, body } = await claim(holder, name);
    expect(status).toBe(202);
    const { namehash } = await import('viem/ens');
    const node = namehash(`${name}.id.example`);
    const { coreId } = body;
    expect(coreId).toEqual({
      id: BigInt(node).toString(),
      name: `${name}.id.example`,
      node,
      status: 'minting',
      chainId: 31_337,
      imageUrl: `http://localhost:0/v1/core-ids/${BigInt(node)}/image.svg`,
    });
    const minted = { ...coreId, status: 'minted' };
    expect(await onceMinted(holder)).toEqual(minted);
    expect(await world.read('CoreId', world.contracts.coreId, 'ownerOf', [BigInt(node)])).toBe(holder.account);
    await until(async () => (await eventsOf(holder)).some(({ type }: { type: string }) => type === 'core_id_minted'));
    const events = (await eventsOf(holder)).filter(({ type }: { type: string }) => type.startsWith('core_id'));
    expect(events.map(({ type }: { type: string }) => type)).toEqual(['core_id_minting_started', 'core_id_minted']);
    expect(events[1].result).toEqual(minted);
    const [mint] = (await jobsOf(world)).filter(({ args }) => args.node === node);
    expect(mint?.gasUsed).toBeLessThanOrEqual(100_000);
  });

  it('every later claim returns the same core id, whatever the name', async () => {
    const holder = await world.holderWithWallet();
    const first = (await claim(holder, label())).body.coreId;
    // It may be minted by now.
    const again = { ...first, status: expect.stringMatching(/^(minting|minted)$/) };
    expect((await claim(holder, label())).body.coreId).toEqual(again);
    const minted = await onceMinted(holder);
    const { data } = await holder.gql(
      'mutation { claimCoreId(input: { name: "other" }) { coreId { id name status } } }',
    );
    expect(data.claimCoreId.coreId).toEqual({ id: minted.id, name: minted.name, status: 'MINTED' });
  });

  it('a core id may have no name', async () => {
    const holder = await world.holderWithWallet();
    const { coreId } = (await claim(holder)).body;
    expect(coreId.name).toBeUndefined();
    expect(coreId.node).toMatch(/^0x[0-9a-f]{64}$/);
    expect((await onceMinted(holder)).name).toBeUndefined();
  });

  it('of ten holders that claim one name at two gateways at the same time, one gets it', async () => {
    const holders = await Promise.all(Array.from({ length: 10 }, () => world.holderWithWallet()));
    const second = await startGateway({ env: world.env });
    const name = label();
    const ask = ({ token }: HolderWithWallet, at: number) =>
      (at % 2 === 0 ? world.gateway : second).rest('POST', '/v1/holders/me/core-id', {
        body: { name },
        headers: { authorization: `Bearer ${token}` },
      });
    const answers = await Promise.all(holders.map(ask));
    await second.app.close();
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    const refused = answers.filter(({ status }) => status === 409);
    expect(refused).toHaveLength(9);
    for (const { body } of refused) expect(body.message).toBe('This name is taken.');
  });

  it('concurrent claims of one holder mint one core id', async () => {
    const holder = await world.holderWithWallet();
    const answers = await Promise.all([label(), label(), label()].map((name) => claim(holder, name)));
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
    expect(new Set(answers.map(({ body }) => body.coreId.id)).size).toBe(1);
  });

  it('a core id that cannot be minted is deleted, with an event, and its name is free again', async () => {
    const holder = await world.holderWithWallet();
    // The contract takes one an account, whoever minted it.
    await world.chain.rpc(
      'anvil_setStorageAt',
      world.contracts.coreId,
      await slotOf(holder.account),
      `0x${'ab'.repeat(32)}`,
    );
    const name = label();
    expect((await claim(holder, name)).status).toBe(202);
    await until(async () => (await own(holder)) === undefined);
    await until(async () => (await eventsOf(holder)).at(-1)?.type === 'core_id_minting_failed');
    expect((await eventsOf(holder)).at(-1).errorMessage).toBe('The contract refuses the call.');
    const [job] = (await jobsOf(world)).filter(({ state }) => state === 'failed');
    expect(job?.nonce).toBeUndefined();
    const retry = 'mutation ($input: ChainJobInput!) { retryChainJob(input: $input) { job { state } } }';
    const operator = { 'x-admin-api-key': world.gateway.operatorKey };
    const { errors } = await world.gateway.gql(retry, { input: { jobId: job?._id } }, operator);
    expect(errors?.[0]?.message).toContain('claim it again');
    const next = await world.holderWithWallet();
    expect((await claim(next, name)).status).toBe(202);
    expect((await onceMinted(next)).name).toBe(`${name}.id.example`);
  });

  /** Where CoreId.sol keeps the token of an account; found by trying, because the layout is the compiler's. */
  async function slotOf(account: string): Promise<string> {
    const { encodeAbiParameters, keccak256 } = await viem();
    const probe = await world.holderWithWallet();
    const { id } = (await claim(probe)).body.coreId;
    await onceMinted(probe);
    for (let base = 0n; base < 20n; base += 1n) {
      const slotFor = (address: string) =>
        keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [address as never, base]));
      const word = await world.chain.rpc('eth_getStorageAt', world.contracts.coreId, slotFor(probe.account), 'latest');
      if (BigInt(word) === BigInt(id)) return slotFor(account);
    }
    throw new Error('CoreId.sol has no such slot');
  }

  it('a partner claims a core id for one of its holders, without the holder', async () => {
    const holder = await world.holderWithWallet();
    const name = label();
    const { status, body } = await asPartner(holder.email, { name });
    expect([status, body.coreId.name]).toEqual([202, `${name}.id.example`]);
    expect((await onceMinted(holder)).id).toBe(body.coreId.id);
    const claimCoreId = 'mutation { claimCoreId(input: {}) { coreId { status } } }';
    const headers = { 'x-partner-auth': await world.token({ email: holder.email }, 'verify') };
    expect((await world.gateway.gql(claimCoreId, {}, headers)).data.claimCoreId.coreId.status).toBe('MINTED');
    expect((await world.partner('POST', '/v1/core-ids/claim', {})).body.message).toBe('"email" is missing.');
  });

  it('a partner gets the same refusal for every holder that is not its own', async () => {
    const other = await registerPartner(world.gateway);
    const strangers = `${randomUUID()}@example.org`;
    await logIn(world.gateway, other, strangers);
    const declined = await world.holderWithWallet();
    await declined.rest('PUT', `/v1/holders/me/partners/${world.partnerId}`, { consent: 'declined' });
    const withoutWallet = await world.holder();
    const emails = [`${randomUUID()}@example.org`, strangers, declined.email, withoutWallet.email];
    const answers = await Promise.all(emails.map((email) => asPartner(email)));
    for (const { status, body } of answers) expect([status, body]).toEqual([409, answers[0]?.body]);
  });

  describe('Core ids of a holder', () => {
    let holder: HolderWithWallet;
    beforeAll(async () => {
      holder = await world.holderWithWallet();
    });

    it.each(['ab', 'a'.repeat(33), 'Ada', 'a--b', '-ab', 'ab-', 'ä-umlaut', 'a.b', 'a b'])(
      'a core id cannot have a name like %s',
      async (name) => {
        const { status, body } = await claim(holder, name);
        expect([status, body.message]).toEqual([400, expect.stringContaining('"name" must be 3 to 32')]);
      },
    );
  });

  it("anyone can read a core id's metadata and its image, which has no script", async () => {
    const holder = await world.holderWithWallet();
    const { id, name } = (await claim(holder, label())).body.coreId;
    const { body } = await world.gateway.rest('GET', `/v1/core-ids/${id}`);
    expect(body).toMatchObject({ name, image: expect.stringContaining(`/v1/core-ids/${id}/image.svg`) });
    const image = await world.gateway.rest('GET', `/v1/core-ids/${id}/image.svg`);
    expect(image.headers.get('content-type')).toBe('image/svg+xml; charset=utf-8');
    expect(image.headers.get('content-security-policy')).toBe("default-src 'none'");
    expect(image.body).toContain(`>${name}</text>`);
    expect(image.body).not.toMatch(/script|href|style/);
    for (const unknown of ['1', '-1', '01', 'x', '9'.repeat(78), '9'.repeat(200)])
      expect((await world.gateway.rest('GET', `/v1/core-ids/${unknown}`)).status).toBe(404);
  });

  it('a core id needs a wallet, and cannot be recorded by hand if there is a chain', async () => {
    const { rest } = await world.holder();
    expect((await rest('POST', '/v1/holders/me/core-id', {})).status).toBe(409);
    const record = 'mutation ($input: RecordCoreIdInput!) { recordCoreId(input: $input) { coreId { id } } }';
    const input = { holderId: randomUUID(), errorMessage: 'x' };
    const operator = { 'x-admin-api-key': world.gateway.operatorKey };
    const { errors } = await world.gateway.gql(record, { input }, operator);
    expect(errors?.[0]?.extensions.code).toBe('CONFLICT');
  });
});

describe('Without a chain', () => {
  it('without a chain, wallets work as before, and deployments and core ids get 503', async () => {
    const gateway = await startGateway();
    const partner = await registerPartner(gateway);
    const authorization = `Bearer ${await logIn(gateway, partner, 'a@example.org')}`;
    for (const path of ['account/deploy', 'core-id']) {
      const answer = await gateway.rest('POST', `/v1/holders/me/${path}`, { headers: { authorization } });
      expect([path, answer.status, answer.headers.get('retry-after')]).toEqual([path, 503, '5']);
    }
    await gateway.close();
  });
});
