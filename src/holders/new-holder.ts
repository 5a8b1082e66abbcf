// Creates holders and their keys.
import { randomUUID } from 'node:crypto';
import { newIden3Id } from '../keys/did.js';
import { generateX25519, pkcs8Of, publicKeyHex, spkiOf } from '../keys/holder-encryption.js';
import type { SealedBox } from '../keys/sealed-box.js';
import { canonicalEmail, emailHash } from './email.js';
import type { HolderRow } from './models.js';

export interface NewHolderParts {
  box: SealedBox;
  /** The prefix of DIDs: `did:core:id:testnet:`. */
  didPrefix: string;
  /** Type of the iden3 id in a new DID, 2 bytes. */
  didType: Uint8Array;
  clock(): number;
}

/** A new holder, with a generated key or without one. The address is stored in its canonical form. */
export function newHolder(
  { box, didPrefix, didType, clock }: NewHolderParts,
  email: string,
  withKey: boolean,
): HolderRow {
  const _id = randomUUID();
  const at = new Date(clock());
  const key = withKey ? newKey(box, _id) : { publicKey: null, sealedPrivateKey: null };
  return {
    _id,
    emailHash: emailHash(box, email),
    sealedEmail: box.seal(canonicalEmail(email), { what: 'holder-email', whose: _id }),
    did: didPrefix + newIden3Id(didType),
    ...key,
    createdAt: at,
    updatedAt: at,
  };
}

/** A new key pair of a holder; the private key is sealed. */
export function newKey(box: SealedBox, holderId: string): { publicKey: string; sealedPrivateKey: string } {
  const { publicKey, privateKey } = generateX25519();
  const sealedPrivateKey = box.seal(pkcs8Of(privateKey), { what: 'holder-key', whose: holderId });
  return { publicKey: publicKeyHex(spkiOf(publicKey)), sealedPrivateKey };
}
