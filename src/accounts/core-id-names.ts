// Names of core ids and their nodes (EIP-137).
import { createHash } from 'node:crypto';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { z } from 'zod';

const LABEL = /^(?=.{3,32}$)[a-z0-9]+(?:-[a-z0-9]+)*$/;
/** How many hex digits the generated label of an unnamed core id has: more than the 32 characters of a name, so no name equals one. */
const UNNAMED_DIGITS = 40;

/** A name as clients send it: without the root. */
export const labelText = z.string().regex(LABEL, 'must be 3 to 32 of a-z and 0-9, with single hyphens inside');

/** `namehash` of EIP-137, 32 bytes in hex with 0x. @param name labels of ASCII, with dots between. */
export function namehash(name: string): `0x${string}` {
  const node = name
    .split('.')
    .filter((label) => label !== '')
    .reduceRight<Uint8Array>(
      (parent, label) => keccak_256(Buffer.concat([parent, keccak_256(Buffer.from(label, 'ascii'))])),
      new Uint8Array(32),
    );
  return `0x${Buffer.from(node).toString('hex')}`;
}

/** The name and the node of a core id; without a name, the node is derived from the holder's DID. */
export function namedNode(
  root: string,
  label: string | undefined,
  did: string,
): { name?: string; node: `0x${string}` } {
  if (label !== undefined) return { name: `${label}.${root}`, node: namehash(`${label}.${root}`) };
  const digest = createHash('sha256').update(did).digest('hex');
  return { node: namehash(`${digest.slice(0, UNNAMED_DIGITS)}.${root}`) };
}

/** The token id: the node as a decimal number. */
export const tokenIdOf = (node: string): string => BigInt(node).toString();

/** The node of a token id; undefined for text that is not one. */
export function nodeOf(tokenId: string): string | undefined {
  if (!/^(?:0|[1-9]\d{0,77})$/.test(tokenId)) return undefined;
  const digits = BigInt(tokenId).toString(16);
  return digits.length > 64 ? undefined : `0x${digits.padStart(64, '0')}`;
}
