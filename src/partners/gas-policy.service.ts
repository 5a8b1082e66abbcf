// The defaults of partners' gas policies (contract §22), and the share of a holder.
import type { WrittenGasPolicy } from './gas-policy-types.js';

/** What a partner pays for per day (UTC). If the gas per holder is null, `gasShareOf` computes it. */
export type GasPolicy = Required<Omit<WrittenGasPolicy, 'gasPerHolderPerDay'>> & { gasPerHolderPerDay: number | null };

/**
 * The same in the sandbox and in production: a holder has one account and one core id, and may need several attempts.
 */
const SHARES = { deploysPerHolderPerDay: 3, mintsPerHolderPerDay: 3, gasPerHolderPerDay: null };

/** For partners without a policy. */
export const DEFAULT_GAS_POLICIES: Readonly<Record<'sandbox' | 'production', GasPolicy>> = {
  sandbox: {
    deploysPerDay: 1_000,
    mintsPerDay: 1_000,
    opsPerHolderPerDay: 100,
    gasPerDay: 50_000_000,
    ...SHARES,
    anyLogin: true,
    targets: null,
  },
  production: {
    deploysPerDay: 0,
    mintsPerDay: 0,
    opsPerHolderPerDay: 0,
    gasPerDay: 0,
    ...SHARES,
    anyLogin: false,
    targets: null,
  },
};

/**
 * Units of gas of the largest job, which is an operation of 2,000,000 and the transaction around it; and of a
 * deployment or a core id.
 */
const LARGEST_JOB = 2_500_000;
const SMALL_JOB = 200_000;

/** Units of gas that one holder may use per day: a tenth of the budget. If that is too little for the largest job, up to half. */
export function gasShareOf({ gasPerDay, gasPerHolderPerDay }: GasPolicy): number {
  const half = Math.max(gasPerDay / 2, SMALL_JOB);
  const share = Math.max(gasPerDay / 10, Math.min(half, LARGEST_JOB));
  return gasPerHolderPerDay ?? Math.floor(Math.min(share, gasPerDay));
}
