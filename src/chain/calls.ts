// The call of each kind of job, in one table.
import { type ContractAddresses, CREATE2_PROXY, encoded } from '../evm/contracts.js';
import { numbered, type PackedOperation } from '../evm/packed-operation.js';
import type { Hex } from '../evm/rpc.js';
import type { JobKind } from './models.js';

/** The call of a transaction. */
export interface Call {
  to: Hex;
  data: Hex;
}

/** One root of an anchor job. */
export interface AnchorArgs {
  root: Hex;
  kind: number;
  count: number;
}

/** Arguments of a job, by kind. */
export interface JobArgs {
  deploy: { name: string; data: Hex };
  allow: { contract: 'anchorRegistry' | 'coreId'; relayer: Hex };
  /** The beginning of the metadata addresses of core ids. */
  metadata: { base: string };
  anchor: { batches: AnchorArgs[] };
  /** A smart account. */
  account: { owner: Hex };
  /** A core id. */
  mint: { account: Hex; node: Hex };
  /** A user operation, packed (ERC-4337). */
  operation: { packed: PackedOperation; beneficiary: Hex };
}

type Encode = (args: never, contracts: ContractAddresses) => Promise<Call>;

const CALLS: Readonly<Record<JobKind, Encode>> = {
  deploy: async ({ data }: JobArgs['deploy']) => ({ to: CREATE2_PROXY, data }),
  allow: async ({ contract, relayer }: JobArgs['allow'], contracts) => ({
    to: contracts[contract],
    data: await encoded('AnchorRegistry', 'setRelayer', [relayer, true]),
  }),
  metadata: async ({ base }: JobArgs['metadata'], { coreId }) => ({
    to: coreId,
    data: await encoded('CoreId', 'setBaseURI', [base]),
  }),
  anchor: async ({ batches }: JobArgs['anchor'], { anchorRegistry }) => ({
    to: anchorRegistry,
    data: await encoded('AnchorRegistry', 'anchor', [batches]),
  }),
  account: async ({ owner }: JobArgs['account'], { accountFactory }) => ({
    to: accountFactory,
    data: await encoded('CoreAccountFactory', 'createAccount', [owner, 0n]),
  }),
  mint: async ({ account, node }: JobArgs['mint'], { coreId }) => ({
    to: coreId,
    data: await encoded('CoreId', 'mint', [account, node]),
  }),
  operation: async ({ packed, beneficiary }: JobArgs['operation'], { entryPoint }) => ({
    to: entryPoint,
    data: await encoded('EntryPoint', 'handleOps', [[numbered(packed)], beneficiary]),
  }),
};

/** The call of a job on a chain with these contracts. */
export function callOf(
  { kind, args }: { kind: JobKind; args: Record<string, unknown> },
  contracts: ContractAddresses,
): Promise<Call> {
  return CALLS[kind](args as never, contracts);
}
