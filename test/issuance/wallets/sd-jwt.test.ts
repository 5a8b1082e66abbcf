// SD-JWTs as issuers make them, read by the library @sd-jwt/sd-jwt-vc.
import { createHash, generateKeyPairSync, sign, verify } from 'node:crypto';
import { SDJwtVcInstance } from '@sd-jwt/sd-jwt-vc';
import { describe, expect, it } from 'vitest';
import { type DisclosureFrame, issuedSdJwt, newFrame } from '../../../src/issuance/wallets/sd-jwt.js';

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const dsaEncoding = 'ieee-p1363';
const signer = {
  signText: (text: string) => sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding }).toString('base64url'),
};
const library = new SDJwtVcInstance({
  hashAlg: 'sha-256',
  verifier: (text, signature) =>
    verify('sha256', Buffer.from(text), { key: publicKey, dsaEncoding }, Buffer.from(signature, 'base64url')),
  hasher: (text) =>
    createHash('sha256')
      .update(typeof text === 'string' ? text : Buffer.from(text))
      .digest(),
});

const frameOf = (
  hidden: string[],
  { decoys = 0, within = {} }: { decoys?: number; within?: Record<string, DisclosureFrame> } = {},
): DisclosureFrame => ({ hidden: new Set(hidden), decoys, within: new Map(Object.entries(within)) });
const FACTS = { iss: 'https://club.example', vct: 'urn:example:member', iat: 1_750_000_000 };
const payloadOf = (sdJwt: string) => JSON.parse(Buffer.from(sdJwt.split('.')[1] ?? '', 'base64url').toString());

describe('an issued SD-JWT', () => {
  it.each([
    ['plain claims', { team: 'Rowing' }, newFrame()],
    [
      'claims that can be hidden',
      { team: 'Rowing', boats: 3, tags: ['a', { b: null }] },
      frameOf(['team', 'boats', 'tags']),
    ],
    [
      'members of objects that can be hidden',
      { address: { city: 'Zürich “1”', zip: '8000', country: 'CH' } },
      frameOf([], { within: { address: frameOf(['city', 'zip']) } }),
    ],
    [
      'an object that can be hidden with its members',
      { address: { city: 'Bern', zip: '3000' } },
      frameOf(['address'], { within: { address: frameOf(['zip']) } }),
    ],
    ['decoys', { team: 'Rowing' }, frameOf(['team'], { decoys: 3, within: {} })],
    ['decoys alone', { team: 'Rowing' }, frameOf([], { decoys: 2 })],
    ['names of members of all objects', { constructor: 'x', toString: 'y' }, frameOf(['constructor', 'toString'])],
  ])('is read by a library as it was meant: %s', async (_, claims, frame) => {
    const { payload } = await library.verify(issuedSdJwt({ ...claims, ...FACTS }, frame, { kid: 'k' }, signer));
    expect(payload).toEqual({ ...claims, ...FACTS });
  });

  it('hides what is not disclosed, with a salt of its own each time', () => {
    const claims = { team: 'Rowing', crew: 'Rowing', ...FACTS };
    const texts = [1, 2].map(() => issuedSdJwt(claims, frameOf(['team', 'crew'], { decoys: 1 }), {}, signer));
    const digests = texts.flatMap((text) => payloadOf(text)._sd as string[]);
    expect(new Set(digests).size).toBe(6);
    for (const text of texts) {
      expect(JSON.stringify(payloadOf(text))).not.toMatch(/Rowing|team|crew/);
      expect(payloadOf(text)._sd).toEqual([...payloadOf(text)._sd].sort());
      expect(payloadOf(text)._sd_alg).toBe('sha-256');
    }
  });

  it.each(['iss', 'exp', 'cnf', 'vct', 'status'])('never hides %s', (name) => {
    expect(() => issuedSdJwt({ ...FACTS, [name]: 'x' }, frameOf([name]), {}, signer)).toThrow(`"${name}"`);
  });
});
