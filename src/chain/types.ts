// GraphQL types of the chain: the same fields as REST (contract §18, §19, §20).
import { ArgsType, Extensions, Field, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';
import { SafeIntScalar } from '../graphql/shapes/scalars.js';

@ObjectType({ simpleResolvers: true, description: 'Addresses of the contracts; null if unknown.' })
export class ChainContracts {
  @Field(() => String, {
    nullable: true,
    description: 'The registry of the roots of claims, removals and verifications.',
  })
  anchorRegistry: string | null;

  @Field(() => String, { nullable: true, description: 'The contract of core ids.' })
  coreId: string | null;

  @Field(() => String, { nullable: true, description: 'The factory of smart accounts.' })
  accountFactory: string | null;

  @Field(() => String, { nullable: true, description: 'EntryPoint of ERC-4337, v0.8.' })
  entryPoint: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'The chain that credentials are anchored on.' })
export class ChainInfo {
  @Field(() => Boolean, { description: 'Whether a chain is configured; without one, claims wait.' })
  configured: boolean;

  @Field(() => SafeIntScalar, { nullable: true, description: 'Its id (EIP-155).' })
  chainId: number | null;

  @Field(() => SafeIntScalar, { nullable: true, description: 'The newest block that the gateway has seen.' })
  blockNumber: number | null;

  @Field(() => ChainContracts, { description: 'Addresses of the contracts.' })
  contracts: ChainContracts;
}

/** A tree of 4,096 leaves has paths of 12 hashes. */
const MAX_PROOF = 12;

@ObjectType({
  simpleResolvers: true,
  description: 'Proof that a digest is on the chain: its leaf, and the path from the leaf to an anchored root.',
})
export class AnchorInfo {
  @Field(() => SafeIntScalar, { description: 'Id of the chain.' })
  chainId: number;

  @Field(() => String, { description: 'Address of the AnchorRegistry.' })
  registry: string;

  @Field(() => Int, { description: '0 claims, 1 removals, 2 verifications.' })
  kind: number;

  @Field(() => String, { description: 'The anchored root.' })
  root: string;

  @Field(() => String, { description: 'keccak256(keccak256(abi.encode(uint8 kind, bytes32 digest))).' })
  leaf: string;

  @Extensions({ size: MAX_PROOF })
  @Field(() => [String], { description: 'Siblings from the leaf up; pairs are sorted before they are hashed.' })
  proof: string[];

  @Field(() => String, { description: 'The transaction that anchored the root.' })
  transactionHash: string;

  @Field(() => SafeIntScalar, { description: 'Its block.' })
  blockNumber: number;

  @Field(() => Date, { description: 'When it was deep enough to be confirmed.' })
  confirmedAt: Date;
}

export enum ChainJobState {
  QUEUED = 'queued',
  SIGNED = 'signed',
  SENT = 'sent',
  MINED = 'mined',
  CONFIRMED = 'confirmed',
  FAILED = 'failed',
}
registerEnumType(ChainJobState, {
  name: 'ChainJobState',
  description: 'The state of a chain job.',
  valuesConfig: {
    QUEUED: { description: 'Waiting for a nonce.' },
    SIGNED: { description: 'Signed and stored.' },
    SENT: { description: 'Sent to the chain.' },
    MINED: { description: 'In a block.' },
    CONFIRMED: { description: 'Deep enough to be final.' },
    FAILED: { description: 'Failed without an effect.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'A step of a job.' })
export class ChainJobStep {
  @Field(() => Date, { description: 'When it happened.' })
  at: Date;

  @Field(() => String, { description: 'What happened.' })
  what: string;
}

/** Most steps of a job's story. */
const MAX_STEPS = 60;

@ObjectType({ simpleResolvers: true, description: 'A chain job: one transaction, with its state.' })
export class ChainJob {
  @Field(() => String, { description: 'Its id.' })
  jobId: string;

  @Field(() => String, { description: 'What it does: deploy, allow, metadata, anchor, account, mint or operation.' })
  kind: string;

  @Field(() => ChainJobState, { description: 'Its state.' })
  state: ChainJobState;

  @Field(() => Date, { description: 'When it was created.' })
  createdAt: Date;

  @Field(() => SafeIntScalar, { nullable: true, description: 'Id of the chain that it is signed for.' })
  chainId: number | null;

  @Field(() => Int, { nullable: true, description: "The relayer's nonce." })
  nonce: number | null;

  @Field(() => String, { nullable: true, description: 'Hash of the mined transaction, or of the newest signed one.' })
  txHash: string | null;

  @Field(() => SafeIntScalar, { nullable: true, description: 'Its block.' })
  blockNumber: number | null;

  @Field(() => SafeIntScalar, { nullable: true, description: 'Gas that it used.' })
  gasUsed: number | null;

  @Field(() => String, { nullable: true, description: 'Why it failed, or is retried.' })
  errorMessage: string | null;

  @Extensions({ size: MAX_STEPS })
  @Field(() => [ChainJobStep], { description: 'Its history.' })
  story: ChainJobStep[];
}

@ObjectType({ simpleResolvers: true, description: 'The state of a transaction.' })
export class ChainTransaction {
  @Field(() => String, { nullable: true, description: 'Its hash; null until it is signed.' })
  txHash: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The transaction with the same nonce that replaced it or will replace it.',
  })
  replacedBy: string | null;

  @Field(() => ChainJobState, { description: 'State of its job.' })
  state: ChainJobState;

  @Field(() => SafeIntScalar, { nullable: true, description: 'Its block.' })
  blockNumber: number | null;

  @Field(() => SafeIntScalar, { description: 'How many blocks confirm it, including its own.' })
  confirmations: number;
}

@ObjectType({
  simpleResolvers: true,
  description: 'A chain job, as the holder or partner that it was made for sees it.',
})
export class OwnChainJob extends ChainTransaction {
  @Field(() => String, { description: 'Its id.' })
  jobId: string;

  @Field(() => String, { nullable: true, description: 'Why it failed, or is retried.' })
  errorMessage?: string | null;
}

@ArgsType()
export class ChainJobsArgs {
  @Field(() => Int, { nullable: true, description: 'How many: 1 to 100, default 25.' })
  first?: number | null;

  @Field(() => [ChainJobState], { nullable: true, description: 'Only in these states.' })
  states?: ChainJobState[] | null;
}

@InputType({ description: 'A chain job.' })
export class ChainJobInput {
  @Field(() => String, { description: 'Its id.' })
  jobId: string;
}

@ObjectType({ simpleResolvers: true, description: 'Response of retryChainJob and giveUpChainJob.' })
export class ChainJobPayload {
  @Field(() => ChainJob, { description: 'The job after the call.' })
  job: ChainJob;
}
