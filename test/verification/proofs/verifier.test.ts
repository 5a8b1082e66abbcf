// The verifier of a process, with real workers: what breaks or holds up one of them costs that worker, and turns go round among partners.
import { afterEach, describe, expect, it } from 'vitest';
import { Problems } from '../../../src/base/monitoring/problems.js';
import type { ProofCheck } from '../../../src/keys/zk/protocol.js';
import { ZkThreads } from '../../../src/keys/zk/threads.js';
import { type Judge, ProofVerifier } from '../../../src/verification/proofs/verifier.js';
import { decodePresentation } from '../../../src/zk/index.js';
import { issuer, prove, termsOf } from '../../zk/world.js';

const problems = new Problems({ warn: () => {}, info: () => {} } as never);
const BREAKING = new URL('./breaking-worker.mjs', import.meta.url);
/** Of computing, far more than an honest check takes. */
const LIMIT_MS = 4_000;
/** A hang is ended by what it computes, however busy the machine is. */
const LONGEST_MS = 600_000;
const WAITING = 64;
const WAITING_OF_PARTNER = 32;

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

function verifierOver(file?: URL): ProofVerifier {
  const threads = new ZkThreads({ max: 1, problems, ...(file && { file }), limitMs: LIMIT_MS, longestMs: LONGEST_MS });
  ends.push(() => threads.close());
  return new ProofVerifier(threads);
}

/** A valid proof under a key of this name: what breaks the worker is nothing else. */
function named(kid: string): ProofCheck {
  const terms = { ...termsOf('age = 17'), kid };
  return { terms, publicKey: issuer.publicKey, presentation: decodePresentation(prove(terms).presentation) };
}
const honest = named('kid');
const wrong: ProofCheck = { ...honest, terms: termsOf('age = 18') };
const check = (verifier: ProofVerifier, proof: ProofCheck, partnerId = 'p') =>
  verifier.inTurn(partnerId, (judge) => judge(proof));

describe('A proof that breaks its worker', () => {
  it.each(['panic', 'hang'])(
    'a proof that breaks its worker by a %s is invalid, and the next one is checked',
    async (kid) => {
      const verifier = verifierOver(BREAKING);
      expect(await check(verifier, honest)).toBe(true);
      const broken = check(verifier, named(kid));
      const next = check(verifier, honest);
      expect(await broken).toBe(false);
      expect(await next).toBe(true);
      expect(await check(verifier, wrong)).toBe(false);
      expect(await check(verifierOver(), named(kid))).toBe(true);
    },
  );
});

/** Checks that end when they are told to, in the order in which they began. */
function held(verifier: ProofVerifier) {
  const begun: string[] = [];
  let release = (): void => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const ask = (partnerId: string): Promise<string> =>
    verifier.inTurn(partnerId, async (_judge: Judge) => {
      begun.push(partnerId);
      await gate;
      return partnerId;
    });
  return { begun, release, ask };
}

describe('Turns', () => {
  it('partners take turns, however many checks of one wait', async () => {
    const { begun, release, ask } = held(verifierOver());
    const asked = ['busy', 'busy', 'busy', 'busy', 'other', 'third'].map(ask);
    release();
    await Promise.all(asked);
    expect(begun).toEqual(['busy', 'busy', 'other', 'third', 'busy', 'busy']);
  });

  it('of 1,000 concurrent checks of a partner, waiting ones are bounded, and another partner is still admitted', async () => {
    const { release, ask } = held(verifierOver());
    const asked = Array.from({ length: 1_000 }, () => ask('busy'));
    const others = Array.from({ length: WAITING_OF_PARTNER }, () => ask('other'));
    const [late] = await Promise.allSettled([ask('late')]);
    expect(late).toMatchObject({ status: 'rejected', reason: { code: 'VERIFIER_BUSY', data: { retryAfter: 2 } } });
    release();
    const done = await Promise.allSettled([...asked, ...others]);
    const served = done.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    expect(served).toHaveLength(1 + WAITING);
    expect(served.filter((partnerId) => partnerId === 'other')).toHaveLength(WAITING_OF_PARTNER);
    await expect(ask('late')).resolves.toBe('late');
  });
});

it('Without workers verification is off', async () => {
  const verifier = new ProofVerifier(undefined);
  expect(() => verifier.requireOn()).toThrow(expect.objectContaining({ code: 'VERIFICATION_OFF' }));
  await expect(check(verifier, honest)).rejects.toMatchObject({ code: 'VERIFICATION_OFF' });
});
