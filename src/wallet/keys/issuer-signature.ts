// Checks the signature of a credential (`vc+jwt`, ES256) with the key in the issuer's DID, if the DID contains it.
import { p256 } from '@noble/curves/nist.js';
import { base58 } from '@scure/base';
import { fromBase64, utf8 } from './bytes.js';

/** Multicodec of P-256 public keys. */
const P256_PUB = [0x80, 0x24];

/**
 * The claims of a credential if its issuer's signature is valid; otherwise undefined. Keys of DIDs that do not contain
 * them (did:web) are not looked up.
 */
export function signedClaims(vc: string, issuerDid: string): Record<string, unknown> | undefined {
  const [head = '', body = '', signature = ''] = vc.split('.');
  try {
    const { alg, typ } = readPart(head);
    if (alg !== 'ES256' || typ !== 'vc+jwt') return undefined;
    const key = keyOf(issuerDid);
    const isSigned =
      key === undefined || p256.verify(fromBase64(signature), utf8(`${head}.${body}`), key, { lowS: false });
    return isSigned ? readPart(body) : undefined;
  } catch {
    return undefined;
  }
}

const readPart = (part: string): Record<string, unknown> => JSON.parse(new TextDecoder().decode(fromBase64(part)));

/** The key in a did:key; undefined for DIDs of other methods. @throws Error for a did:key of another kind. */
function keyOf(did: string): Uint8Array | undefined {
  if (!did.startsWith('did:key:z')) return undefined;
  const bytes = base58.decode(did.slice('did:key:z'.length));
  if (P256_PUB.some((byte, at) => bytes[at] !== byte)) throw new Error('not a key of P-256');
  return bytes.slice(P256_PUB.length);
}
