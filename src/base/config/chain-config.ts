// The settings of the chain (contract §18), and which of them may be combined.
import { z } from 'zod';
import { parsedUrl } from '../../common/parsed-url.js';

/** The settings of the chain. */
export interface ChainConfig {
  /** `devnet`: one of the gateway's own; `rpc`: the one at `rpcUrl`; `none`: there is no chain, and claims wait. */
  readonly kind: 'devnet' | 'rpc' | 'none';
  readonly rpcUrl: string | undefined;
  readonly chainId: number;
  /** Only for `rpc`: 32 bytes in hex with 0x. A devnet has a key of its own. */
  readonly relayerKey: `0x${string}` | undefined;
  /** The number of blocks, including its own, after which a transaction is confirmed. */
  readonly confirmations: number;
  /** The most that a transaction may offer for a unit of gas, wei. */
  readonly maxFee: bigint;
  /** Time between two transactions of anchors, milliseconds. */
  readonly anchorIntervalMs: number;
  /** EntryPoint v0.8 of accounts. */
  readonly entryPoint: `0x${string}`;
  /** The root under which names of core ids are, such as `core` in `ada.core`. */
  readonly coreIdRoot: string;
  /** The bundler of user operations; undefined: the relayer. */
  readonly bundlerUrl: string | undefined;
  /** Whether CHAIN=off says that there is none. */
  readonly isOff: boolean;
}

/** The address of EntryPoint v0.8 on public chains. */
const ENTRY_POINT = '0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108';
const DEVNET_CHAIN_ID = 31_337;
const GWEI = 1_000_000_000n;

/** The first characters of the keys that all development nodes share ("test test … junk"). */
const PUBLIC_KEYS = [
  '0xac0974bec39a',
  '0x59c6995e998f',
  '0x5de4111afa1a',
  '0x7c852118294e',
  '0x47e179ec1974',
  '0x8b3a350cf5c3',
  '0x92db14e403b8',
  '0x4bbbf85ce337',
  '0xdbda1821b805',
  '0x2a871d0798f9',
];

const wholeNumber = (min: number, max: number, what: string) =>
  z
    .string()
    .regex(/^\d{1,15}$/, `must be a whole number from ${min} to ${max}: ${what}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be a whole number from ${min} to ${max}: ${what}`);

const isLoopback = ({ hostname }: URL): boolean => ['localhost', '127.0.0.1', '[::1]'].includes(hostname);

const rpcUrl = z.string().refine((text) => {
  const url = parsedUrl(text);
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url));
}, 'must be an https address (http to this machine only)');

/** The variables, as `config.ts` reads them. */
export const CHAIN_VARIABLES = {
  CHAIN: z.enum(['off'], { error: 'must be off, or not be set' }).optional(),
  CHAIN_RPC_URL: rpcUrl.optional(),
  CHAIN_ID: wholeNumber(1, Number.MAX_SAFE_INTEGER, 'the id of the chain').optional(),
  RELAYER_PRIVATE_KEY: z
    .string()
    .regex(/^0x[0-9a-fA-F]{64}$/, 'must be 32 bytes in hex with 0x')
    .optional(),
  CHAIN_CONFIRMATIONS: wholeNumber(1, 1_000, 'how many blocks until a transaction counts').optional(),
  CHAIN_MAX_FEE_GWEI: wholeNumber(1, 1_000_000, 'the most gwei offered for a unit of gas').default(200),
  ANCHOR_INTERVAL_S: wholeNumber(1, 86_400, 'seconds between two transactions of anchors').optional(),
  ENTRY_POINT: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address, 20 bytes in hex with 0x')
    .optional(),
  BUNDLER_URL: rpcUrl.optional(),
  CORE_ID_ROOT: z
    .string()
    .max(100, 'must be at most 100 characters')
    .regex(
      /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9]+(?:-[a-z0-9]+)*)*$/,
      'must be labels of a-z, 0-9 and hyphens, with dots between',
    )
    .default('core'),
} as const;

type ChainVariables = z.output<z.ZodObject<typeof CHAIN_VARIABLES>>;
interface Surroundings {
  NETWORK_ENV: 'sandbox' | 'production';
  MONGODB_URI?: string;
}

/** Sentences about variables that cannot be combined. */
export function chainProblems(env: ChainVariables & Surroundings): string[] {
  const problems: string[] = [];
  const three = [env.CHAIN_RPC_URL, env.CHAIN_ID, env.RELAYER_PRIVATE_KEY];
  const count = three.filter((value) => value !== undefined).length;
  if (count !== 0 && count !== three.length)
    problems.push('CHAIN_RPC_URL, CHAIN_ID and RELAYER_PRIVATE_KEY must be set together, or none of them');
  const key = env.RELAYER_PRIVATE_KEY?.toLowerCase();
  if (env.NETWORK_ENV === 'production' && PUBLIC_KEYS.some((start) => key?.startsWith(start)))
    problems.push('RELAYER_PRIVATE_KEY is a development key that everybody has: create another for production');
  return problems;
}

/** The settings, from the variables. */
export function chainOf(env: ChainVariables & Surroundings): ChainConfig {
  const kind = kindOf(env);
  return {
    kind,
    rpcUrl: env.CHAIN_RPC_URL,
    chainId: env.CHAIN_ID ?? DEVNET_CHAIN_ID,
    relayerKey: env.RELAYER_PRIVATE_KEY as `0x${string}` | undefined,
    confirmations: env.CHAIN_CONFIRMATIONS ?? (kind === 'devnet' ? 1 : 5),
    maxFee: BigInt(env.CHAIN_MAX_FEE_GWEI) * GWEI,
    anchorIntervalMs: (env.ANCHOR_INTERVAL_S ?? (kind === 'devnet' ? 2 : 30)) * 1_000,
    entryPoint: (env.ENTRY_POINT ?? ENTRY_POINT) as `0x${string}`,
    coreIdRoot: env.CORE_ID_ROOT,
    bundlerUrl: env.BUNDLER_URL,
    isOff: env.CHAIN === 'off',
  };
}

function kindOf(env: ChainVariables & Surroundings): ChainConfig['kind'] {
  if (env.CHAIN === 'off') return 'none';
  if (env.CHAIN_RPC_URL !== undefined) return 'rpc';
  return env.NETWORK_ENV === 'sandbox' && env.MONGODB_URI === undefined ? 'devnet' : 'none';
}
