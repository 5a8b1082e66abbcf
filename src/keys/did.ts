// DIDs of P-256 issuers (did:key, did:web) and DID documents (W3C DID Core 1.0, Multikey and JsonWebKey).
import { createPublicKey, ECDH, type KeyObject, randomBytes } from 'node:crypto';
import { base58 } from '@scure/base';
import type { JWK } from 'jose';

/** Multicodec prefixes, as varints: p256-pub (0x1200) and x25519-pub (0xec). */
const P256_PUB = Buffer.from([0x80, 0x24]);
const X25519_PUB = Buffer.from([0xec, 0x01]);
const X25519_BYTES = 32;

const CONTEXT = [
  'https://www.w3.org/ns/did/v1',
  'https://w3id.org/security/multikey/v1',
  'https://w3id.org/security/jwk/v1',
];

/** A DID document, with the members that the gateway uses. */
export interface DidDocument {
  '@context': string[];
  id: string;
  verificationMethod?: Record<string, unknown>[];
  assertionMethod?: string[];
  authentication?: string[];
  keyAgreement?: (string | Record<string, unknown>)[];
}

const IDEN3_RANDOM_BYTES = 27;

/**
 * A new id in the form of iden3's libraries (https://docs.iden3.io/getting-started/identity/identifier/): base58 of 31 bytes, which are the
 * type (2), random (27), and the sum of both as a checksum (2, low byte first).
 */
export function newIden3Id(type: Uint8Array): string {
  const stated = Buffer.concat([type, randomBytes(IDEN3_RANDOM_BYTES)]);
  const checksum = Buffer.alloc(2);
  checksum.writeUInt16LE(stated.reduce((sum, byte) => sum + byte, 0));
  return base58.encode(Buffer.concat([stated, checksum]));
}

const multibase = (codec: Buffer, key: Buffer): string => `z${base58.encode(Buffer.concat([codec, key]))}`;

/** Multikey form of a P-256 public JWK: compressed point, multicodec p256-pub, base58btc. */
export function p256Multibase(jwk: JWK): string {
  const point = Buffer.concat([Buffer.from([4]), coordinate(jwk.x), coordinate(jwk.y)]);
  return multibase(P256_PUB, ECDH.convertKey(point, 'prime256v1', undefined, undefined, 'compressed') as Buffer);
}

function coordinate(value: string | undefined): Buffer {
  const bytes = Buffer.from(value ?? '', 'base64url');
  if (bytes.length !== 32) throw new TypeError('A P-256 public key has two coordinates of 32 bytes.');
  return bytes;
}

/** `did:key` of a P-256 public key (W3C CCG did:key method). */
export function didKeyOf(jwk: JWK): string {
  return `did:key:${p256Multibase(jwk)}`;
}

/** The public key inside a P-256 `did:key`. @throws TypeError on any other DID. */
export function keyOfDidKey(did: string): KeyObject {
  const match = /^did:key:z([1-9A-HJ-NP-Za-km-z]{1,64})$/.exec(did);
  const bytes = Buffer.from(match?.[1] === undefined ? [] : base58.decode(match[1]));
  if (bytes.length !== 35 || !bytes.subarray(0, 2).equals(P256_PUB)) {
    throw new TypeError('Expected did:key with a P-256 public key.');
  }
  const point = ECDH.convertKey(bytes.subarray(2), 'prime256v1', undefined, undefined, 'uncompressed') as Buffer;
  return createPublicKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
    },
  });
}

/** The verification method id of a `did:key` issuer: the DID, `#`, and its multibase value. */
export function didKeyMethodId(did: string): string {
  return `${did}#${did.slice('did:key:'.length)}`;
}

/**
 * `did:web` of a path under the gateway's public https address (W3C CCG did:web method).
 * `https://example.com/x` and `['v1', 'issuers', 'a']` give `did:web:example.com:x:v1:issuers:a`.
 */
export function didWebOf(publicUrl: string, segments: readonly string[]): string {
  const url = new URL(publicUrl);
  const base = url.pathname.split('/').filter((segment) => segment !== '');
  return ['did', 'web', encodeURIComponent(url.host), ...[...base, ...segments].map(encodeURIComponent)].join(':');
}

/** An issuer's DID document: one JsonWebKey method for each of its signing keys, all valid for assertions. */
export function issuerDidDocument(did: string, keys: readonly { methodId: string; jwk: JWK }[]): DidDocument {
  return {
    '@context': CONTEXT,
    id: did,
    verificationMethod: keys.map(({ methodId, jwk }) => ({
      id: methodId,
      type: 'JsonWebKey',
      controller: did,
      publicKeyJwk: jwk,
    })),
    assertionMethod: keys.map(({ methodId }) => methodId),
    authentication: keys.map(({ methodId }) => methodId),
  };
}

/** A holder's DID document: its current X25519 key (SPKI DER), for key agreement only; without keys if it has none. */
export function holderDidDocument(did: string, spki?: Buffer): DidDocument {
  if (spki === undefined) return { '@context': CONTEXT, id: did };
  const value = multibase(X25519_PUB, spki.subarray(spki.length - X25519_BYTES));
  const method = { id: `${did}#${value}`, type: 'Multikey', controller: did, publicKeyMultibase: value };
  return { '@context': CONTEXT, id: did, keyAgreement: [method] };
}
