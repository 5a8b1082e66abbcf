// The chain as clients see it: its status, proofs of anchors, transactions and jobs (contract §18, §19, §20).
import { z } from 'zod';
import { PAGE_SIZE, pageFirst } from '../base/input.js';
import { choice, count, input, record, safeCount, sized, time } from '../base/record.js';
import { objectType } from '../graphql/shapes/from-zod.js';
import type { JobRow } from './models.js';

const chainContracts = record('ChainContracts', 'Addresses of the contracts; null if unknown.', {
  anchorRegistry: z.string().nullable().describe('The registry of the roots of claims, removals and verifications.'),
  coreId: z.string().nullable().describe('The contract of core ids.'),
  accountFactory: z.string().nullable().describe('The factory of smart accounts.'),
  entryPoint: z.string().nullable().describe('EntryPoint of ERC-4337, v0.8.'),
});

/** Members whose values are unknown are null. */
export const chainInfo = record('ChainInfo', 'The chain that credentials are anchored on.', {
  configured: z.boolean().describe('Whether a chain is configured; without one, claims wait.'),
  chainId: safeCount.nullable().describe('Its id (EIP-155).'),
  blockNumber: safeCount.nullable().describe('The newest block that the gateway has seen.'),
  contracts: chainContracts.describe('Addresses of the contracts.'),
}).meta({ id: 'ChainStatus' });
export type ChainInfo = z.output<typeof chainInfo>;

/** A tree of 4,096 leaves has paths of 12 hashes. */
const MAX_PROOF = 12;

export const anchorInfo = record(
  'AnchorInfo',
  'Proof that a digest is on the chain: its leaf, and the path from the leaf to an anchored root.',
  {
    chainId: safeCount.describe('Id of the chain.'),
    registry: z.string().describe('Address of the AnchorRegistry.'),
    kind: count.describe('0 claims, 1 removals, 2 verifications.'),
    root: z.string().describe('The anchored root.'),
    leaf: z.string().describe('keccak256(keccak256(abi.encode(uint8 kind, bytes32 digest))).'),
    proof: sized(MAX_PROOF, z.array(z.string())).describe(
      'Siblings from the leaf up; pairs are sorted before they are hashed.',
    ),
    transactionHash: z.string().describe('The transaction that anchored the root.'),
    blockNumber: safeCount.describe('Its block.'),
    confirmedAt: time.describe('When it was deep enough to be confirmed.'),
  },
).meta({ id: 'Anchor' });
export type AnchorInfo = z.output<typeof anchorInfo>;
/** Its class, for types that are written with decorators. */
export const AnchorInfo = objectType(anchorInfo);

const chainJobState = choice('ChainJobState', 'The state of a chain job.', {
  queued: 'Waiting for a nonce.',
  signed: 'Signed and stored.',
  sent: 'Sent to the chain.',
  mined: 'In a block.',
  confirmed: 'Deep enough to be final.',
  failed: 'Failed without an effect.',
});

const chainJobStep = record('ChainJobStep', 'A step of a job.', {
  at: time.describe('When it happened.'),
  what: z.string().describe('What happened.'),
});

/** Most steps of a job's story. */
const MAX_STEPS = 60;

export const chainJob = record('ChainJob', 'A chain job: one transaction, with its state.', {
  jobId: z.string().describe('Its id.'),
  kind: z.string().describe('What it does: deploy, allow, metadata, anchor, account, mint or operation.'),
  state: chainJobState.describe('Its state.'),
  createdAt: time.describe('When it was created.'),
  chainId: safeCount.nullable().describe('Id of the chain that it is signed for.'),
  nonce: count.nullable().describe("The relayer's nonce."),
  txHash: z.string().nullable().describe('Hash of the mined transaction, or of the newest signed one.'),
  blockNumber: safeCount.nullable().describe('Its block.'),
  gasUsed: safeCount.nullable().describe('Gas that it used.'),
  errorMessage: z.string().nullable().describe('Why it failed, or is retried.'),
  story: sized(MAX_STEPS, z.array(chainJobStep)).describe('Its history.'),
});
export type ChainJob = z.output<typeof chainJob>;

const transactionFacts = {
  txHash: z.string().nullable().describe('Its hash; null until it is signed.'),
  replacedBy: z
    .string()
    .nullable()
    .describe('The transaction with the same nonce that replaced it or will replace it.'),
  state: chainJobState.describe('State of its job.'),
  blockNumber: safeCount.nullable().describe('Its block.'),
  confirmations: safeCount.describe('How many blocks confirm it, including its own.'),
};

export const chainTransaction = record('ChainTransaction', 'The state of a transaction.', transactionFacts).meta({
  id: 'Transaction',
});
export type ChainTransaction = z.output<typeof chainTransaction>;

export const ownChainJob = record(
  'OwnChainJob',
  'A chain job, as the holder or partner that it was made for sees it.',
  {
    jobId: z.string().describe('Its id.'),
    ...transactionFacts,
    errorMessage: z.string().optional().describe('Why it failed, or is retried.'),
  },
).meta({ id: 'ChainJob' });
export type OwnChainJob = z.output<typeof ownChainJob>;

export const transactionInput = z.strictObject({ txHash: z.string().describe('Hash of the transaction.') });
export const ownJobInput = z.strictObject({ jobId: z.string().describe('Id of the job.') });

export const chainJobsInput = z.strictObject({
  first: pageFirst(PAGE_SIZE),
  states: z.array(chainJobState).optional().describe('Only in these states.'),
});
export const chainJobInput = input('ChainJobInput', 'A chain job.', { jobId: z.string().describe('Its id.') });

export const chainJobPayload = record('ChainJobPayload', 'Response of retryChainJob and giveUpChainJob.', {
  job: chainJob.describe('The job after the call.'),
});

/** A job for operators, made from its row. */
export function chainJobView(row: JobRow): ChainJob {
  return {
    jobId: row._id,
    kind: row.kind,
    state: row.state,
    createdAt: row.createdAt,
    chainId: row.chainId ?? null,
    nonce: row.nonce ?? null,
    txHash: row.transactionHash ?? row.attempts.at(-1)?.hash ?? null,
    blockNumber: row.blockNumber ?? null,
    gasUsed: row.gasUsed ?? null,
    errorMessage: row.errorMessage ?? null,
    story: row.story,
  };
}
