// What a partner pays for its holders' gas (contract §22): its form, and what holds where none is written.
import { z } from 'zod';

/** What a partner pays for, a day (UTC). */
export interface GasPolicy {
  deploysPerDay: number;
  mintsPerDay: number;
  opsPerHolderPerDay: number;
  /** Units of gas. */
  gasPerDay: number;
  /** Shares of one holder; gas: null is the share of `gasShareOf`. */
  deploysPerHolderPerDay: number;
  mintsPerHolderPerDay: number;
  gasPerHolderPerDay: number | null;
  /** Whether sessions count that were opened without a partner token. */
  anyLogin: boolean;
  /** What sponsored operations may call; null: anything. */
  targets: GasTarget[] | null;
}

export interface GasTarget {
  /** In lower case. */
  address: string;
  /** First 4 bytes of calls, in lower case; absent: any. */
  selectors?: string[];
}

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

const MAX_GAS = 1_000_000_000_000;
const MOST = 1_000_000_000;
const MAX_TARGETS = 100;
const MAX_SELECTORS = 100;

const amount = (most: number) => z.int('must be a whole number').min(0).max(most);
const target = z.strictObject({
  address: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address, 20 bytes in hex with 0x')
    .toLowerCase(),
  selectors: z
    .array(
      z
        .string()
        .regex(/^0x[0-9a-fA-F]{8}$/, 'must be 4 bytes in hex with 0x')
        .toLowerCase(),
    )
    .min(1, 'must not be empty')
    .max(MAX_SELECTORS)
    .optional(),
});

/** `gasPolicy` of a partner's body; what is not given is as without a policy. */
export const gasPolicyBody = z
  .strictObject({
    deploysPerDay: amount(MOST),
    mintsPerDay: amount(MOST),
    opsPerHolderPerDay: amount(MOST),
    gasPerDay: amount(MAX_GAS),
    deploysPerHolderPerDay: amount(MOST),
    mintsPerHolderPerDay: amount(MOST),
    gasPerHolderPerDay: amount(MAX_GAS),
    anyLogin: z.boolean(),
    targets: z.array(target).max(MAX_TARGETS).nullable(),
  })
  .partial();
