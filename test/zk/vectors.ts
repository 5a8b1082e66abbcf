// Test vectors of docs/proofs.md: presentations with every step of their check. What the prover draws at random stays as it was written; everything
// else follows from it, and `describeVector` computes it again.
import { createHash } from 'node:crypto';
import { normalForm, parseCondition } from '../../src/conditions/index.js';
import { coreClaimHash } from '../../src/issuance/claim-hash.js';
import { scalarOf } from '../../src/zk/field.js';
import {
  type Accumulator,
  decodePresentation,
  type EncodedPoint,
  fromBase64url,
  loadSuite,
  type Message,
  messagesOf,
  type ProofTerms,
  planOf,
  publicKeyBytes,
  publicKeyMultibase,
  type SignedClaim,
  type Statement,
  toBase64url,
} from '../../src/zk/index.js';
import { loadLibrary } from '../../src/zk/library.js';
import { Parameters } from '../../src/zk/parameters.js';
import { contextOf, encodePresentation, nonceOf } from '../../src/zk/presentation.js';
import { specify } from '../../src/zk/specification.js';
import { VerifierStatements } from '../../src/zk/verifier-statements.js';

export const suite = await loadSuite();
const library = await loadLibrary();
const parameters = new Parameters(library);
const signatures = new VerifierStatements(library, parameters);

const SCHEMA = {
  schemaId: 'https://schemas.example/member.json',
  schemaVersion: 2,
  points: [
    { name: 'age', family: 'number' },
    { name: 'balance', family: 'number' },
    { name: 'born', family: 'date' },
    { name: 'seen', family: 'date' },
    { name: 'active', family: 'boolean' },
    { name: 'name', family: 'text' },
    { name: 'address.country', family: 'text' },
    { name: 'tags', family: 'json' },
    { name: 'left', family: 'date' },
    { name: 'score', family: 'number' },
  ] satisfies EncodedPoint[],
} as const;

/** `left` is absent; `score` is outside its family; the name is not in NFC. */
const CORE_CLAIM = {
  v: 1,
  issuerDid: 'did:web:issuer.example',
  holderDid: 'did:core:id:testnet:4NyXJcPrM4F4uf7UvhzyBrDR45zAZQuimx2SBBW6Yk',
  credentialId: 'member',
  schemaId: SCHEMA.schemaId,
  credentialSubject: {
    age: 34,
    balance: -1_234.5,
    born: '1992-02-29',
    seen: '2026-11-20T08:15:30.123456+01:00',
    active: true,
    name: 'Zoe\u0308',
    address: { country: 'SE', city: 'Lund' },
    tags: ['b', 'a'],
    score: 'none',
  },
  expiresAt: null,
  revocationNonce: '5063482915573610127',
  salt: '000102030405060708090a0b0c0d0e0f',
} as const;

const CHALLENGE = {
  verificationId: '7d4f0f5e-3e7e-4c5b-9a43-0f4f2a9e3a11',
  nonce: toBase64url(Uint8Array.from({ length: 32 }, (_, at) => at)),
  now: '2026-11-25T13:30:00.000Z',
  partnerId: 'bb3cc6d7-5a15-44db-b169-5ec6ab3d0914',
  programId: 'adults',
  programVersion: 'cd'.repeat(32),
};

/** What the vectors prove: every form, and how forms combine. */
const CASES: Readonly<Record<string, readonly string[]>> = {
  'no conditions': [],
  'a value that is disclosed': ['active = true'],
  'values that are disclosed': ['age = 34', 'born = 1992-02-29', 'name = "Zo\u00eb"', 'address.country = "SE"'],
  'a range with one end': ['age >= 18'],
  'an open range, which excludes its end': ['balance < 0'],
  'a range whose ends are above 2^53 as integers': ['balance between -1e300 and 1e300'],
  'a relative date': ['born <= today - 18 years'],
  'two dates and a date-time': ['born > 1990-01-01', 'seen >= 2026-11-20T07:15:30.123Z'],
  'excluded ranges with a side each': ['age not between 10 and 20', 'age not between 40 and 50', 'age < 100'],
  'excluded ranges of two fields': ['age not between 10 and 20', 'born not between 2000-01-01 and 2010-12-31'],
  'values that differ': ['name != "Bob"', 'address.country not in ["NO", "DK"]'],
  'a value that exists': ['seen exists', 'tags exists'],
  'a range without some of its values': ['age > 18', 'age != 21', 'age != 5'],
  'a value outside its family': ['score != 5'],
  'a member of a list': ['address.country in ["DK", "NO", "SE"]'],
  'everything at once': [
    ...['active = true', 'age >= 18', 'age != 21', 'balance < 0', 'born not between 2000-01-01 and 2010-12-31'],
    ...['name != "Bob"', 'address.country in ["DK", "NO", "SE"]', 'seen exists'],
  ],
};

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** An issuer's key, and a claim that is signed with it. */
export interface Signed {
  kid: string;
  publicKeyMultibase: string;
  publicKey: string;
  coreClaim: typeof CORE_CLAIM;
  signature: string;
}

/** A presentation, and all that is checked it against. */
export interface PresentationVector {
  name: string;
  terms: Omit<ProofTerms, 'points'>;
  publicKeyMultibase: string;
  presentation: string;
  opening: string;
}

const writtenMessage = (message: Message) =>
  'integer' in message ? { integer: message.integer.toString() } : { ...message };

/** The claim as it is signed. */
export const claimOf = (): SignedClaim => ({
  coreClaimHash: coreClaimHash(CORE_CLAIM as never),
  schemaId: SCHEMA.schemaId,
  schemaVersion: SCHEMA.schemaVersion,
  credentialSubject: CORE_CLAIM.credentialSubject,
});

/** Message by message, what is signed. */
export function describeSigned(signed: Signed) {
  const { coreClaimHash, schemaId, schemaVersion, credentialSubject } = claimOf();
  const messages = messagesOf(claimOf(), SCHEMA.points, credentialSubject).map((message, at) => ({
    at,
    point: at === 0 ? null : SCHEMA.points[at - 1]?.name,
    message: writtenMessage(message),
    scalar: hex(scalarOf(library, message)),
  }));
  return { ...signed, coreClaimHash, schemaId, schemaVersion, points: SCHEMA.points, messages };
}

export const termsOf = ({ terms }: Pick<PresentationVector, 'terms'>): ProofTerms => ({
  ...terms,
  points: SCHEMA.points,
});

function writtenStatement(statement: Statement) {
  const { kind, at } = statement;
  if (statement.kind === 'range') return { kind, at, low: statement.low.toString(), high: statement.high.toString() };
  if (statement.kind === 'member') return { kind, at, field: statement.field };
  return { kind, at, message: writtenMessage(statement.message), scalar: hex(scalarOf(library, statement.message)) };
}

/** A vector with every step between its terms and the library's verdict. */
export function describeVector(vector: PresentationVector) {
  const terms = termsOf(vector);
  const decoded = decodePresentation(vector.presentation);
  const plan = planOf(terms.points, terms.conditions, decoded.sides);
  const commitment = fromBase64url(decoded.commitment) ?? new Uint8Array();
  const spec = specify({ library, parameters, plan, accumulators: terms.accumulators ?? [], commitment });
  const publicKey = publicKeyBytes(vector.publicKeyMultibase) ?? new Uint8Array();
  const signature = signatures.of({ messages: terms.points.length + 1, publicKey, disclosed: spec.disclosed });
  const { proof: _proof, ...members } = decoded;
  return {
    ...vector,
    decoded: members,
    plan: plan.map(writtenStatement),
    statements: [signature ?? new Uint8Array(), ...spec.statements].map(hex),
    // The library's are objects already.
    equalities: spec.equalities as unknown[],
    setup: spec.setup.length === 0 ? [] : ['ranges', 'inequalities'],
    context: new TextDecoder().decode(contextOf(decoded)),
    nonce: hex(nonceOf(decoded)),
  };
}

/** The public parameters, by label; those of signatures for the messages of this schema. */
export function describeParameters() {
  const digest = (bytes: Uint8Array) => ({ bytes: bytes.length, sha256: sha256(bytes) });
  const [g, h] = parameters.commitment;
  const [ranges, inequalities] = parameters.setup as [Uint8Array, Uint8Array];
  const { params, provingKey } = parameters.lists;
  return {
    commitment: { g: hex(g), h: hex(h) },
    setup: { ranges: digest(ranges), inequalities: digest(inequalities) },
    list: digest(params),
    membership: digest(provingKey),
  };
}

/** New presentations of all cases. */
export function newVectors(): { signed: Signed; presentations: PresentationVector[] } {
  const { secretKey, publicKey } = suite.newKey();
  const claim = claimOf();
  const signature = suite.sign(claim, SCHEMA.points, secretKey);
  const kid = 'zk-1';
  const signed = {
    ...{ kid, publicKeyMultibase: publicKeyMultibase(publicKey), publicKey: hex(publicKey) },
    ...{ coreClaim: CORE_CLAIM, signature: toBase64url(signature) },
  };
  const families = (field: string) => SCHEMA.points.find(({ name }) => name === field)?.family;
  const presentations = Object.entries(CASES).map(([name, texts]) => {
    const { forms, faults } = normalForm(texts.map(parseCondition), families, Date.parse(CHALLENGE.now));
    if (faults.length > 0) throw new Error(JSON.stringify(faults));
    const accumulators: Accumulator[] = suite.accumulators(forms);
    const { schemaId, schemaVersion } = SCHEMA;
    const facts = { credentialId: CORE_CLAIM.credentialId, schemaId, schemaVersion, kid };
    const terms = { challenge: CHALLENGE, ...facts, conditions: forms, accumulators };
    const { presentation, opening } = suite.prove({ ...terms, points: SCHEMA.points }, { claim, signature });
    return { name, terms, publicKeyMultibase: signed.publicKeyMultibase, presentation, opening };
  });
  return { signed, presentations };
}

type Refused = Omit<PresentationVector, 'opening'>;

/** Presentations that prove nothing, each by one change of those that do. */
export function refusedVectors(presentations: readonly PresentationVector[]): Refused[] {
  const named = (name: string) => presentations.find((each) => each.name === name) as PresentationVector;
  const [range, sides] = [named('a range with one end'), named('excluded ranges with a side each')];
  const change = (name: string, { terms, presentation, publicKeyMultibase }: Refused, changes: object): Refused => {
    const text = encodePresentation({ ...decodePresentation(presentation), ...changes });
    return { name, terms, publicKeyMultibase, presentation: text };
  };
  const rechallenged = (name: string, changes: object): Refused => {
    const { terms, ...rest } = change(name, range, changes);
    return { ...rest, terms: { ...terms, challenge: { ...terms.challenge, ...changes } } };
  };
  const proofWith = (edit: (proof: Uint8Array) => Uint8Array) => ({
    proof: toBase64url(edit(Uint8Array.from(fromBase64url(decodePresentation(range.presentation).proof) ?? []))),
  });
  const [form] = range.terms.conditions;
  return [
    rechallenged('another nonce', { nonce: toBase64url(new Uint8Array(32)) }),
    rechallenged('another verification', { verificationId: '00000000-0000-4000-8000-000000000000' }),
    {
      ...range,
      name: 'a condition that was not proven',
      terms: { ...range.terms, conditions: [{ ...form, gte: 35 }] } as never,
    },
    { ...range, name: 'another key', publicKeyMultibase: publicKeyMultibase(suite.newKey().publicKey) },
    change('another commitment', range, { commitment: decodePresentation(sides.presentation).commitment }),
    change('another side', sides, { sides: [['age', 'above', 'above']] }),
    change(
      'another member of a proof',
      range,
      proofWith((proof) => proof.with(80, (proof[80] ?? 0) ^ 1)),
    ),
    change(
      'a byte after a proof, which the library does not read',
      range,
      proofWith((proof) => Uint8Array.of(...proof, 0)),
    ),
    change('a proof with a byte that the library does not read', range, proofWith(unreadByte)),
  ].map(({ opening: _, ...vector }: Refused & { opening?: string }) => vector);
}

/** One of the last ten bytes, which say that there are no aggregated proofs. */
function unreadByte(proof: Uint8Array): Uint8Array {
  return proof.with(proof.length - 10, 1);
}
