// JWTs signed by ES256: the verdict is that of jose, whatever is wrong with them.
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { isSignedBy, verifiedJwt } from '../../src/keys/es256.js';

const TYP = 'openid4vci-proof+jwt';
const AUDIENCE = 'https://issuer.example';
const NOW = Date.parse('2026-06-15T13:14:15Z');
const SECONDS = NOW / 1_000;
const TERMS = { typ: TYP, audience: AUDIENCE, now: NOW };
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const other = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
const ed25519 = generateKeyPairSync('ed25519');

const HEADER = { alg: 'ES256', typ: TYP };
const PAYLOAD = { aud: AUDIENCE, iat: SECONDS, nonce: 'n' };
const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const p1363 = (key: KeyObject) => (text: string) =>
  sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url');

interface Changes {
  header?: unknown;
  payload?: unknown;
  signature?: (text: string) => string;
  key?: KeyObject;
  change?: (jwt: string) => string;
}

function made({ header, payload, signature = p1363(privateKey), change = (jwt) => jwt }: Changes): string {
  const text = `${encoded(header ?? HEADER)}.${encoded(payload ?? PAYLOAD)}`;
  return change(`${text}.${signature(text)}`);
}

const RIGHT: [string, Changes][] = [
  ['as it must be', {}],
  ['with its type in full', { header: { ...HEADER, typ: `application/${TYP}` } }],
  ['with its type in capitals', { header: { ...HEADER, typ: TYP.toUpperCase() } }],
  ['for several audiences', { payload: { ...PAYLOAD, aud: ['https://other.example', AUDIENCE] } }],
  ['that is good in 30 seconds, by our clock', { payload: { ...PAYLOAD, nbf: SECONDS + 30 } }],
  ['that ended 29 seconds ago, by our clock', { payload: { ...PAYLOAD, exp: SECONDS - 29 } }],
  ['with members that nobody knows', { header: { ...HEADER, x: 1 }, payload: { ...PAYLOAD, y: [1] } }],
];

const FAULTS: [string, Changes][] = [
  ['of another key', { signature: p1363(other.privateKey) }],
  ['with alg none', { header: { ...HEADER, alg: 'none' }, signature: () => '' }],
  ['with alg none, signed', { header: { ...HEADER, alg: 'none' } }],
  ['without alg', { header: { typ: TYP } }],
  ['with the alg of another curve', { header: { ...HEADER, alg: 'ES384' } }],
  [
    'with the public key as a secret',
    {
      header: { ...HEADER, alg: 'HS256' },
      signature: (text) =>
        createHmac('sha256', publicKey.export({ type: 'spki', format: 'pem' }))
          .update(text)
          .digest('base64url'),
    },
  ],
  ['of a key on another curve', { key: p384.publicKey, signature: p1363(p384.privateKey) }],
  ['of an RSA key', { key: rsa.publicKey, signature: p1363(rsa.privateKey) }],
  [
    'of an Ed25519 key',
    {
      key: ed25519.publicKey,
      signature: (text) => sign(null, Buffer.from(text), ed25519.privateKey).toString('base64url'),
    },
  ],
  [
    'with a signature in DER',
    { signature: (text) => sign('sha256', Buffer.from(text), privateKey).toString('base64url') },
  ],
  ['with half a signature', { signature: (text) => p1363(privateKey)(text).slice(0, 43) }],
  ['with a signature of zeros', { signature: () => Buffer.alloc(64).toString('base64url') }],
  ['without a signature', { signature: () => '' }],
  ['of another type', { header: { ...HEADER, typ: 'dpop+jwt' } }],
  ['without type', { header: { alg: 'ES256' } }],
  ['whose type is a number', { header: { ...HEADER, typ: 7 } }],
  ['with an extension that must be understood', { header: { ...HEADER, crit: ['x'], x: 1 } }],
  ['with an unencoded payload', { header: { ...HEADER, crit: ['b64'], b64: false } }],
  ['with an empty list of extensions', { header: { ...HEADER, crit: [] } }],
  ['for another audience', { payload: { ...PAYLOAD, aud: 'https://other.example' } }],
  ['for no audience', { payload: { iat: SECONDS } }],
  ['for an audience with more behind it', { payload: { ...PAYLOAD, aud: `${AUDIENCE}/` } }],
  ['that ended 30 seconds ago', { payload: { ...PAYLOAD, exp: SECONDS - 30 } }],
  ['that is not good for 31 seconds', { payload: { ...PAYLOAD, nbf: SECONDS + 31 } }],
  ['whose end is a text', { payload: { ...PAYLOAD, exp: '9999999999' } }],
  ['whose begin is a text', { payload: { ...PAYLOAD, nbf: '0' } }],
  ['whose time is a text', { payload: { ...PAYLOAD, iat: '0' } }],
  ['whose payload is a list', { payload: [PAYLOAD] }],
  ['whose payload is a text', { payload: 'text' }],
  ['whose header is a list', { header: [HEADER] }],
  ['with another payload', { change: (jwt) => jwt.replace(encoded(PAYLOAD), encoded({ ...PAYLOAD, nonce: 'm' })) }],
  ['with a part too few', { change: (jwt) => jwt.split('.').slice(0, 2).join('.') }],
  ['with a part too many', { change: (jwt) => `${jwt}.x` }],
  ['that is empty', { change: () => '' }],
  ['whose header is no JSON', { change: (jwt) => `x${jwt}` }],
];

const josesVerdict = (jwt: string, key: KeyObject) => {
  const options = {
    algorithms: ['ES256'],
    typ: TYP,
    audience: AUDIENCE,
    clockTolerance: 30,
    currentDate: new Date(NOW),
  };
  return jwtVerify(jwt, key, options).then(
    ({ payload }) => payload,
    () => undefined,
  );
};

describe('A JWT', () => {
  it.each(RIGHT)('%s has its payload', async (_name, changes) => {
    const jwt = made(changes);
    expect(verifiedJwt(jwt, publicKey, TERMS)).toEqual(changes.payload ?? PAYLOAD);
    expect(await josesVerdict(jwt, publicKey)).toEqual(changes.payload ?? PAYLOAD);
    expect(isSignedBy(jwt, publicKey)).toBe(true);
  });

  it.each(FAULTS)('%s is refused', async (_name, changes) => {
    const jwt = made(changes);
    expect(verifiedJwt(jwt, changes.key ?? publicKey, TERMS)).toBeUndefined();
    expect(await josesVerdict(jwt, changes.key ?? publicKey)).toBeUndefined();
  });

  it('without an audience in the terms is for anyone', () => {
    expect(verifiedJwt(made({ payload: { iat: SECONDS } }), publicKey, { typ: TYP, now: NOW })).toEqual({
      iat: SECONDS,
    });
  });
});
