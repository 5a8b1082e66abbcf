// How much a partner pays for its holders' gas (contract §22), as operators write and see it.
import { z } from 'zod';
import { count, input, record, shownAs, sized } from '../base/record.js';

const MAX_GAS = 1_000_000_000_000;
const MOST = 1_000_000_000;
const MAX_TARGETS = 100;
const MAX_SELECTORS = 100;

const members = <N extends z.ZodNumber, G extends z.ZodNumber>(number: N, gas: G) => ({
  deploysPerDay: number.optional().describe('Deployments of accounts per day.'),
  mintsPerDay: number.optional().describe('Core ids minted per day.'),
  opsPerHolderPerDay: number.optional().describe('User operations of each holder per day.'),
  gasPerDay: gas.optional().describe('Units of gas per day.'),
  deploysPerHolderPerDay: number.optional().describe('Deployments of accounts of each holder per day.'),
  mintsPerHolderPerDay: number.optional().describe('Core ids minted for each holder per day.'),
  gasPerHolderPerDay: gas.optional().describe('Units of gas of each holder per day.'),
  anyLogin: z
    .boolean()
    .optional()
    .describe('Whether the partner also pays for sessions opened without a partner token.'),
});

const TARGET = 'A contract that sponsored operations may call.';
const ADDRESS = 'Address of the contract.';

const gasTarget = record('GasTarget', TARGET, {
  address: z.string().describe(ADDRESS),
  selectors: sized(MAX_SELECTORS, z.array(z.string()).nullish()).describe(
    'First 4 bytes of calls, in hex with 0x; null: any.',
  ),
});

/** The defaults of its members are in DEFAULT_GAS_POLICIES. */
export const gasPolicy = record(
  'GasPolicy',
  "How much of its holders' gas a partner pays for, per day (UTC); null: the default applies.",
  {
    ...members(count, z.number()),
    targets: sized(MAX_TARGETS, z.array(gasTarget).nullish()).describe(
      'Contracts and functions that operations may call; null: any.',
    ),
  },
).meta({ id: 'GasPolicy' });

const hex = (bytes: number, sentence: string) =>
  z
    .string()
    .regex(new RegExp(`^0x[0-9a-fA-F]{${2 * bytes}}$`), sentence)
    .toLowerCase();
const amount = (most: number) => z.int('must be a whole number').min(0).max(most);

const gasTargetInput = input('GasTargetInput', TARGET, {
  address: hex(20, 'must be an address, 20 bytes in hex with 0x').describe(ADDRESS),
  selectors: z
    .array(hex(4, 'must be 4 bytes in hex with 0x'))
    .min(1, 'must not be empty')
    .max(MAX_SELECTORS)
    .optional()
    .describe('First 4 bytes of calls, in hex with 0x; default: any.'),
});
export type GasTarget = z.output<typeof gasTargetInput>;

export const gasPolicyInput = input(
  'GasPolicyInput',
  "How much of its holders' gas a partner pays for, per day (UTC).",
  {
    ...members(amount(MOST), shownAs('Float', amount(MAX_GAS))),
    targets: z
      .array(gasTargetInput)
      .max(MAX_TARGETS)
      .nullable()
      .optional()
      .describe('Contracts and functions that operations may call; default: any.'),
  },
);
export type WrittenGasPolicy = z.output<typeof gasPolicyInput>;
