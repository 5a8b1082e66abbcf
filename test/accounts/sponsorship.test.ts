// Who pays for gas (contract §22): a partner's policy, which holds however many ask at once, and for which sessions.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { HolderCaller } from '../../src/base/callers/caller.js';
import type { DomainError } from '../../src/base/errors.js';
import { DEFAULT_GAS_POLICIES, gasShareOf } from '../../src/partners/gas-policy.service.js';
import { ANVIL } from '../support/anvil.js';
import { until } from '../support/eventually.js';
import { type AccountsWorld, hashOf, makeKey, randomAddress, register, startAccountsWorld } from './support.js';

const ASKED = 1_000;
const BUDGET = 10;
const DAY_MS = 86_400_000;

describe.skipIf(ANVIL === undefined)('The gas policy of a partner', () => {
  let world: AccountsWorld;
  beforeAll(async () => {
    world = await startAccountsWorld();
  });
  afterAll(() => world?.close());
  // A new day has a new budget.
  beforeEach(async () => {
    const { connection } = world.gateway.app;
    await until(async () => (await connection.collection('gasTakings').countDocuments()) === 0);
    await connection.collection('gasSpending').deleteMany({});
  });

  const setPolicy = async (gasPolicy: object | null, partnerId = world.partnerId): Promise<void> => {
    const path = `/v1/admin/partners/${partnerId}`;
    const { body } = await world.gateway.admin('GET', path);
    const { name, jwks, scopes, issuerDids, issueOnBehalf } = body;
    const change = { name, jwks, scopes, issuerDids, issueOnBehalf, gasPolicy };
    const answer = await world.gateway.admin('PUT', path, { body: change });
    expect(answer.body.gasPolicy).toEqual(gasPolicy);
  };
  const partnerId = () => world.partnerId;
  const spent = async () => {
    const day = new Date().toISOString().slice(0, 10);
    return world.gateway.app.connection.collection('gasSpending').findOne({ _id: `${day} ${partnerId()}` as never });
  };
  /** Holders with accounts, straight in the store. */
  const holders = async (count: number): Promise<HolderCaller[]> => {
    const at = new Date();
    const rows = Array.from({ length: count }, () => {
      const [_id, owner] = [randomUUID(), randomAddress()];
      const account = { abstractAccountAddress: randomAddress(), accountOwner: owner };
      return { _id, emailHash: _id, sealedEmail: '', did: `did:${_id}`, ...account, createdAt: at, updatedAt: at };
    });
    await world.gateway.app.connection.collection('holders').insertMany(rows as never);
    return rows.map(({ _id: holderId }) => ({
      kind: 'holder',
      holderId,
      partnerId: partnerId(),
      sessionId: '',
      expiresAt: 0,
    }));
  };

  it(`of ${ASKED} concurrent deployments over a budget of ${BUDGET}, ${BUDGET} are admitted`, async () => {
    await setPolicy({ deploysPerDay: BUDGET });
    const { accounts } = world.gateway.app.services;
    const callers = await holders(ASKED);
    const answers = await Promise.allSettled(callers.map((caller) => accounts.deploy(caller)));
    const refused = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : []));
    expect(answers.length - refused.length).toBe(BUDGET);
    for (const error of refused) expect(error).toMatchObject({ code: 'RATE_LIMITED' });
    const jobs = world.gateway.app.connection.collection('chainJobs');
    expect(await jobs.countDocuments({ kind: 'account', partnerId: partnerId() })).toBe(BUDGET);
    expect((await spent())?.deploys).toBe(BUDGET);
  });

  it('a job reserves its gas limit, and is charged what it used once it is confirmed', async () => {
    await setPolicy({ gasPerDay: 200_000 });
    const { rest } = await world.holderWithWallet();
    const txHash = await hashOf({ rest }, await rest('POST', '/v1/holders/me/account/deploy'));
    const again = await world.holderWithWallet();
    const job = async () => (await rest('GET', `/v1/chain/transactions/${txHash}`)).body;
    await until(async () => (await job()).state === 'confirmed');
    const row = await world.gateway.app.connection.collection('chainJobs').findOne({ transactionHash: txHash });
    expect(row?.gasUsed).toBeLessThanOrEqual(155_000);
    expect((await spent())?.gas).toBe(row?.gasUsed);
    // A second one fits only beside what the first has used, not beside its limit.
    expect((await again.rest('POST', '/v1/holders/me/account/deploy')).status).toBe(
      row?.gasUsed + 155_000 <= 200_000 ? 200 : 429,
    );
  });

  it('a used-up budget is refused until tomorrow', async () => {
    await setPolicy({ mintsPerDay: 0 });
    const holder = await world.holderWithWallet();
    const asked = Date.now();
    const refused = await holder.rest('POST', '/v1/holders/me/core-id', {});
    const answered = Date.now();
    expect([refused.status, refused.body.message]).toEqual([
      429,
      'The budget of the partner for gas is used up for today.',
    ]);
    // Counted at some moment between the two.
    const afterMs = Number(refused.headers.get('retry-after')) * 1_000;
    const tomorrow = (Math.floor(asked / DAY_MS) + 1) * DAY_MS;
    expect(answered + afterMs).toBeGreaterThanOrEqual(tomorrow);
    expect(asked + afterMs).toBeLessThan(tomorrow + 1_000);
    expect(await world.gateway.app.connection.collection('coreIds').countDocuments()).toBe(0);
    await setPolicy({ mintsPerDay: 1 });
    expect((await holder.rest('POST', '/v1/holders/me/core-id', {})).status).toBe(202);
  });

  describe("A holder's share of the budget", () => {
    /** One holder after another registers an account and deploys it; returns the messages of refusals. */
    const deployAgain = async (caller: HolderCaller, times: number): Promise<string[]> => {
      const { connection, services } = world.gateway.app;
      const refusals: string[] = [];
      for (let time = 0; time < times; time += 1) {
        const account = { abstractAccountAddress: randomAddress(), accountOwner: randomAddress() };
        await connection.collection('holders').updateOne({ _id: caller.holderId as never }, { $set: account });
        await services.accounts.deploy(caller).catch((error: DomainError) => {
          expect(error).toMatchObject({ code: 'RATE_LIMITED', data: { retryAfter: expect.any(Number) } });
          refusals.push(error.message);
        });
      }
      return refusals;
    };
    const SHARE = "The holder's share of the partner's budget for gas is used up for today.";

    it('a holder may deploy three times a day by default, and other holders have their own share', async () => {
      await setPolicy(null);
      const [one, other] = await holders(2);
      if (one === undefined || other === undefined) throw new Error('no holders');
      expect(await deployAgain(one, 6)).toEqual([SHARE, SHARE, SHARE]);
      expect(await deployAgain(other, 1)).toEqual([]);
      expect((await spent())?.deploys).toBe(4);
    });

    it("a holder's share is half of a small budget of gas, whatever its deployments", async () => {
      await setPolicy({ gasPerDay: 1_000_000, deploysPerHolderPerDay: 100 });
      const [one, other] = await holders(2);
      if (one === undefined || other === undefined) throw new Error('no holders');
      const refusals = await deployAgain(one, 12);
      expect(refusals.length).toBeGreaterThanOrEqual(5);
      expect(new Set(refusals)).toEqual(new Set([SHARE]));
      expect((await spent())?.gas).toBeLessThanOrEqual(500_000);
      expect(await deployAgain(other, 1)).toEqual([]);
    });

    it("a policy sets a holder's share of deployments, core ids, operations and gas", async () => {
      const holder = await world.holderWithWallet();
      const ask = async (path: string) => {
        const { status, body } = await holder.rest('POST', `/v1/holders/me/${path}`, {});
        return [status, body.message];
      };
      await setPolicy({ deploysPerHolderPerDay: 0, mintsPerHolderPerDay: 0 });
      expect([await ask('account/deploy'), await ask('core-id')]).toEqual([
        [429, SHARE],
        [429, SHARE],
      ]);
      await setPolicy({ gasPerHolderPerDay: 10_000 });
      expect([await ask('account/deploy'), await ask('core-id')]).toEqual([
        [429, SHARE],
        [429, SHARE],
      ]);
      await setPolicy({ gasPerHolderPerDay: 1_000_000 });
      expect((await ask('core-id'))[0]).toBe(202);
    });

    it("gas that a job has not used is returned to the holder's share", async () => {
      await setPolicy({ gasPerHolderPerDay: 1_000_000 });
      const holder = await world.holderWithWallet();
      await hashOf(holder, await holder.rest('POST', '/v1/holders/me/account/deploy'));
      const { connection } = world.gateway.app;
      await until(async () => (await connection.collection('gasTakings').countDocuments()) === 0);
      const rows = await connection.collection('gasSpending').find().toArray();
      expect(rows).toHaveLength(2);
      expect(rows[0]?.gas).toBe(rows[1]?.gas);
      expect(rows[0]?.gas).toBeLessThan(155_000);
    });
  });

  it('without anyLogin, a partner pays only for sessions that a partner token opened', async () => {
    await setPolicy({ anyLogin: false });
    const key = await makeKey();
    const vouched = await world.holderWithWallet(key);
    const login = await world.gateway.rest('POST', '/v1/auth/login', {
      body: { address: key.address, partnerId: partnerId() },
    });
    const { loginId, message } = login.body;
    const verified = await world.gateway.rest('POST', '/v1/auth/verify', {
      body: { loginId, signature: await key.sign(message) },
    });
    const headers = { authorization: `Bearer ${verified.body.token}` };
    for (const path of ['core-id', 'account/deploy']) {
      const alone = await world.gateway.rest('POST', `/v1/holders/me/${path}`, { headers });
      expect([path, alone.status]).toEqual([path, 403]);
    }
    expect((await vouched.rest('POST', '/v1/holders/me/core-id', {})).status).toBe(202);
  });

  it('a session opened by e-mail alone is not vouched for, also after it is resumed', async () => {
    await setPolicy({ anyLogin: false });
    const email = `${randomUUID()}@example.org`;
    const login = await world.gateway.rest('POST', '/v1/auth/login', { body: { email, partnerId: partnerId() } });
    const mailbox = await world.gateway.admin('GET', `/v1/sandbox/mailbox?email=${email}`);
    const { code } = mailbox.body.messages.at(-1);
    const verified = await world.gateway.rest('POST', '/v1/auth/verify', {
      body: { loginId: login.body.loginId, code },
    });
    let { token } = verified.body;
    const gql = (query: string, variables?: Record<string, unknown>) =>
      world.gateway.gql(query, variables, { authorization: `Bearer ${token}` });
    const key = await makeKey();
    await register({ gql }, key.address, (text) => key.sign(text));
    const claim = () =>
      world.gateway.rest('POST', '/v1/holders/me/core-id', { headers: { authorization: `Bearer ${token}` } });
    expect((await claim()).status).toBe(403);
    const rehydrated = await world.gateway.rest('POST', '/v1/auth/rehydrate', {
      headers: { authorization: `Bearer ${token}` },
    });
    token = rehydrated.body.token;
    expect((await claim()).status).toBe(403);
  });

  it('a gas policy is stored as written, or refused; in GraphQL too', async () => {
    const policy = { deploysPerDay: 1, targets: [{ address: `0x${'AB'.repeat(20)}`, selectors: ['0xA9059CBB'] }] };
    const put = `mutation ($input: PutPartnerInput!) { putPartner(input: $input) {
      partner { gasPolicy { deploysPerDay gasPerDay targets { address selectors } } } } }`;
    const { body: before } = await world.gateway.admin('GET', `/v1/admin/partners/${partnerId()}`);
    const input = { partnerId: partnerId(), name: before.name, jwks: before.jwks, scopes: ['ISSUE'] };
    const operator = { 'x-admin-api-key': world.gateway.operatorKey };
    const write = (gasPolicy: object) => world.gateway.gql(put, { input: { ...input, gasPolicy } }, operator);
    expect((await write(policy)).data.putPartner.partner.gasPolicy).toEqual({
      deploysPerDay: 1,
      gasPerDay: null,
      targets: [{ address: `0x${'ab'.repeat(20)}`, selectors: ['0xa9059cbb'] }],
    });
    for (const wrong of [{ deploysPerDay: -1 }, { gasPerDay: 1e15 }, { targets: [{ address: '0x12' }] }])
      expect((await write(wrong)).errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT');
  });
});

describe("A holder's share of gas", () => {
  it.each([
    [50_000_000, 5_000_000],
    [1_000_000_000, 100_000_000],
    [20_000_000, 2_500_000],
    [5_000_000, 2_500_000],
    [1_000_001, 500_000],
    [300_000, 200_000],
    [150_000, 150_000],
    [0, 0],
  ])('the default share of a budget of %i a day is %i', (gasPerDay, share) => {
    for (const policy of Object.values(DEFAULT_GAS_POLICIES)) {
      expect(gasShareOf({ ...policy, gasPerDay })).toBe(share);
      expect(gasShareOf({ ...policy, gasPerDay, gasPerHolderPerDay: 7 })).toBe(7);
    }
  });
});

describe.skipIf(ANVIL === undefined)('Without a policy', () => {
  it('by default, nothing is paid for in production', async () => {
    const { production, sandbox } = DEFAULT_GAS_POLICIES;
    expect([production.deploysPerDay, production.gasPerDay, production.anyLogin]).toEqual([0, 0, false]);
    expect([sandbox.deploysPerDay, sandbox.mintsPerDay, sandbox.opsPerHolderPerDay]).toEqual([1_000, 1_000, 100]);
  });
});
