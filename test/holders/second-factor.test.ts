// The guard of the second factor: what a mailed code alone may not do, once the holder has a key backup, through every door.
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PROVED_OPERATIONS, type ProvedOperation } from '../../src/holders/second-factor.service.js';
import { Authenticator } from '../support/authenticator.js';
import { device, startWorld, type World } from './support.js';

const EMAIL = 'guarded@example.com';
const PROOF = randomBytes(32);
const BACKUP = {
  ...{ data: 'AAAA', iv: 'AAAA', wraps: [{ kind: 'recovery', data: 'AAAA', iv: 'AAAA' }] },
  recoveryProofHash: createHash('sha256').update(PROOF).digest('hex'),
};
const CAK = { issuerId: 'cak', schemaId: 'kyc', curve: 'secp256k1' };

const PASSKEYS = '/v1/holders/me/passkeys';
const authenticator = new Authenticator();

let world: World;
let session: string;
let origin: string;
beforeAll(async () => {
  world = await startWorld();
  const put = (path: string, body: object) => world.gateway.admin('PUT', `/v1/admin/${path}`, { body });
  await put('issuers/cak', {
    name: 'C',
    issuerFrom: 'x',
    issuerDid: 'did:web:c.example',
    issueVcUrl: 'http://127.0.0.1:9/',
  });
  await put('schemas/kyc', { title: 'K', description: '', dataPoints: [{ name: 'note', type: 'string' }] });
  await put('credentials/kyc', { name: 'K', category: 'c', issuerId: 'cak', schemaId: 'kyc', cak: true });
  const first = await world.login(EMAIL);
  const headers = { authorization: `Bearer ${first}`, 'if-none-match': '*' };
  await world.gateway.rest('PUT', '/v1/holders/me/key-backup', { body: BACKUP, headers });
  const { body } = await world.gateway.rest('GET', `/v1/client/config?partnerId=${world.partnerId}`);
  origin = new URL(body.publicUrl).origin;
  for (const _of of ['REST', 'GraphQL', 'assertions']) {
    const options = await world.asHolder('POST', `${PASSKEYS}/options`, first);
    const response = authenticator.create(options.body, { origin });
    await world.asHolder('POST', PASSKEYS, first, { response });
  }
});
afterAll(() => world.close());
beforeEach(async () => {
  // Logins are limited for each address.
  world.clock.now += 3_600_000;
  session = await world.login(EMAIL);
});

interface Answer {
  code: unknown;
  message?: string;
}

async function rest(method: string, path: string, body: object, headers: Record<string, string> = {}): Promise<Answer> {
  const all = { authorization: `Bearer ${session}`, ...headers };
  const answer = await world.gateway.rest(method, path, { body, headers: all });
  const challenge = answer.headers.get('www-authenticate') ?? '';
  const code = challenge.includes('insufficient_user_authentication') ? 'MFA_REQUIRED' : answer.status;
  return { code, message: answer.body.message };
}

async function gql(mutation: string, input: object): Promise<Answer> {
  const type = `${mutation[0]?.toUpperCase()}${mutation.slice(1)}Input!`;
  const query = `mutation ($input: ${type}) { ${mutation}(input: $input) { __typename } }`;
  const { errors } = await world.gateway.gql(query, { input }, { authorization: `Bearer ${session}` });
  return { code: errors?.[0]?.extensions.code ?? 200, message: errors?.[0]?.message };
}

async function signedChallenge() {
  const account = privateKeyToAccount(generatePrivateKey());
  const { body } = await world.asHolder('POST', '/v1/holders/me/account/challenge', session, {
    address: account.address,
  });
  return { challengeId: body.challengeId, signature: await account.signMessage({ message: body.message }) };
}

const jwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
const cak = () => ({ ...CAK, publicKey: `02${'79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'}` });

/** Every door of every operation of the table. */
const DOORS: Record<ProvedOperation, readonly (() => Promise<Answer>)[]> = {
  putKeyBackup: [
    () => rest('PUT', '/v1/holders/me/key-backup', BACKUP, { 'if-match': '*' }),
    () => {
      const wraps = BACKUP.wraps.map((wrap) => ({ ...wrap, kind: 'RECOVERY' }));
      return gql('putKeyBackup', { ...BACKUP, wraps, ifMatch: '*' });
    },
  ],
  addPasskey: [
    async () => {
      const options = await world.asHolder('POST', `${PASSKEYS}/options`, session);
      if (options.status === 403) return rest('POST', `${PASSKEYS}/options`, {});
      const added = await rest('POST', PASSKEYS, { response: new Authenticator().create(options.body, { origin }) });
      return added.code === 201 ? { code: 200 } : added;
    },
    async () => {
      const headers = { authorization: `Bearer ${session}` };
      const query = 'mutation { passkeyOptions { options } }';
      const { data, errors } = await world.gateway.gql(query, {}, headers);
      if (errors) return { code: errors[0]?.extensions.code, message: errors[0]?.message };
      const response = new Authenticator().create(data.passkeyOptions.options, { origin });
      return gql('addPasskey', { response });
    },
  ],
  removePasskey: [
    async () => {
      const { code, message } = await rest('DELETE', `${PASSKEYS}/${authenticator.ids[0]}`, {});
      return { code: code === 204 ? 200 : code, message };
    },
    () => gql('removePasskey', { passkeyId: authenticator.ids[1] }),
  ],
  rotateKey: [() => rest('POST', '/v1/holders/me/key/rotate', { devicePublicKey: device().hex })],
  setSigningKey: [() => rest('PUT', '/v1/holders/me/signing-key', { jwk }), () => gql('setSigningKey', { jwk })],
  initializeWallet: [
    async () => rest('PUT', '/v1/holders/me/account', await signedChallenge()),
    async () => gql('initializeWallet', await signedChallenge()),
  ],
  registerCak: [
    () => rest('PUT', '/v1/holders/me/cak', cak()),
    () => gql('registerCak', { ...cak(), curve: 'SECP256K1' }),
  ],
};

const CASES = Object.entries(DOORS).flatMap(([operation, doors]) =>
  doors.map((call, at) => [operation as ProvedOperation, at === 0 ? 'REST' : 'GraphQL', call] as const),
);

describe('A mailed code alone', () => {
  it.each(CASES)(
    'a mailed code alone does not allow %s by %s, and a recovery proof does',
    async (operation, _door, call) => {
      const refused = await call();
      expect(refused.code).toBe('MFA_REQUIRED');
      expect(refused.message).toContain(PROVED_OPERATIONS[operation]);
      const proof = { recoveryProof: PROOF.toString('hex') };
      expect((await world.asHolder('POST', '/v1/holders/me/mfa', session, proof)).status).toBe(204);
      expect((await call()).code).toBe(200);
    },
  );

  it.each(CASES)(
    'a mailed code alone does not allow %s by %s, and the assertion of a passkey does',
    async (operation, _door, call) => {
      if (operation === 'removePasskey') return;
      expect((await call()).code).toBe('MFA_REQUIRED');
      const { body } = await world.asHolder('POST', '/v1/holders/me/mfa/options', session);
      const response = authenticator.get(body.options, { origin });
      expect((await world.asHolder('POST', '/v1/holders/me/mfa', session, { response })).status).toBe(204);
      expect((await call()).code).toBe(200);
    },
  );

  it('a mailed code alone is enough for a holder without a second factor', async () => {
    session = await world.login('unguarded@example.com');
    for (const [operation, , call] of CASES)
      if (operation !== 'putKeyBackup' && operation !== 'removePasskey')
        expect([operation, (await call()).code]).toEqual([operation, 200]);
  });

  it('a mailed code alone allows reading, and the hand-over to a holder that has not had its key yet', async () => {
    const devicePublicKey = device().hex;
    expect((await rest('POST', '/v1/holders/me/key', { devicePublicKey })).code).not.toBe('MFA_REQUIRED');
    expect((await world.asHolder('GET', '/v1/holders/me/key-backup', session)).status).toBe(200);
    expect((await world.asHolder('GET', '/v1/holders/me', session)).status).toBe(200);
  });
});
