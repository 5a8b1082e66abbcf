// How many cases the generated tests run: a hundred by default, another number by a variable, or as many as FUZZ_SECONDS allows (for each test; used
// in CI).

/** More cases than can run in the time. */
const ENDLESS = 1_000_000_000;
const SECONDS = Number(process.env.FUZZ_SECONDS ?? 0);

/**
 * The parameters of fast-check, vitest's limit in milliseconds, and the command that runs the same cases again. The
 * command is part of the test's name, so that every failure shows it.
 * @param name the variable for the number of cases
 * @param share how many tests share this number
 */
export function sizeOf(name: string, share = 1): { runs: object; timeout: number; again: string } {
  const cases = Math.ceil(Number(process.env[`${name}_CASES`] ?? 120) / share);
  const seed = Number(process.env[`${name}_SEED`] ?? Math.floor(Math.random() * 2 ** 31));
  const again = `${name}_SEED=${seed}`;
  // Reports of CI show no causes of errors.
  const shown = { seed, includeErrorInReport: true };
  if (SECONDS === 0) return { runs: { numRuns: cases, ...shown }, timeout: 600_000 + cases * 200, again };
  const timed = { interruptAfterTimeLimit: (SECONDS * 1_000) / share, markInterruptAsFailure: false };
  return { runs: { numRuns: ENDLESS, ...shown, ...timed }, timeout: 600_000 + SECONDS * 2_000, again };
}
