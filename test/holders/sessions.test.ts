// Sessions in GraphQL, as client SDKs go through them: set up, log in, register the account, log out; each step with its event.
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.js';
import { startWorld, type World } from './support.js';

let world: World;
let token: string;
beforeAll(async () => {
  world = await startWorld();
  token = await world.login('ada@example.org', { partnerUserId: 'user-1' });
});
afterAll(() => world.close());

const bearer = (session: string) => ({ authorization: `Bearer ${session}` });
const gql = (query: string, variables: object = {}, session: string | undefined = token) =>
  world.gateway.gql(query, { ...variables }, session ? bearer(session) : {});

const INITIALIZE = `mutation($input: InitializeInput!) { initialize(input: $input) {
  rehydrated result { isLoggedIn id token abstractAccountAddress isMFASetup } } }`;
const CHALLENGE = `mutation($address: String!) { walletChallenge(input: { address: $address }) {
  challenge { challengeId message expiresAt } } }`;
const REGISTER = `mutation($input: InitializeWalletInput!) { initializeWallet(input: $input) {
  result { abstractAccountAddress isMFASetup } } }`;

/** What a wallet does, written from the EIPs. */
function wallet() {
  const { secretKey, publicKey } = secp256k1.keygen();
  const uncompressed = secp256k1.Point.fromBytes(publicKey).toBytes(false);
  const address = `0x${Buffer.from(keccak_256(uncompressed.subarray(1)).subarray(12)).toString('hex')}`;
  const sign = (message: string): string => {
    const text = Buffer.from(message);
    const hash = keccak_256(Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${text.length}`), text]));
    const [v = 0, ...rs] = secp256k1.sign(hash, secretKey, { prehash: false, format: 'recovered' });
    return `0x${Buffer.from([...rs, 27 + v]).toString('hex')}`;
  };
  return { address, sign };
}

async function challenge(address: string, session = token): Promise<{ challengeId: string; message: string }> {
  return (await gql(CHALLENGE, { address }, session)).data.walletChallenge.challenge;
}

/** Types and results of the holder's own events so far. */
async function events(session = token): Promise<{ type: string; result?: unknown; errorMessage?: string }[]> {
  return (await world.gateway.rest('GET', '/v1/events', { headers: bearer(session) })).body.items;
}
const lastEvent = (expected: object, session = token) =>
  eventually(async () => expect((await events(session)).at(-1)).toMatchObject(expected));

describe('initialize', () => {
  it('initialize returns null for a client without a session', async () => {
    const { data } = await world.gateway.gql(INITIALIZE, { input: {} });
    expect(data.initialize).toEqual({ rehydrated: false, result: null });
  });

  it('initialize resumes the session of its token, with a new token that works, and writes an event', async () => {
    const { data } = await world.gateway.gql(INITIALIZE, { input: { token } });
    expect(data.initialize).toMatchObject({ rehydrated: true, result: { isLoggedIn: true, isMFASetup: false } });
    await lastEvent({ type: 'initialized', result: { rehydrated: true } });
    const { data: fresh } = await gql('{ me { user { id } } }', {}, data.initialize.result.token);
    expect(fresh.me.user.id).toBe(data.initialize.result.id);
  });

  it('initialize resumes the session of the request, unless skipRehydration is set', async () => {
    expect((await gql(INITIALIZE, { input: {} })).data.initialize.rehydrated).toBe(true);
    expect((await gql(INITIALIZE, { input: { skipRehydration: true } })).data.initialize).toEqual({
      rehydrated: false,
      result: null,
    });
  });

  it('initialize returns null for a token that is no longer valid', async () => {
    const { data } = await world.gateway.gql(INITIALIZE, { input: { token: `${token}x` } });
    expect(data.initialize).toEqual({ rehydrated: false, result: null });
  });
});

describe('login and verifyLogin', () => {
  it('login and verifyLogin log in with the mailed code, as in REST, and write an event without the token', async () => {
    const headers = { 'x-partner-auth': world.token({ email: 'grace@example.org' }) };
    const begun = await world.gateway.gql('mutation { login(input: {}) { loginId } }', {}, headers);
    const input = { loginId: begun.data.login.loginId, code: await world.lastCode('grace@example.org') };
    const verify =
      'mutation($input: VerifyLoginInput!) { verifyLogin(input: $input) { result { isLoggedIn id token } } }';
    const { result } = (await world.gateway.gql(verify, { input })).data.verifyLogin;
    await lastEvent(
      { type: 'logged_in', result: { isLoggedIn: true, id: result.id, isMFASetup: false } },
      result.token,
    );
    expect(JSON.stringify(await events(result.token))).not.toContain(result.token);
    const again = await world.gateway.gql(verify, { input });
    expect(again.errors?.[0]?.extensions.code).toBe('GONE');
  });

  it('login and verifyLogin require e-mail and partnerId without a partner token, and name the missing one', async () => {
    const login = 'mutation($input: LoginInput!) { login(input: $input) { loginId } }';
    const input = { email: ' Alan@Example.org ', partnerId: world.partnerId };
    expect((await world.gateway.gql(login, { input })).data.login.loginId).toMatch(/^[0-9a-f-]{36}$/);
    const { errors } = await world.gateway.gql(login, { input: { email: 'alan@example.org' } });
    expect(errors?.[0]).toMatchObject({ message: '"partnerId" is missing.', extensions: { field: 'partnerId' } });
  });
});

describe('an account', () => {
  it('an account is registered by a signature over the challenge, and is then in every response', async () => {
    const { address, sign } = wallet();
    const { challengeId, message } = await challenge(address);
    const input = { challengeId, signature: sign(message) };
    const { result } = (await gql(REGISTER, { input })).data.initializeWallet;
    expect(result.abstractAccountAddress.toLowerCase()).toBe(address);
    expect(result.abstractAccountAddress).not.toBe(address);
    await lastEvent({ type: 'wallet_initialized', result });
    const { data } = await gql('{ me { partnerUserId user { abstractAccountAddress isMFASetup } } }');
    expect(data.me).toEqual({ partnerUserId: 'user-1', user: result });
    const rehydrated = await world.asHolder('POST', '/v1/auth/rehydrate', token);
    expect(rehydrated.body.abstractAccountAddress).toBe(result.abstractAccountAddress);
    const claims = JSON.parse(Buffer.from(rehydrated.body.token.split('.')[1], 'base64url').toString());
    expect(claims.abstractAccountAddress).toBe(result.abstractAccountAddress);
  });

  it('an account is not registered twice by one signature', async () => {
    const { address, sign } = wallet();
    const { challengeId, message } = await challenge(address);
    const input = { challengeId, signature: sign(message) };
    const answers = await Promise.all([gql(REGISTER, { input }), gql(REGISTER, { input })]);
    expect(answers.map(({ errors }) => errors?.[0]?.extensions.code).sort()).toEqual(['NOT_FOUND', undefined]);
  });

  it("an account is not registered by another key's signature, nor by a second try", async () => {
    const { address, sign } = wallet();
    const { challengeId, message } = await challenge(address);
    const wrong = await gql(REGISTER, { input: { challengeId, signature: wallet().sign(message) } });
    expect(wrong.errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', field: 'signature' });
    const right = await gql(REGISTER, { input: { challengeId, signature: sign(message) } });
    expect(right.errors?.[0]?.extensions.code).toBe('NOT_FOUND');
  });

  it("an account is not registered with another holder's challenge", async () => {
    const other = await world.login('other@example.org');
    const { address, sign } = wallet();
    const { challengeId, message } = await challenge(address);
    const { errors } = await gql(REGISTER, { input: { challengeId, signature: sign(message) } }, other);
    expect(errors?.[0]?.extensions.code).toBe('NOT_FOUND');
  });

  it('an account is not registered after the challenge has expired', async () => {
    const { address, sign } = wallet();
    const { challengeId, message } = await challenge(address);
    world.clock.now += 11 * 60_000;
    const { errors } = await gql(REGISTER, { input: { challengeId, signature: sign(message) } });
    expect(errors?.[0]?.extensions.code).toBe('NOT_FOUND');
  });

  it('the registration of an account needs an address and a session', async () => {
    expect((await gql(CHALLENGE, { address: '0x12' })).errors?.[0]?.extensions.field).toBe('address');
    const { errors } = await world.gateway.gql(CHALLENGE, { address: wallet().address });
    expect(errors?.[0]?.extensions.code).toBe('UNAUTHENTICATED');
  });
});

describe('the session config', () => {
  const UPDATE =
    'mutation($input: SessionConfigInput!) { updateSessionConfig(input: $input) { sessionConfig { locale currency } } }';

  it('the session config keeps settings that are not changed', async () => {
    const update = async (input: object) => (await gql(UPDATE, { input })).data.updateSessionConfig.sessionConfig;
    expect(await update({})).toEqual({ locale: 'en', currency: 'USD' });
    expect(await update({ currency: 'KRW' })).toEqual({ locale: 'en', currency: 'KRW' });
    expect(await update({ locale: 'ko-KR' })).toEqual({ locale: 'ko-KR', currency: 'KRW' });
  });

  it('the session config accepts only language tags as locale', async () => {
    const { errors } = await gql(UPDATE, { input: { locale: 'no such language' } });
    expect(errors?.[0]?.message).toBe('"locale" must be a language tag, such as "en-GB".');
  });
});

describe('an identity record', () => {
  const RECORD = `mutation($input: RecordCoreIdInput!) { recordCoreId(input: $input) { coreId { id status } } }`;
  const coreId = { id: 'core-1', node: '0xabc', chainId: 1, status: 'MINTING' };

  it('an identity record is reported to its holder: the minting, its outcome, and the record itself', async () => {
    const holderId = (await gql('{ me { user { id } } }')).data.me.user.id;
    const operator = { 'x-admin-api-key': world.gateway.operatorKey };
    const record = (input: object) => world.gateway.gql(RECORD, { input: { holderId, ...input } }, operator);
    expect((await record({ coreId })).data.recordCoreId.coreId).toEqual({ id: 'core-1', status: 'MINTING' });
    await lastEvent({ type: 'core_id_minting_started' });
    await record({ errorMessage: 'The chain did not answer.' });
    await lastEvent({ type: 'core_id_minting_failed', errorMessage: 'The chain did not answer.' });
    expect((await gql('{ me { coreId { id } } }')).data.me.coreId).toBeNull();
    await record({ coreId: { ...coreId, status: 'MINTED', name: 'ada' } });
    expect((await gql('{ me { coreId { id name node status chainId imageUrl } } }')).data.me.coreId).toEqual({
      ...coreId,
      status: 'MINTED',
      name: 'ada',
      imageUrl: null,
    });
    const { errors } = await record({});
    expect(errors?.[0]?.message).toBe('"coreId" must be given, or errorMessage, and not both.');
  });

  it('only the operator can record an identity record', async () => {
    const { errors } = await gql(RECORD, { input: { holderId: world.partnerId, coreId } });
    expect(errors?.[0]?.extensions.code).toBe('FORBIDDEN');
  });
});

describe('logout', () => {
  it('logout ends the session and writes an event', async () => {
    const session = await world.login('leaving@example.org');
    const other = await world.login('leaving@example.org');
    expect((await gql('mutation { logout { loggedOut } }', {}, session)).data.logout).toEqual({ loggedOut: true });
    await lastEvent({ type: 'logged_out' }, other);
    expect((await gql('{ me { user { id } } }', {}, session)).errors?.[0]?.extensions.code).toBe('FORBIDDEN');
  });
});
