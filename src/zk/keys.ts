// Public keys of BBS: 96 bytes of G2, written as z-base58 after the multicodec bls12_381-g2-pub (contract §12).
import { base58 } from '@scure/base';

export const PUBLIC_KEY_BYTES = 96;
/** 0xeb as a varint. */
const CODEC = [0xeb, 0x01];
/** Longest text that is decoded; the time of base58 grows with the square of the length. */
const MAX_TEXT = 200;

export function publicKeyMultibase(publicKey: Uint8Array): string {
  return `z${base58.encode(new Uint8Array([...CODEC, ...publicKey]))}`;
}

/** The bytes of a public key; undefined for a text of another form. `Suite.isPublicKey` checks whether they are a key. */
export function publicKeyBytes(multibase: string): Uint8Array | undefined {
  if (!multibase.startsWith('z') || multibase.length > MAX_TEXT) return undefined;
  try {
    const bytes = base58.decode(multibase.slice(1));
    const isKey = bytes.length === CODEC.length + PUBLIC_KEY_BYTES && CODEC.every((byte, at) => bytes[at] === byte);
    return isKey ? bytes.slice(CODEC.length) : undefined;
  } catch {
    return undefined;
  }
}
