// An issuer, a holder with a signed claim, and a verifier, for tests with real proofs.
import { type Family, familyOf, normalForm, parseCondition } from '../../src/conditions/index.js';
import {
  type Challenge,
  decodePresentation,
  type EncodedPoint,
  encodePresentation,
  loadSuite,
  type Presentation,
  type ProofTerms,
  type Proven,
  type SignedClaim,
  toBase64url,
} from '../../src/zk/index.js';

export const suite = await loadSuite();
export const NOW = '2024-02-29T13:30:00.000Z';

const TYPES: Readonly<Record<string, string>> = {
  age: 'integer',
  height: 'double',
  born: 'date',
  active: 'boolean',
  name: 'string',
  extra: 'object',
  gone: 'string',
  odd: 'integer',
};
export const POINTS: readonly EncodedPoint[] = Object.entries(TYPES).map(([name, type]) => ({
  name,
  family: familyOf(type),
}));
export const families = (field: string): Family | undefined => POINTS.find(({ name }) => name === field)?.family;

/** `gone` is absent, `odd` is not of its type. */
export const SUBJECT = {
  age: 17,
  height: 2 ** 53,
  born: '2006-02-28',
  active: true,
  name: 'e\u0301',
  extra: { a: 1 },
  odd: 'seventeen',
};
export const CLAIM: SignedClaim = {
  coreClaimHash: 'ab'.repeat(32),
  schemaId: 'schema',
  schemaVersion: 1,
  credentialSubject: SUBJECT,
};
export const CHALLENGE: Challenge = {
  verificationId: '7d4f0f5e-3e7e-4c5b-9a43-0f4f2a9e3a11',
  nonce: toBase64url(new Uint8Array(32).fill(1)),
  now: NOW,
  partnerId: 'partner',
  programId: 'program',
  programVersion: 'cd'.repeat(32),
};

export const issuer = suite.newKey();
export const SIGNATURE = suite.sign(CLAIM, POINTS, issuer.secretKey);

/** What is proven of these conditions. */
export function termsOf(...texts: string[]): ProofTerms {
  const { forms, faults } = normalForm(texts.map(parseCondition), families, Date.parse(NOW));
  if (faults.length > 0) throw new Error(JSON.stringify(faults));
  return {
    challenge: CHALLENGE,
    credentialId: 'credential',
    schemaId: CLAIM.schemaId,
    schemaVersion: CLAIM.schemaVersion,
    kid: 'kid',
    points: POINTS,
    conditions: forms,
    accumulators: suite.accumulators(forms),
  };
}

export const prove = (terms: ProofTerms, claim: SignedClaim = CLAIM, signature = SIGNATURE): Proven =>
  suite.prove(terms, { claim, signature });

/** Whether a text is a presentation of these terms; what is none is refused before. */
export const accepts = (terms: ProofTerms, presentation: string, publicKey = issuer.publicKey): boolean =>
  suite.verify(terms, publicKey, decodePresentation(presentation));

/** A presentation with other members. */
export const rewritten = (presentation: string, changes: Partial<Presentation>): string =>
  encodePresentation({ ...decodePresentation(presentation), ...changes });

const proofs = new Map<string, { terms: ProofTerms; presentation: string }>();

/** An honest proof of conditions; made once for each. */
export function proven(...texts: string[]): { terms: ProofTerms; presentation: string } {
  const key = texts.join('\n');
  const entry = proofs.get(key);
  if (entry) return entry;
  const terms = termsOf(...texts);
  const { presentation } = prove(terms);
  if (!accepts(terms, presentation)) throw new Error(`an honest proof of ${key} is not accepted`);
  const proof = { terms, presentation };
  proofs.set(key, proof);
  return proof;
}
