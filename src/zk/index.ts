// The public functions of proofs, for Node and browsers. Only `loadSuite` loads the library.
export { fromBase64url, toBase64url } from './bytes.js';
export {
  type EncodedPoint,
  type HeaderFacts,
  headerMessage,
  MAX_POINTS,
  type Message,
  messageOf,
  messagesOf,
  SIGNATURE_SUITE,
} from './encoding.js';
export { publicKeyBytes, publicKeyMultibase } from './keys.js';
export { LibraryBroken } from './library.js';
export type { Accumulator } from './lists.js';
export { type FieldSides, isTrue, PlanError, planOf, type Side, type Statement, sidesOf } from './plan.js';
export {
  type Challenge,
  decodePresentation,
  encodePresentation,
  MAX_PRESENTATION,
  PRESENTATION_SUITE,
  type Presentation,
  PresentationError,
} from './presentation.js';
export { MaterialError, type ProofSecrets, type Proven, UnmetError } from './prove.js';
export { type KeyPair, loadSuite, type Suite } from './suite.js';
export type { ProofTerms, SignedClaim } from './terms.js';
