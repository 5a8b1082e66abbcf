// Promises of our DIDs: they are the published methods, and anyone resolves them back to the key.
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  didKeyMethodId,
  didKeyOf,
  didWebOf,
  holderDidDocument,
  issuerDidDocument,
  keyOfDidKey,
  newIden3Id,
} from '../../src/keys/did.js';
import { claimAbout, idOf } from '../support/iden3.js';

// The did:key method's own P-256 examples (W3C CCG did-method-key, test vectors nist-curves).
const KNOWN = [
  {
    did: 'did:key:zDnaerDaTF5BXEavCrfRZEk316dpbLsfPDZ3WJ5hRTPFU2169',
    x: 'fyNYMN0976ci7xqiSdag3buk-ZCwgXU4kz9XNkBlNUI',
    y: 'hW2ojTNfH7Jbi8--CJUo3OCbH3y5n91g-IMA9MLMbTU',
  },
  {
    did: 'did:key:zDnaerx9CtbPJ1q36T5Ln5wYt3MQYeGRG5ehnPAmxcf5mDZpv',
    x: 'igrFmi0whuihKnj9R3Om1SoMph72wUGeFaBbzG2vzns',
    y: 'efsX5b10x8yjyrj4ny3pGfLcY7Xby1KzgqOdqnsrJIM',
  },
];

describe('did:key', () => {
  it.each(KNOWN)('did:key of a P-256 key has the published form: $did', ({ did, x, y }) => {
    expect(didKeyOf({ kty: 'EC', crv: 'P-256', x, y })).toBe(did);
    expect(keyOfDidKey(did).export({ format: 'jwk' })).toMatchObject({ x, y });
  });

  it('a key is recovered from its did:key, which names its own method', () => {
    for (let round = 0; round < 20; round += 1) {
      const jwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
      const did = didKeyOf(jwk as { kty: string });
      expect(keyOfDidKey(did).export({ format: 'jwk' })).toMatchObject({ x: jwk.x, y: jwk.y });
      expect(didKeyMethodId(did)).toBe(`${did}#${did.slice(8)}`);
    }
  });

  it.each(['did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK', 'did:web:example.com', 'did:key:z', ''])(
    '%j is not a did:key of a P-256 key',
    (did) => {
      expect(() => keyOfDidKey(did)).toThrow(TypeError);
    },
  );
});

describe('did:web', () => {
  it.each([
    ['https://example.com', 'did:web:example.com:v1:issuers:a'],
    ['https://example.com/gateway/', 'did:web:example.com:gateway:v1:issuers:a'],
    ['https://example.com:8443', 'did:web:example.com%3A8443:v1:issuers:a'],
  ])('did:web of %s is %s', (publicUrl, did) => {
    expect(didWebOf(publicUrl, ['v1', 'issuers', 'a'])).toBe(did);
  });
});

describe('ids of holders', () => {
  it.each(['03d2', '0100', 'ffff'])(
    'ids of holders of type %s are read by iden3’s library, which builds claims about them',
    (type) => {
      for (let round = 0; round < 200; round += 1) {
        const text = newIden3Id(Buffer.from(type, 'hex'));
        const id = idOf(text);
        expect(Buffer.from(id.type()).toString('hex')).toBe(type);
        expect(claimAbout(id).getIndexId().string()).toBe(text);
      }
    },
  );
});

describe('DID documents', () => {
  it('the DID document of an issuer has every signing key, for assertions', () => {
    const jwk = { kty: 'EC', crv: 'P-256', x: KNOWN[0]?.x, y: KNOWN[0]?.y };
    const document = issuerDidDocument('did:web:example.com', [{ methodId: 'did:web:example.com#k1', jwk }]);
    expect(document).toMatchObject({ id: 'did:web:example.com', assertionMethod: ['did:web:example.com#k1'] });
    expect(document.verificationMethod).toEqual([
      { id: 'did:web:example.com#k1', type: 'JsonWebKey', controller: 'did:web:example.com', publicKeyJwk: jwk },
    ]);
  });

  it('the DID document of a holder has its current X25519 key as a Multikey, and no signing key', () => {
    const spki = createPublicKey(generateKeyPairSync('x25519').privateKey).export({ type: 'spki', format: 'der' });
    const document = holderDidDocument('did:core:id:testnet:abc', spki);
    const [method] = document.keyAgreement ?? [];
    expect(method).toMatchObject({ type: 'Multikey', publicKeyMultibase: expect.stringMatching(/^z6LS/) });
    expect(document.assertionMethod).toBeUndefined();
  });
});
