// The vectors of hashes in docs/vectors/hashes.json: our code computes the same hashes, and what it hashes is
// documented.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import canonicalize from 'canonicalize';
import { describe, expect, it } from 'vitest';
import { viem } from '../../src/evm/viem.js';
import { coreClaimHash } from '../../src/issuance/claim-hash.js';
import { packageHash } from '../../src/storage/package-hash.js';
import { pinnedOf } from '../../src/verification/proofs/program-versions.js';
import { deriveCak } from '../../src/zk/cak.js';

const FILE = 'docs/vectors/hashes.json';
const HOLDER = 'did:core:id:testnet:4NyXJcPrM4F4uf7UvhzyBrDR45zAZQuimx2SBBW6Yk';
const SCHEMA = 'https://schemas.example/member.json';
const ISSUER = 'did:web:issuer.example';

const CLAIM = {
  ...{ v: 1, issuerDid: ISSUER, holderDid: HOLDER, credentialId: 'member', schemaId: SCHEMA },
  ...{ credentialSubject: { age: 34, name: 'Zo\u00eb' }, expiresAt: '2027-11-25T00:00:00.000Z' },
  ...{ revocationNonce: '5063482915573610127', salt: '000102030405060708090a0b0c0d0e0f' },
};
const ENVELOPE = {
  data: 'AAECAwQFBgcICQoLDA0ODw==',
  iv: 'AAECAwQFBgcICQoL',
  authTag: 'AAECAwQFBgcICQoLDA0ODw==',
  encryptedKey: 'MCowBQYDK2VuAyEAAAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=',
};
const PACKAGE = { holderDid: HOLDER, proofType: 'JWT_VC', schemaId: SCHEMA, expiresAt: null, ...ENVELOPE };
const STORED_CLAIM = {
  ...{ issuerDid: ISSUER, credentialId: 'member', schemaVersion: 2 },
  ...{ coreClaimHash: 'ab'.repeat(32), revocationNonce: '5063482915573610127' },
};
const PROGRAM = {
  programId: 'adults',
  accepted: [
    {
      credentialId: 'member',
      issuerDid: ISSUER,
      conditions: [
        { field: 'age', operator: '$gte', values: [18] },
        { field: 'born', operator: '$lte', values: ['today - 18 years'] },
      ],
      families: [
        ['age', 'number'],
        ['born', 'date'],
      ],
    },
    { credentialId: 'passport', issuerDid: ISSUER, conditions: [], families: [] },
  ],
  options: { maxPerHolder: null, cak: false },
};
const CAKS = (['secp256r1', 'secp256k1'] as const).map((curve) => ({
  ...{ accountKey: '07'.repeat(32), curve, holderDid: HOLDER, issuerDid: ISSUER, schemaId: SCHEMA },
}));
const ACCOUNT = {
  account: '0x00000000000000000000000000000000000000AA',
  chainId: 31_337,
  message: 'Register this account with the credential network: 1',
} as const;

const hashed = (what: object) => {
  const canonical = canonicalize(what) ?? '';
  return { canonical, sha256: createHash('sha256').update(canonical, 'utf8').digest('hex') };
};

/** Every vector, computed from its input by the documented steps, without our code. */
async function documented() {
  const { hashMessage, hashTypedData } = await viem();
  const expiring = { ...PACKAGE, expiresAt: '2027-11-25T00:00:00.000Z' };
  return {
    coreClaimHash: [{ input: CLAIM, ...hashed(CLAIM) }],
    storageReceipt: [
      { input: PACKAGE, ...hashed(PACKAGE) },
      { input: { ...expiring, expiresAt: '2027-11-25T01:00:00+01:00' }, ...hashed(expiring) },
      { input: { ...expiring, claim: STORED_CLAIM }, ...hashed({ ...expiring, claim: STORED_CLAIM }) },
    ],
    programVersion: [{ input: PROGRAM, ...hashed(PROGRAM) }],
    cak: CAKS.map((input) => {
      const { accountKey, curve, holderDid, issuerDid, schemaId } = input;
      const { privateKey, publicKey } = deriveCak(Buffer.from(accountKey, 'hex'), {
        curve,
        holderDid,
        issuerDid,
        schemaId,
      });
      const info = `core/cak/v1${canonicalize([curve, holderDid, issuerDid, schemaId])}`;
      return { input, info, privateKey: Buffer.from(privateKey).toString('hex'), publicKey };
    }),
    accountMessage: [
      {
        input: ACCOUNT,
        messageHash: hashMessage(ACCOUNT.message),
        typedDataHash: hashTypedData({
          domain: { name: 'CoreAccount', version: '1', chainId: ACCOUNT.chainId, verifyingContract: ACCOUNT.account },
          types: { CoreMessage: [{ name: 'hash', type: 'bytes32' }] },
          primaryType: 'CoreMessage',
          message: { hash: hashMessage(ACCOUNT.message) },
        }),
      },
    ],
  };
}

const written = (value: unknown) => JSON.parse(JSON.stringify(value));
const computed = await documented();
if (process.env.WRITE_VECTORS) writeFileSync(FILE, `${JSON.stringify(computed, null, 1)}\n`);
const vectors: typeof computed = JSON.parse(readFileSync(FILE, 'utf8'));

describe('The vectors of hashes', () => {
  it('the hash vectors are what the documentation says of their input', () => {
    expect(written(computed)).toEqual(vectors);
  });

  it('the hash vectors of claims are our coreClaimHash', () => {
    for (const { input, sha256 } of vectors.coreClaimHash) expect(coreClaimHash(input as never)).toBe(sha256);
  });

  it('the hash vectors of stored packages are the sha256 of our receipts', () => {
    for (const { input, sha256 } of vectors.storageReceipt) {
      const expiresAt = input.expiresAt === null ? null : new Date(input.expiresAt);
      expect(packageHash({ ...input, expiresAt } as never)).toBe(sha256);
    }
  });

  it('the hash vectors of programs are our programVersion, whatever order their credentials have', () => {
    for (const { input, sha256 } of vectors.programVersion) {
      const { options, accepted, programId } = input;
      const withIssuers = accepted.map((each) => ({ ...each, issuerId: 'issuer' })).reverse();
      const terms = { programId, accepted: withIssuers, ...options };
      expect(pinnedOf(terms as never).programVersion).toBe(sha256);
    }
  });

  it('a program that lets wallets disclose values has another programVersion', () => {
    const terms = { programId: 'p', accepted: [], maxPerHolder: null, cak: false, disclose: true };
    const text = '{"accepted":[],"options":{"cak":false,"disclose":true,"maxPerHolder":null},"programId":"p"}';
    expect(pinnedOf(terms as never).programVersion).toBe(createHash('sha256').update(text).digest('hex'));
  });
});
