// What a partner pays for its holders' gas (contract §22): its form, and what holds where none is written.
import { z } from 'zod';

/** What a partner pays for, a day (UTC). */
export interface GasPolicy {
  deploysPerDay: number;
  mintsPerDay: number;
  opsPerHolderPerDay: number;
  /** Units of gas. */
  gasPerDay: number;
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

/** Where a partner has no policy. */
export const DEFAULT_GAS_POLICIES: Readonly<Record<'sandbox' | 'production', GasPolicy>> = {
  sandbox: {
    deploysPerDay: 1_000,
    mintsPerDay: 1_000,
    opsPerHolderPerDay: 100,
    gasPerDay: 50_000_000,
    anyLogin: true,
    targets: null,
  },
  production: {
    deploysPerDay: 0,
    mintsPerDay: 0,
    opsPerHolderPerDay: 0,
    gasPerDay: 0,
    anyLogin: false,
    targets: null,
  },
};

const MOST_GAS = 1_000_000_000_000;
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
    gasPerDay: amount(MOST_GAS),
    anyLogin: z.boolean(),
    targets: z.array(target).max(MAX_TARGETS).nullable(),
  })
  .partial();
