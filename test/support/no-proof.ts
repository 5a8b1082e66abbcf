// A presentation that can be decoded and proves nothing.
import { encodePresentation, PRESENTATION_SUITE, toBase64url } from '../../src/zk/index.js';

/** A presentation whose contents no gateway has stored. */
export const NO_PROOF = encodePresentation({
  v: 1,
  suite: PRESENTATION_SUITE,
  verificationId: 'v',
  nonce: toBase64url(new Uint8Array(32)),
  now: new Date(0).toISOString(),
  partnerId: 'p',
  programId: 'g',
  programVersion: 'x',
  credentialId: 'c',
  schemaId: 's',
  schemaVersion: 1,
  kid: 'k',
  sides: [],
  commitment: toBase64url(new Uint8Array(48)),
  proof: 'AA',
});
