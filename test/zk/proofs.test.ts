// Real proofs: what a claim meets can be proven, what it does not meet cannot.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluate, normalForm, valueAt } from '../../src/conditions/index.js';
import { decodePresentation, headerMessage, type ProofTerms, UnmetError } from '../../src/zk/index.js';
import * as generated from '../conditions/generated.js';
import { accepts, CHALLENGE, CLAIM, issuer, prove, SIGNATURE, suite, termsOf } from './world.js';

/** Generated conditions and claims that are proven; more by ZK_PROOFS. */
const PROOFS = Number(process.env.ZK_PROOFS ?? 8);

describe('A claim that meets', () => {
  it.each<string[]>([
    [],
    ['age >= 17'],
    ['age < 17.000000000000004'],
    ['height between 9007199254740991 and 9007199254740992'],
    ['height < 1e300', 'age not between 18 and 65', 'age != 16'],
    ['born <= today - 18 years', 'born > 2006-02-27T23:59:59.999Z'],
    ['active = true', 'name = "\u00e9"', 'age = 17'],
    ['active != false', 'extra exists', 'odd != 17', 'odd exists'],
    ['name in ["a", "\u00e9", "b"]', 'age in [16, 17]'],
    ['name not in ["a", "b"]'],
  ])('%s', (...texts) => {
    const terms = termsOf(...texts);
    const { presentation, opening } = prove(terms);
    expect(accepts(terms, presentation)).toBe(true);
    const { commitment } = decodePresentation(presentation);
    expect(suite.opens(CLAIM, commitment, opening)).toBe(true);
    expect(suite.opens({ ...CLAIM, coreClaimHash: 'ba'.repeat(32) }, commitment, opening)).toBe(false);
    expect(suite.opens({ ...CLAIM, schemaVersion: 2 }, commitment, opening)).toBe(false);
  });

  it('each proof of a claim is another presentation', () => {
    const terms = termsOf();
    const [first, second] = [prove(terms), prove(terms)];
    expect(decodePresentation(first.presentation).commitment).not.toBe(
      decodePresentation(second.presentation).commitment,
    );
    expect(first.opening).not.toBe(second.opening);
  });
});

describe('A claim that does not meet', () => {
  it.each([
    ['age >= 18'],
    ['age < 17'],
    ['age not between 17 and 17.5'],
    ['height > 9007199254740992'],
    ['born <= today - 19 years'],
    ['name = "e"'],
    ['name in ["a", "b"]'],
    ['name not in ["a", "\u00e9"]'],
    ['active = false'],
    ['gone exists'],
    ['gone != "x"'],
    ['gone not in ["x", "y"]'],
    ['odd > 1'],
    ['odd not between 1 and 2'],
    ['odd = 17'],
  ])('a claim that does not meet %s cannot be proven', (text) => {
    expect(() => prove(termsOf(text))).toThrow(UnmetError);
  });
});

describe('A signature', () => {
  const points = termsOf().points;

  it('a signature is valid for one claim, schema version and key', () => {
    expect(suite.isSigned(CLAIM, points, SIGNATURE, issuer.publicKey)).toBe(true);
    expect(suite.isSigned(CLAIM, points, SIGNATURE, suite.newKey().publicKey)).toBe(false);
    expect(suite.isSigned({ ...CLAIM, schemaVersion: 2 }, points, SIGNATURE, issuer.publicKey)).toBe(false);
    expect(suite.isSigned(CLAIM, points.slice(1), SIGNATURE, issuer.publicKey)).toBe(false);
    expect(suite.isSigned(CLAIM, points, SIGNATURE.slice(1), issuer.publicKey)).toBe(false);
    expect(suite.publicKeyOf(issuer.secretKey)).toEqual(issuer.publicKey);
  });

  it('a signature equals the one that the library alone creates for the documented messages', async () => {
    const { default: library } = (await import('@docknetwork/crypto-wasm')) as unknown as {
      default: typeof import('@docknetwork/crypto-wasm');
    };
    const label = new TextEncoder().encode('core-bbs-1');
    const params = library.bbsGenerateSignatureParams(2, label);
    const header = headerMessage(CLAIM);
    const integer = new Uint8Array(32);
    // 17 as ordered bits, the lowest byte first.
    new DataView(integer.buffer).setBigUint64(0, 0xc031000000000000n, true);
    const messages = [
      library.encodeMessageForSigningInConstantTime(
        new TextEncoder().encode(`header\0${'text' in header && header.text}`),
      ),
      integer,
    ];
    const signature = library.bbsSign(messages, issuer.secretKey, params, false);
    expect(suite.isSigned(CLAIM, [{ name: 'age', family: 'number' }], signature, issuer.publicKey)).toBe(true);
  });
});

describe('Generated conditions', () => {
  it('generated conditions can be proven of a generated claim exactly when the claim meets them', () => {
    const points = Object.entries(generated.FIELDS).map(([name, family]) => ({ name, family }));
    const challenge = { ...CHALLENGE, now: new Date(generated.NOW).toISOString() };
    // Two of three lists are met by construction: few random ones are.
    const condition = generated.condition;
    const list = fc.array(condition, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(list, generated.subject, fc.integer({ min: 0, max: 2 }), (drawn, credentialSubject, kind) => {
        const isMet = (each: (typeof drawn)[number]) =>
          evaluate(
            each,
            generated.families(each.field) ?? 'json',
            valueAt(credentialSubject, each.field),
            generated.NOW,
          ) === 'met';
        const chosen = kind === 0 ? drawn : drawn.filter(isMet);
        const { forms, faults } = normalForm(chosen, generated.families, generated.NOW);
        fc.pre(faults.length === 0);
        const claim = { ...CLAIM, credentialSubject };
        const signature = suite.sign(claim, points, issuer.secretKey);
        const shape = { credentialId: 'c', schemaId: CLAIM.schemaId, schemaVersion: 1, kid: 'k' };
        const terms: ProofTerms = {
          challenge,
          ...shape,
          points,
          conditions: forms,
          accumulators: suite.accumulators(forms),
        };
        if (!chosen.every(isMet)) return void expect(() => prove(terms, claim, signature)).toThrow(UnmetError);
        expect(accepts(terms, prove(terms, claim, signature).presentation)).toBe(true);
      }),
      { numRuns: PROOFS },
    );
  }, 1_200_000);
});
