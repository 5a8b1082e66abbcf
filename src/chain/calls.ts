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

type Encode<A> = (args: A, contracts: ContractAddresses) => Promise<Call>;

const CALLS: { readonly [K in JobKind]: Encode<JobArgs[K]> } = {
  deploy: async ({ data }) => ({ to: CREATE2_PROXY, data }),
  allow: async ({ contract, relayer }, contracts) => ({
    to: contracts[contract],
    data: await encoded('AnchorRegistry', 'setRelayer', [relayer, true]),
  }),
  metadata: async ({ base }, { coreId }) => ({
    to: coreId,
    data: await encoded('CoreId', 'setBaseURI', [base]),
  }),
  anchor: async ({ batches }, { anchorRegistry }) => ({
    to: anchorRegistry,
    data: await encoded('AnchorRegistry', 'anchor', [batches]),
  }),
  account: async ({ owner }, { accountFactory }) => ({
    to: accountFactory,
    data: await encoded('CoreAccountFactory', 'createAccount', [owner, 0n]),
  }),
  mint: async ({ account, node }, { coreId }) => ({
    to: coreId,
    data: await encoded('CoreId', 'mint', [account, node]),
  }),
  operation: async ({ packed, beneficiary }, { entryPoint }) => ({
    to: entryPoint,
    data: await encoded('EntryPoint', 'handleOps', [[numbered(packed)], beneficiary]),
  }),
};

/** The call of a job on a chain with these contracts. */
export function callOf(
  { kind, args }: { kind: JobKind; args: Record<string, unknown> },
  contracts: ContractAddresses,
): Promise<Call> {
  // The arguments are of the job's kind: `JobArgs`.
  return (CALLS[kind] as Encode<unknown>)(args, contracts);
}
