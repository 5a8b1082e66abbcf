// A prover that cheats: proofs of something else than what is asked, bytes that are none. None is accepted.
import { describe, expect, it } from 'vitest';
import {
  decodePresentation,
  fromBase64url,
  type Presentation,
  type ProofTerms,
  planOf,
  publicKeyBytes,
  publicKeyMultibase,
  toBase64url,
} from '../../src/zk/index.js';
import { hasLayout } from '../../src/zk/proof-layout.js';
import {
  accepts,
  CHALLENGE,
  CLAIM,
  issuer,
  POINTS,
  prove,
  proven,
  rewritten,
  SIGNATURE,
  SUBJECT,
  suite,
  termsOf,
} from './world.js';

/** Every so many bytes of a proof are flipped; all of them with 1. */
const FLIP_STEP = Number(process.env.ZK_FLIP_STEP ?? 16);

/** What an honest holder proves, cheaply: nothing but a signed claim. */
const TERMS = termsOf();
const HONEST = prove(TERMS).presentation;

/** A presentation of other terms, shown as one of the terms that are asked. */
function relabelled(presentation: string, asked: ProofTerms): string {
  const { verificationId, nonce, now, partnerId, programId, programVersion } = asked.challenge;
  const { credentialId, schemaId, schemaVersion, kid } = asked;
  const members = { verificationId, nonce, now, partnerId, programId, programVersion };
  return rewritten(presentation, { ...members, credentialId, schemaId, schemaVersion, kid });
}

describe('A proof made for', () => {
  const OTHERS: Partial<Presentation>[] = [
    { verificationId: '00000000-0000-4000-8000-000000000000' },
    { nonce: toBase64url(new Uint8Array(32).fill(2)) },
    { now: '2024-03-01T00:00:00.000Z' },
    { partnerId: 'other' },
    { programId: 'other' },
    { programVersion: 'ef'.repeat(32) },
    { credentialId: 'other' },
    { schemaId: 'other' },
    { schemaVersion: 2 },
    { kid: 'other' },
  ];
  it.each(OTHERS)('a proof for another %o is not accepted, even if the presentation is rewritten', (change) => {
    const [member = '', value] = Object.entries(change)[0] ?? [];
    const other: ProofTerms =
      member in CHALLENGE ? { ...TERMS, challenge: { ...CHALLENGE, [member]: value } } : { ...TERMS, [member]: value };
    const { presentation } = prove(other);
    expect(accepts(other, presentation)).toBe(true);
    expect(accepts(TERMS, presentation)).toBe(false);
    expect(accepts(TERMS, relabelled(presentation, TERMS))).toBe(false);
  });

  it.each<[string, string[], string[]]>([
    ['a weaker bound', ['age >= 17'], ['age >= 18']],
    ['a bound one double off', ['age >= 17'], ['age > 17']],
    ['a range with one end', ['age >= 17'], ['age between 17 and 30']],
    ['the same bound on another field', ['age >= 17'], ['height >= 17']],
    ['the other end', ['age >= 17'], ['age <= 17']],
    ['a field of its type, for one that is not', ['age >= 17'], ['odd >= 17']],
    ['fewer conditions', ['age >= 17'], ['age >= 17', 'height >= 1']],
    ['none of the conditions', [], ['age >= 17']],
    ['more conditions', ['active = true', 'name exists'], ['active = true']],
    ['another value', ['age = 17'], ['age = 18']],
    ['another field of this value', ['active = true'], ['age = 18']],
    ['another value that is unequal', ['name != "a"'], ['name != "\u00e9"']],
    ['one of the values that are unequal', ['name not in ["a", "b"]'], ['name not in ["a", "\u00e9"]']],
    ['a field that is there, for one that is not', ['name exists'], ['gone exists']],
    ['an inequality of a field that is there, for one that is not', ['name != "a"'], ['gone != "a"']],
    ['a list of other values', ['name in ["\u00e9", "b"]'], ['name in ["a", "b"]']],
  ])('a proof is not accepted: %s', (_name, other, asked) => {
    expect(accepts(termsOf(...asked), proven(...other).presentation)).toBe(false);
  });

  it('a proof for the other side of an excluded range is not accepted', () => {
    const { terms, presentation } = proven('age not between 18 and 65');
    expect(accepts(terms, rewritten(presentation, { sides: [['age', 'above']] }))).toBe(false);
    expect(accepts(terms, rewritten(presentation, { sides: [] }))).toBe(false);
    expect(
      accepts(
        terms,
        rewritten(presentation, {
          sides: [
            ['age', 'below'],
            ['born', 'below'],
          ],
        }),
      ),
    ).toBe(false);
    const inside = termsOf('age not between 16 and 65');
    for (const side of ['below', 'above'] as const)
      expect(accepts(inside, rewritten(presentation, { sides: [['age', side]] }))).toBe(false);
  });

  it('a proof with another list, or with its witness, is not accepted', () => {
    const asked = termsOf('name in ["a", "b"]');
    const foreign = termsOf('name in ["\u00e9", "b"]');
    const [own] = asked.accumulators ?? [];
    const [theirs] = foreign.accumulators ?? [];
    if (own === undefined || theirs === undefined) throw new Error('there are no accumulators');
    // The prover's list in the place of the one that is asked, then its witness in the one that is asked.
    expect(accepts(asked, prove(foreign).presentation)).toBe(false);
    const mixed = { ...foreign, accumulators: [{ ...own, witnesses: theirs.witnesses }] };
    expect(accepts(asked, prove(mixed).presentation)).toBe(false);
    const swapped = { ...foreign, accumulators: [{ ...theirs, publicKey: own.publicKey }] };
    expect(accepts(asked, prove(swapped).presentation)).toBe(false);
    // A list of the same values made again is another list.
    const again = termsOf('name in ["\u00e9", "b"]');
    expect(accepts(again, prove(foreign).presentation)).toBe(false);
  });
});

describe('A signature', () => {
  it('a signature of another key is not accepted', () => {
    const { publicKey } = suite.newKey();
    expect(accepts(TERMS, HONEST, publicKey)).toBe(false);
    const own = suite.newKey();
    const forged = suite.sign(CLAIM, POINTS, own.secretKey);
    expect(accepts(TERMS, prove(TERMS, CLAIM, forged).presentation)).toBe(false);
  });

  it.each<[string, Partial<typeof CLAIM>]>([
    ['another value', { credentialSubject: { ...SUBJECT, age: 18 } }],
    ['a value for one that is absent', { credentialSubject: { ...SUBJECT, gone: 'x' } }],
    ['another claim', { coreClaimHash: 'ba'.repeat(32) }],
    ['another schema', { schemaId: 'other' }],
    ['another schema version', { schemaVersion: 2 }],
  ])('a signature does not make %s true', (_name, change) => {
    expect(accepts(TERMS, prove(TERMS, { ...CLAIM, ...change }).presentation)).toBe(false);
  });

  it('a signature of another holder proves that holder’s claim', () => {
    const theirs = { ...CLAIM, coreClaimHash: '12'.repeat(32) };
    const { presentation, opening } = prove(TERMS, theirs, suite.sign(theirs, POINTS, issuer.secretKey));
    const { commitment } = decodePresentation(presentation);
    expect(accepts(TERMS, presentation)).toBe(true);
    expect(suite.opens(CLAIM, commitment, opening)).toBe(false);
  });

  it('a signature is not valid for points in another order, fewer, or more', () => {
    const [first, ...rest] = POINTS;
    const points = first === undefined ? [] : [...rest, first];
    const { terms, presentation } = proven('age >= 17');
    expect(accepts({ ...terms, points }, presentation)).toBe(false);
    expect(accepts({ ...terms, points: POINTS.slice(0, -1) }, presentation)).toBe(false);
    expect(accepts({ ...terms, points: [...POINTS, { name: 'more', family: 'boolean' }] }, presentation)).toBe(false);
  });
});

describe('A commitment', () => {
  it('a commitment to another header, or of another proof, is not accepted', () => {
    const { commitment } = decodePresentation(prove(TERMS).presentation);
    expect(accepts(TERMS, rewritten(HONEST, { commitment }))).toBe(false);
  });

  it('a commitment that is no point, or the point at infinity, is not accepted', () => {
    for (const first of [0x00, 0xc0, 0x80, 0xff]) {
      const bytes = new Uint8Array(48);
      bytes[0] = first;
      expect(accepts(TERMS, rewritten(HONEST, { commitment: toBase64url(bytes) }))).toBe(false);
    }
  });

  it('a commitment is opened by its opening alone', () => {
    const { presentation, opening } = prove(TERMS);
    const { commitment } = decodePresentation(presentation);
    const others = [
      prove(TERMS).opening,
      '',
      opening.slice(1),
      `${opening}A`,
      toBase64url(new Uint8Array(32).fill(0xff)),
    ];
    for (const other of others) expect(suite.opens(CLAIM, commitment, other)).toBe(false);
  });
});

describe('A key', () => {
  const identity = new Uint8Array(96);
  identity[0] = 0xc0;
  // x = 2 is on the twist, and not in the subgroup, or no point at all.
  const elsewhere = new Uint8Array(96);
  elsewhere[0] = 0x80;
  elsewhere[95] = 2;

  it.each<[string, Uint8Array]>([
    ['the identity', identity],
    ['a point outside of the subgroup', elsewhere],
    ['zeros', new Uint8Array(96)],
    ['95 bytes', issuer.publicKey.slice(1)],
    ['no bytes', new Uint8Array()],
  ])('a public key that is %s is not valid', (_name, publicKey) => {
    expect(suite.isPublicKey(publicKey)).toBe(false);
    expect(accepts(TERMS, HONEST, publicKey)).toBe(false);
  });

  it('the public key is checked for each proof, whichever was checked before', () => {
    expect(accepts(TERMS, HONEST)).toBe(true);
    const other = suite.newKey().publicKey;
    for (const [publicKey, isRight] of [
      [other, false],
      [issuer.publicKey, true],
      [other, false],
      [identity, false],
    ] as const)
      expect(accepts(TERMS, HONEST, publicKey)).toBe(isRight);
    const disclosing = proven('age = 17');
    expect(accepts(disclosing.terms, disclosing.presentation)).toBe(true);
    expect(accepts(termsOf('age = 18'), disclosing.presentation)).toBe(false);
    expect(accepts(TERMS, HONEST)).toBe(true);
  });

  it('a public key is written as z-base58 of its codec and itself', () => {
    const text = publicKeyMultibase(issuer.publicKey);
    // The codec and the highest bits of a compressed point: most keys begin with zUC7, few with zUC6.
    expect(text).toMatch(/^zUC[67]/);
    expect(publicKeyBytes(text)).toEqual(issuer.publicKey);
    for (const other of [
      '',
      'z',
      text.slice(1),
      `u${text.slice(1)}`,
      `${text}1`,
      text.slice(0, -1),
      'z'.repeat(1 << 20),
    ])
      expect(publicKeyBytes(other)).toBeUndefined();
  });
});

describe('The bytes of a proof', () => {
  const proof = fromBase64url(decodePresentation(HONEST).proof) ?? new Uint8Array();
  const withProof = (bytes: Uint8Array) => accepts(TERMS, rewritten(HONEST, { proof: toBase64url(bytes) }));
  const flipped = (at: number): Uint8Array => proof.map((byte, index) => (index === at ? byte ^ 1 : byte));

  it('the unchanged bytes of a proof are accepted', () => expect(withProof(proof)).toBe(true));

  it.each<[string, Uint8Array]>([
    ['cut by one', proof.slice(0, -1)],
    ['cut in half', proof.slice(0, proof.length / 2)],
    ['one', new Uint8Array(1)],
    ['with one more', new Uint8Array([...proof, 0])],
    ['twice', new Uint8Array([...proof, ...proof])],
    ['zeros', new Uint8Array(proof.length)],
    ['ones', new Uint8Array(proof.length).fill(0xff)],
    ['with a huge length inside', proof.map((byte, at) => (at < 8 ? 0xff : byte))],
    ['of 30 KB', new Uint8Array(30_000).fill(5)],
  ])('the bytes of a proof are not accepted: %s', (_name, bytes) => {
    expect(withProof(bytes)).toBe(false);
  });

  it('a proof with any flipped bit is not accepted', () => {
    const accepted: number[] = [];
    for (let at = 0; at < proof.length; at += FLIP_STEP) if (withProof(flipped(at))) accepted.push(at);
    expect(accepted).toEqual([]);
  });

  it('the fixed bytes of a proof are checked before the library gets them', () => {
    const { terms, presentation } = proven('age >= 17', 'active != false', 'name in ["\u00e9", "b"]', 'height exists');
    const own = fromBase64url(decodePresentation(presentation).proof) ?? new Uint8Array();
    const plan = planOf(terms.points, terms.conditions, []);
    const messages = terms.points.length + 1;
    const isFrame = (at: number) =>
      !hasLayout(
        own.map((byte, index) => (index === at ? byte ^ 0x80 : byte)),
        messages,
        plan,
      );
    expect(hasLayout(own, messages, plan)).toBe(true);
    // Lengths, places and kinds: 8 + 11 + 25 of each proof, and what its statements add.
    const frame = own.reduce((sum, _byte, at) => sum + Number(isFrame(at)), 0);
    expect(frame).toBe(8 + 11 + 25 + 10 + 91 + 3 * 25 + 2);
  });

  it('bytes of another proof of the same claim are not accepted', () => {
    const other = fromBase64url(decodePresentation(prove(TERMS).presentation).proof) ?? new Uint8Array();
    expect(withProof(other)).toBe(false);
    expect(SIGNATURE).toHaveLength(80);
  });
});
