// Login by account (contract §21): who signs its message gets in, once; everybody else gets the same refusal.
import { randomUUID } from 'node:crypto';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { encoded } from '../../src/evm/contracts.js';
import type { Hex } from '../../src/evm/rpc.js';
import { ANVIL } from '../support/anvil.js';
import { eventually } from '../support/eventually.js';
import {
  type AccountsWorld,
  CODES,
  hashOf,
  type Key,
  makeKey,
  randomAddress,
  startAccountsWorld,
  wrapped,
} from './support.js';

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;

describe.skipIf(ANVIL === undefined)('Login by account', () => {
  let world: AccountsWorld;
  let holder: Awaited<ReturnType<AccountsWorld['holderWithWallet']>>;
  beforeAll(async () => {
    world = await startAccountsWorld({ env: { PUBLIC_URL: 'https://gateway.example' } });
  });
  // Each account may begin five logins in ten minutes.
  beforeEach(async () => {
    holder = await world.holderWithWallet();
  });
  afterAll(() => world?.close());

  const begin = async (address: string): Promise<{ loginId: string; message: string }> => {
    const body = { address, partnerId: world.partnerId };
    const answer = await world.gateway.rest('POST', '/v1/auth/login', { body });
    expect(answer.status).toBe(202);
    return answer.body;
  };
  const verify = (loginId: string, signature: string) =>
    world.gateway.rest('POST', '/v1/auth/verify', { body: { loginId, signature } });
  const logIn = async (address: string, sign: (message: string) => Promise<string>) => {
    const { loginId, message } = await begin(address);
    return verify(loginId, await sign(message));
  };
  const withFactory = async (key: Key, account: Hex, message: string) =>
    wrapped(
      world.contracts.accountFactory,
      await encoded('CoreAccountFactory', 'createAccount', [key.address, 0n]),
      await key.signFor(account, message),
    );

  it('a login by signature opens a session for the key of an account, by the address of either', async () => {
    const { key, account } = holder;
    for (const address of [key.address, account, account.toLowerCase()]) {
      const { status, body } = await logIn(address, (message) => key.sign(message));
      expect(status).toBe(200);
      expect(body).toMatchObject({ isLoggedIn: true, abstractAccountAddress: account });
      const me = await world.gateway.rest('GET', '/v1/holders/me', {
        headers: { authorization: `Bearer ${body.token}` },
      });
      expect(me.body.user.email).toBe(holder.email);
    }
  });

  it('a login accepts the signature of the account itself, before it is deployed and after', async () => {
    const { key, account } = holder;
    expect((await logIn(account, (message) => withFactory(key, account, message))).status).toBe(200);
    const deployment = await holder.rest('POST', '/v1/holders/me/account/deploy');
    expect(await hashOf(holder, deployment)).toMatch(/^0x[0-9a-f]{64}$/);
    await eventually(async () => {
      expect((await holder.rest('GET', '/v1/holders/me/account')).body.deployed).toBe(true);
    });
    expect((await logIn(account, (message) => key.signFor(account, message))).status).toBe(200);
  });

  it('the message to sign is for this login, domain and chain (ERC-4361), in GraphQL too', async () => {
    const { loginId, message } = await begin(holder.account);
    const lines = message.split('\n');
    expect(lines[0]).toBe('gateway.example wants you to sign in with your Ethereum account:');
    expect(lines[1]).toBe(holder.account);
    expect(lines).toContain('URI: https://gateway.example');
    expect(lines).toContain('Chain ID: 31337');
    expect(lines).toContain(`Nonce: ${loginId.replaceAll('-', '')}`);
    expect(lines).toContain(`Request ID: ${loginId}`);
    const login = 'mutation ($input: LoginInput!) { login(input: $input) { loginId message } }';
    const input = { address: holder.account, partnerId: world.partnerId };
    const begun = (await world.gateway.gql(login, { input })).data.login;
    const done = await world.gateway.gql(
      'mutation ($input: VerifyLoginInput!) { verifyLogin(input: $input) { result { isLoggedIn } } }',
      { input: { loginId: begun.loginId, signature: await holder.key.sign(begun.message) } },
    );
    expect(done.data.verifyLogin.result.isLoggedIn).toBe(true);
  });

  it('a login for an account that nobody has gets the same responses: 202, and then a wrong signature', async () => {
    const key = await makeKey();
    const unknown = await logIn(key.address, (message) => key.sign(message));
    const wrong = await logIn(holder.account, (message) => key.sign(message));
    expect([unknown.status, wrong.status]).toEqual([400, 400]);
    expect(unknown.body).toEqual(wrong.body);
    expect(unknown.body.message).toBe('The signature is wrong; 4 tries are left.');
  });

  it('a signature is accepted once, and for its own login', async () => {
    const { key, account } = holder;
    const [first, second] = [await begin(account), await begin(account)];
    const signature = await key.sign(first.message);
    expect((await verify(second.loginId, signature)).status).toBe(400);
    const answers = await Promise.all([verify(first.loginId, signature), verify(first.loginId, signature)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 410]);
    expect((await verify(first.loginId, signature)).status).toBe(410);
    expect((await verify(randomUUID(), signature)).status).toBe(404);
  });

  it('a signature opens one session for the key of a repeat, so that a response may be lost', async () => {
    const { key, account } = holder;
    const { loginId, message } = await begin(account);
    const body = { loginId, signature: await key.sign(message), repeatKey: randomUUID() };
    const answers = [1, 2].map(() => world.gateway.rest('POST', '/v1/auth/verify', { body }));
    const [one, other] = (await Promise.all(answers)).map(({ body: { token } }) => decodeJwt(token).jti);
    expect(one).toEqual(expect.any(String));
    expect(other).toBe(one);
    const again = { ...body, repeatKey: randomUUID() };
    expect((await world.gateway.rest('POST', '/v1/auth/verify', { body: again })).status).toBe(410);
  });

  it('a login ends after five wrong signatures', async () => {
    const { loginId, message } = await begin(holder.account);
    const other = await makeKey();
    for (let tried = 0; tried < 5; tried += 1)
      expect((await verify(loginId, await other.sign(message))).status).toBe(400);
    expect((await verify(loginId, await holder.key.sign(message))).status).toBe(410);
  });

  it('a login refuses a signature with a high s, of another domain or chain, or of another contract', async () => {
    const { key, account } = holder;
    const refused = async (sign: (message: string) => Promise<string>) =>
      expect((await logIn(account, sign)).status).toBe(400);
    await refused(async (message) => {
      const signature = await key.sign(message);
      const high = (ORDER - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, '0');
      return `${signature.slice(0, 66)}${high}${signature.endsWith('1b') ? '1c' : '1b'}`;
    });
    await refused((message) => key.sign(message.replaceAll('gateway.example', 'other.example')));
    await refused((message) => key.sign(message.replace('Chain ID: 31337', 'Chain ID: 1')));
    const yes = randomAddress();
    await world.chain.rpc('anvil_setCode', yes, CODES.yes);
    await refused(async () => wrapped(yes, '0x', '0x1234'));
  });

  it('a login names the member that is missing or too much', async () => {
    const post = async (path: string, body: object) => (await world.gateway.rest('POST', path, { body })).body.message;
    const { account: address } = holder;
    expect(await post('/v1/auth/login', { address })).toBe('"partnerId" is missing.');
    expect(await post('/v1/auth/login', { address: '0x12', partnerId: world.partnerId })).toContain(
      '"address" must be',
    );
    expect(await post('/v1/auth/login', { address, email: 'a@example.org' })).toContain('not both');
    const { loginId } = await begin(address);
    expect(await post('/v1/auth/verify', { loginId })).toBe('"code" is missing.');
    expect(await post('/v1/auth/verify', { loginId, code: '123456', signature: '0x' })).toContain('not both');
    expect(await post('/v1/auth/verify', { loginId, signature: `0x${'0'.repeat(20_000)}` })).toContain('at most');
  });
});
