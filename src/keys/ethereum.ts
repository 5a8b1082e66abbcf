// Ethereum's account addresses and message signatures: EIP-55 checksums, EIP-191 recovery.
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';

const ADDRESS = /^0x[0-9a-fA-F]{40}$/;
const SIGNATURE = /^0x[0-9a-fA-F]{130}$/;
/** `v` of a signature: 27 and 28; some wallets write 0 and 1. */
const RECOVERY: ReadonlyMap<number, number> = new Map([
  [27, 0],
  [28, 1],
  [0, 0],
  [1, 1],
]);

/** An address with its checksum (EIP-55); undefined for text that is not an address or has a wrong checksum. */
export function checksummed(text: string): string | undefined {
  if (!ADDRESS.test(text)) return undefined;
  const digits = text.slice(2).toLowerCase();
  const hash = Buffer.from(keccak_256(Buffer.from(digits, 'ascii'))).toString('hex');
  const mixed = [...digits].map((digit, at) =>
    Number.parseInt(hash[at] ?? '0', 16) >= 8 ? digit.toUpperCase() : digit,
  );
  const address = `0x${mixed.join('')}`;
  // An address in small letters alone, or in capitals alone, has no checksum.
  const plain = text.slice(2) === digits || text.slice(2) === digits.toUpperCase();
  return plain || text === address ? address : undefined;
}

/**
 * The address whose key signed a message (EIP-191, version 0x45 "personal_sign"). `signature` is r, s and v, 65 bytes
 * in hex with 0x. Undefined for invalid signatures, and for those with a high s (EIP-2): of two equivalent signatures,
 * only the one with the low s is accepted.
 */
export function signerOf(message: string, signature: string): string | undefined {
  if (!SIGNATURE.test(signature)) return undefined;
  const bytes = Buffer.from(signature.slice(2), 'hex');
  const recovery = RECOVERY.get(bytes[64] ?? -1);
  if (recovery === undefined) return undefined;
  try {
    const parsed = secp256k1.Signature.fromBytes(bytes.subarray(0, 64), 'compact').addRecoveryBit(recovery);
    return parsed.hasHighS() ? undefined : addressOf(parsed.recoverPublicKey(personalHash(message)).toBytes(false));
  } catch {
    return undefined; // r or s is zero or not below the order, or the point is not on the curve.
  }
}

/** The hash that `personal_sign` signs. */
export function personalHash(message: string): Uint8Array {
  const text = Buffer.from(message);
  return keccak_256(Buffer.concat([Buffer.from(`\x19Ethereum Signed Message:\n${text.length}`), text]));
}

/** The address of an uncompressed public key: the last 20 bytes of its hash. */
function addressOf(publicKey: Uint8Array): string | undefined {
  return checksummed(`0x${Buffer.from(keccak_256(publicKey.subarray(1)).subarray(12)).toString('hex')}`);
}
