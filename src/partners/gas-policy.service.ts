// What holds where a partner's gas policy (contract §22) says nothing, and the share of a holder.
import type { WrittenGasPolicy } from './gas-policy-types.js';

/** What a partner pays for, a day (UTC); gas per holder: null is the share of `gasShareOf`. */
export type GasPolicy = Required<Omit<WrittenGasPolicy, 'gasPerHolderPerDay'>> & { gasPerHolderPerDay: number | null };

/** In the sandbox and in production: a holder has one account and one core id, and may have to try again. */
const SHARES = { deploysPerHolderPerDay: 3, mintsPerHolderPerDay: 3, gasPerHolderPerDay: null };

/** Where a partner has no policy. */
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

/** Units of gas of the largest job, an operation of 2,000,000 and what sending it costs; and of a deployment or a core id. */
const LARGEST_JOB = 2_500_000;
const SMALL_JOB = 200_000;

/** Units of gas that one holder may use a day: a tenth; of a budget too small for that half, as long as one job fits. */
export function gasShareOf({ gasPerDay, gasPerHolderPerDay }: GasPolicy): number {
  const half = Math.max(gasPerDay / 2, SMALL_JOB);
  const share = Math.max(gasPerDay / 10, Math.min(half, LARGEST_JOB));
  return gasPerHolderPerDay ?? Math.floor(Math.min(share, gasPerDay));
}
