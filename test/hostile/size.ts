// How many cases the generated tests run: a hundred by default, another number by a variable, or as many as FUZZ_SECONDS allows (for each test; used
// in CI).
import fc from 'fast-check';

/** Cases that are drawn from one seed while there is time. None is interrupted: what it has begun would go on beside the next ones. */
const BATCH = 10;
const SECONDS = Number(process.env.FUZZ_SECONDS ?? 0);

export interface Size {
  /** Plays cases until there are enough. @throws Error with the seed, the case and what was wrong. */
  play<Case>(cases: fc.Arbitrary<Case>, one: (each: Case) => Promise<void>): Promise<void>;
  /** vitest's limit, milliseconds. */
  timeout: number;
  /** The variable for the same cases again. It is part of the test's name, so that every failure shows it. */
  again: string;
}

/**
 * @param name the variable for the number of cases
 * @param share how many tests share this number
 */
export function sizeOf(name: string, share = 1): Size {
  const cases = Math.ceil(Number(process.env[`${name}_CASES`] ?? 120) / share);
  const seed = Number(process.env[`${name}_SEED`] ?? Math.floor(Math.random() * 2 ** 31));
  return {
    play: async (drawn, one) => {
      const until = performance.now() + (SECONDS * 1_000) / share;
      const numRuns = SECONDS === 0 ? cases : BATCH;
      let batch = 0;
      do {
        // The report has the error, because that of CI shows no causes.
        await fc.assert(fc.asyncProperty(drawn, one), { numRuns, seed: seed + batch, includeErrorInReport: true });
        batch += 1;
      } while (performance.now() < until);
    },
    timeout: 600_000 + (SECONDS === 0 ? cases * 200 : SECONDS * 2_000),
    again: `${name}_SEED=${seed}`,
  };
}
