// The holder's CAK: the same pair wherever it is derived, another one for every purpose.
import { createECDH, hkdfSync } from 'node:crypto';
import canonicalize from 'canonicalize';
import { describe, expect, it } from 'vitest';
import { type CakPurpose, deriveCak } from '../../src/zk/cak.js';

const ACCOUNT_KEY = new Uint8Array(32).fill(7);
const PURPOSE: CakPurpose = {
  curve: 'secp256r1',
  holderDid: 'did:core:id:testnet:4NyXJcPrM4F4uf7UvhzyBrDR45zAZQuimx2SBBW6Yk',
  issuerDid: 'did:web:issuer.example',
  schemaId: 'https://schemas.example/membership.json',
};
const ORDERS = {
  secp256r1: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
  secp256k1: 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n,
};
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

describe('A CAK', () => {
  it.each(['secp256r1', 'secp256k1'] as const)('on %s follows from the account key as the contract says', (curve) => {
    const { holderDid, issuerDid, schemaId } = PURPOSE;
    const info = `core/cak/v1${canonicalize([curve, holderDid, issuerDid, schemaId])}`;
    const output = Buffer.from(hkdfSync('sha256', ACCOUNT_KEY, Buffer.alloc(0), info, 48)).toString('hex');
    const scalar = 1n + (BigInt(`0x${output}`) % (ORDERS[curve] - 1n));
    const ecdh = createECDH(curve === 'secp256r1' ? 'prime256v1' : curve);
    ecdh.setPrivateKey(scalar.toString(16).padStart(64, '0'), 'hex');
    const { privateKey, publicKey } = deriveCak(ACCOUNT_KEY, { ...PURPOSE, curve });
    expect([hex(privateKey), publicKey]).toEqual([
      ecdh.getPrivateKey('hex').padStart(64, '0'),
      ecdh.getPublicKey('hex', 'compressed'),
    ]);
  });

  it('a CAK differs for every purpose and account', () => {
    const purposes: Partial<CakPurpose>[] = [
      {},
      { curve: 'secp256k1' },
      { holderDid: 'did:x:1' },
      { issuerDid: 'did:x:1' },
      { schemaId: 'x' },
      // Texts that would be the same when put together.
      { issuerDid: 'did:x:1","y', schemaId: 'z' },
      { issuerDid: 'did:x:1', schemaId: 'y","z' },
    ];
    const keys = purposes.map((change) => deriveCak(ACCOUNT_KEY, { ...PURPOSE, ...change }).publicKey);
    keys.push(deriveCak(new Uint8Array(32).fill(8), PURPOSE).publicKey);
    expect(new Set(keys).size).toBe(keys.length);
  });
});
