// The holder's CAK (contract §17): one key pair for each user, issuer and schema, derived from the account key on the
// holder's device. index.ts does not export it: the gateway has only the public key, and never loads this file.
import { p256 } from '@noble/curves/nist.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { hkdf } from '@noble/hashes/hkdf.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { canonical } from './encoding.js';

const CURVES = { secp256r1: p256, secp256k1 } as const;

/** The issuer, schema and holder of a key pair, and its curve. */
export interface CakPurpose {
  curve: keyof typeof CURVES;
  holderDid: string;
  issuerDid: string;
  schemaId: string;
}

export interface CakPair {
  /** Scalar, 32 bytes. The holder discloses it only with a Compliant result to an entitled verifier. */
  privateKey: Uint8Array;
  /** SEC1, compressed, hex. */
  publicKey: string;
}

const INFO = 'core/cak/v1';
const OUTPUT_BYTES = 48;

/**
 * The key pair of a purpose: always the same for one account key.
 * @param accountKey secret key material of the holder: the private key of its account, or random bytes that are backed up
 */
export function deriveCak(accountKey: Uint8Array, { curve, holderDid, issuerDid, schemaId }: CakPurpose): CakPair {
  const info = new TextEncoder().encode(INFO + canonical([curve, holderDid, issuerDid, schemaId]));
  const output = BigInt(`0x${bytesToHex(hkdf(sha256, accountKey, undefined, info, OUTPUT_BYTES))}`);
  const { n } = CURVES[curve].Point.CURVE();
  const scalar = 1n + (output % (n - 1n));
  const privateKey = hexToBytes(scalar.toString(16).padStart(64, '0'));
  return { privateKey, publicKey: bytesToHex(CURVES[curve].getPublicKey(privateKey, true)) };
}
