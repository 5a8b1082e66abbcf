// The doors through which a holder changes keys, accounts and second factors: each with a call that succeeds for a session that may make it.
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { Authenticator } from '../support/authenticator.js';
import { device, type World } from './support.js';

/** A recovery proof, in hex, and a backup that it belongs to. */
export const PROOF = randomBytes(32).toString('hex');
export const BACKUP = {
  ...{ data: 'AAAA', iv: 'AAAA', wraps: [{ kind: 'recovery', data: 'AAAA', iv: 'AAAA' }] },
  recoveryProofHash: createHash('sha256').update(PROOF, 'hex').digest('hex'),
};
export const PASSKEYS = '/v1/holders/me/passkeys';

/** The outcome of a call: `MFA_REQUIRED` if the session must prove or log in first, else the status, 200 for any success. */
export interface Answer {
  code: unknown;
  message?: string;
}

/** One session at the doors. */
export interface Visitor {
  world: World;
  session: string;
  /** The origin of the wallet. */
  origin: string;
  /** A passkey of the holder's that is removed. */
  passkeyId?: string;
}

type Door = (visitor: Visitor) => Promise<Answer>;

async function rest(
  { world, session }: Visitor,
  method: string,
  path: string,
  body: object = {},
  headers: Record<string, string> = {},
): Promise<Answer> {
  const all = { authorization: `Bearer ${session}`, ...headers };
  const answer = await world.gateway.rest(method, path, { body, headers: all });
  const challenge = answer.headers.get('www-authenticate') ?? '';
  if (challenge.includes('insufficient_user_authentication'))
    return { code: 'MFA_REQUIRED', message: answer.body.message };
  return { code: answer.status < 300 ? 200 : answer.status, message: answer.body?.message };
}

async function gql({ world, session }: Visitor, mutation: string, input?: object): Promise<Answer> {
  const type = `${mutation[0]?.toUpperCase()}${mutation.slice(1)}Input!`;
  const query = input
    ? `mutation ($input: ${type}) { ${mutation}(input: $input) { __typename } }`
    : `mutation { ${mutation} { __typename } }`;
  const { errors } = await world.gateway.gql(query, { input }, { authorization: `Bearer ${session}` });
  const { code, httpStatus } = errors?.[0]?.extensions ?? {};
  return { code: code === 'MFA_REQUIRED' ? code : (httpStatus ?? 200), message: errors?.[0]?.message };
}

async function signedChallenge({ world, session }: Visitor) {
  const account = privateKeyToAccount(generatePrivateKey());
  const { body } = await world.asHolder('POST', '/v1/holders/me/account/challenge', session, {
    address: account.address,
  });
  const { challengeId = '0'.repeat(32), message = 'none' } = body;
  return { challengeId, signature: await account.signMessage({ message }) };
}

/** Of a session that gets no options, the response is to a challenge that nobody gave. */
async function newPasskey({ world, session, origin }: Visitor): Promise<object> {
  const { status, body } = await world.asHolder('POST', `${PASSKEYS}/options`, session);
  const options = status === 200 ? body : { challenge: 'AAAA', rp: {}, user: { id: 'AAAA' } };
  return new Authenticator().create(options, { origin });
}

const jwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
const cak = (curve: string) => ({
  ...{ issuerId: 'cak', schemaId: 'kyc', curve },
  publicKey: `02${'79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'}`,
});
const wraps = BACKUP.wraps.map((wrap) => ({ ...wrap, kind: 'RECOVERY' }));

/** By route of REST or mutation. Backups are written in place of an earlier one; `first` writes the first. */
export const DOORS = {
  'PUT /v1/holders/me/key-backup': (v) => rest(v, 'PUT', '/v1/holders/me/key-backup', BACKUP, { 'if-match': '*' }),
  putKeyBackup: (v) => gql(v, 'putKeyBackup', { ...BACKUP, wraps, ifMatch: '*' }),
  'POST /v1/holders/me/passkeys/options': (v) => rest(v, 'POST', `${PASSKEYS}/options`),
  passkeyOptions: (v) => gql(v, 'passkeyOptions'),
  'POST /v1/holders/me/passkeys': async (v) => rest(v, 'POST', PASSKEYS, { response: await newPasskey(v) }),
  addPasskey: async (v) => gql(v, 'addPasskey', { response: await newPasskey(v) }),
  'DELETE /v1/holders/me/passkeys/:id': (v) => rest(v, 'DELETE', `${PASSKEYS}/${v.passkeyId ?? 'none'}`),
  removePasskey: (v) => gql(v, 'removePasskey', { passkeyId: v.passkeyId ?? 'none' }),
  'POST /v1/holders/me/key/rotate': (v) =>
    rest(v, 'POST', '/v1/holders/me/key/rotate', { devicePublicKey: device().hex }),
  'PUT /v1/holders/me/signing-key': (v) => rest(v, 'PUT', '/v1/holders/me/signing-key', { jwk }),
  setSigningKey: (v) => gql(v, 'setSigningKey', { jwk }),
  'PUT /v1/holders/me/account': async (v) => rest(v, 'PUT', '/v1/holders/me/account', await signedChallenge(v)),
  initializeWallet: async (v) => gql(v, 'initializeWallet', await signedChallenge(v)),
  'PUT /v1/holders/me/cak': (v) => rest(v, 'PUT', '/v1/holders/me/cak', cak('secp256k1')),
  registerCak: (v) => gql(v, 'registerCak', cak('SECP256K1')),
} as const satisfies Record<string, Door>;

/** The doors for the first backup. */
export const FIRST: Readonly<Record<string, Door>> = {
  'PUT /v1/holders/me/key-backup': (v) => rest(v, 'PUT', '/v1/holders/me/key-backup', BACKUP, { 'if-none-match': '*' }),
  putKeyBackup: (v) => gql(v, 'putKeyBackup', { ...BACKUP, wraps, ifNoneMatch: '*' }),
};

/** The hand-over of the key that the gateway still has. */
export const handOver: Door = (v) => rest(v, 'POST', '/v1/holders/me/key', { devicePublicKey: device().hex });

/** A credential with a CAK, for the doors of CAKs. */
export async function putCakCatalog({ gateway }: World): Promise<void> {
  const put = (path: string, body: object) => gateway.admin('PUT', `/v1/admin/${path}`, { body });
  await put('issuers/cak', {
    ...{ name: 'C', issuerFrom: 'x', issuerDid: 'did:web:c.example' },
    issueVcUrl: 'http://127.0.0.1:9/',
  });
  await put('schemas/kyc', { title: 'K', description: '', dataPoints: [{ name: 'note', type: 'string' }] });
  await put('credentials/kyc', { name: 'K', category: 'c', issuerId: 'cak', schemaId: 'kyc', cak: true });
}
