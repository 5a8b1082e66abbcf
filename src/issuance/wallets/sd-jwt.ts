// SD-JWTs as an issuer makes them (RFC 9901 §4): claims that are to be disclosed or not are replaced by digests, and the rest is signed. Own code,
// because a library's takes several times as long (docs/decisions/0092).
import { randomBytes } from 'node:crypto';
import { CREDENTIAL_TYPE, type Claims, digestOf, NEVER_HIDDEN } from '../../keys/sd-jwt.js';
import type { Signer } from '../../keys/signing-keys.js';

/** What a holder can hide of an object: members by their names, and in members that are objects. */
export interface DisclosureFrame {
  /** Members that are disclosures of their own. */
  hidden: Set<string>;
  /** How many digests of nothing there are beside them (§4.2.5). */
  decoys: number;
  within: Map<string, DisclosureFrame>;
}

export const newFrame = (): DisclosureFrame => ({ hidden: new Set(), decoys: 0, within: new Map() });

const SALT_BYTES = 16;
const SALTS_DRAWN = 64;
/** Random bytes that are not yet salts: drawn together, they cost a twentieth. */
let drawn = Buffer.alloc(0);

function newSalt(): string {
  if (drawn.length < SALT_BYTES) drawn = randomBytes(SALTS_DRAWN * SALT_BYTES);
  const salt = drawn.toString('base64url', 0, SALT_BYTES);
  drawn = drawn.subarray(SALT_BYTES);
  return salt;
}

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/**
 * Signs a credential, with all of its disclosures, by ES256.
 * @param header beside `typ` and `alg`
 * @throws Error for a frame that hides what may not be hidden
 */
export function issuedSdJwt(
  payload: Claims,
  frame: DisclosureFrame,
  header: object,
  signer: Pick<Signer, 'signText'>,
): string {
  const never = [...frame.hidden].find((name) => NEVER_HIDDEN.has(name));
  if (never !== undefined) throw new Error(`"${never}" of a credential must not be hidden`);
  const disclosures: string[] = [];
  const claims = { ...withDigests(payload, frame, disclosures), _sd_alg: 'sha-256' };
  const signed = `${encoded({ typ: CREDENTIAL_TYPE, ...header, alg: 'ES256' })}.${encoded(claims)}`;
  return [`${signed}.${signer.signText(signed)}`, ...disclosures, ''].join('~');
}

/** Claims with digests for those that can be hidden, whose disclosures are added. */
function withDigests(claims: Claims, { hidden, decoys, within }: DisclosureFrame, disclosures: string[]): Claims {
  const plain: Claims = {};
  const digests = Array.from({ length: decoys }, () => digestOf(newSalt()));
  for (const [name, value] of Object.entries(claims)) {
    const inner = within.get(name);
    const content = inner === undefined ? value : withDigests(value as Claims, inner, disclosures);
    if (!hidden.has(name)) plain[name] = content;
    else {
      const disclosure = encoded([newSalt(), name, content]);
      disclosures.push(disclosure);
      digests.push(digestOf(disclosure));
    }
  }
  // In the order of the digests, which says nothing of that of the claims.
  return digests.length === 0 ? plain : { ...plain, _sd: digests.sort() };
}
