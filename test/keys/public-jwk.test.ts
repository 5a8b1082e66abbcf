// Public keys on P-256 that others send as JWKs.
import { generateKeyPairSync } from 'node:crypto';
import { calculateJwkThumbprint } from 'jose';
import { expect, it } from 'vitest';
import { p256Jwk, verifyingKey } from '../../src/keys/public-jwk.js';

const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const { x, y } = publicKey.export({ format: 'jwk' });
const RIGHT = { kty: 'EC', crv: 'P-256', x, y };

it('A key has only the members of its thumbprint', async () => {
  const jwk = { ...RIGHT, kid: '1', use: 'sig' };
  expect(p256Jwk(jwk)).toEqual(RIGHT);
  const thumbprint = await calculateJwkThumbprint(RIGHT);
  expect(verifyingKey(jwk)).toMatchObject({ jwk: RIGHT, thumbprint });
  expect(verifyingKey(jwk)?.key.equals(publicKey)).toBe(true);
});

it('A key has one form, whatever the unused bits of its last digits', async () => {
  const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const other = `${x?.slice(0, 42)}${DIGITS[DIGITS.indexOf(x?.[42] ?? '') + 1]}`;
  expect(p256Jwk({ ...RIGHT, x: other })).toEqual(RIGHT);
  expect(verifyingKey({ ...RIGHT, x: other })).toMatchObject({
    ...{ jwk: RIGHT, thumbprint: await calculateJwkThumbprint(RIGHT) },
  });
});

it.each<[string, unknown]>([
  ['nothing', undefined],
  ['a text', 'EC'],
  ['a list', [RIGHT]],
  ['a key on another curve', { ...RIGHT, crv: 'P-384' }],
  ['a key of another type', { ...RIGHT, kty: 'OKP' }],
  ['a private key', { ...RIGHT, d: 'AA' }],
  ['a key with a secret', { ...RIGHT, k: 'AA' }],
  ['a point off the curve', { ...RIGHT, y: 'A'.repeat(43) }],
  ['a coordinate with padding', { ...RIGHT, x: `${x}=` }],
  [
    'a coordinate with a leading zero byte',
    { ...RIGHT, x: Buffer.concat([Buffer.alloc(1), Buffer.from(x ?? '', 'base64url')]).toString('base64url') },
  ],
  ['a huge coordinate', { ...RIGHT, x: 'A'.repeat(100_000) }],
  ['a coordinate that is a number', { ...RIGHT, x: 7 }],
])('%s is none', (_name, jwk) => {
  expect(p256Jwk(jwk)).toBeUndefined();
  expect(verifyingKey(jwk)).toBeUndefined();
});
