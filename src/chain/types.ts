// GraphQL types of the chain: the same fields as REST (contract §18, §19, §20).
import { ArgsType, Extensions, Field, InputType, Int, ObjectType, registerEnumType } from 'type-graphql';

@ObjectType({ simpleResolvers: true, description: 'Where the contracts are; null where unknown.' })
export class ChainContracts {
  @Field(() => String, { nullable: true, description: 'Roots of claims, removals and verifications.' })
  anchorRegistry: string | null;

  @Field(() => String, { nullable: true, description: 'Identity records.' })
  coreId: string | null;

  @Field(() => String, { nullable: true, description: 'Makes smart accounts.' })
  accountFactory: string | null;

  @Field(() => String, { nullable: true, description: 'EntryPoint of ERC-4337, v0.8.' })
  entryPoint: string | null;
}

@ObjectType({ simpleResolvers: true, description: 'The chain that credentials are anchored on.' })
export class ChainInfo {
  @Field(() => Boolean, { description: 'Whether there is one; without it claims wait.' })
  configured: boolean;

  @Field(() => Int, { nullable: true, description: 'Its id (EIP-155).' })
  chainId: number | null;

  @Field(() => Int, { nullable: true, description: 'The newest block that was seen.' })
  blockNumber: number | null;

  @Field(() => ChainContracts, { description: 'Where the contracts are.' })
  contracts: ChainContracts;
}

/** A tree of 4,096 leaves has paths of 12 hashes. */
const MAX_PROOF = 12;

@ObjectType({
  simpleResolvers: true,
  description: 'Proof that a digest is on the chain: its leaf, and the path from there to an anchored root.',
})
export class AnchorInfo {
  @Field(() => Int, { description: 'Which chain.' })
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

  @Field(() => Int, { description: 'Its block.' })
  blockNumber: number;

  @Field(() => Date, { description: 'When it was deep enough to count.' })
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
  description: 'Where a job for the chain is.',
  valuesConfig: {
    QUEUED: { description: 'Waits for a nonce.' },
    SIGNED: { description: 'Has its nonce and bytes, which are stored.' },
    SENT: { description: 'Was given to the chain.' },
    MINED: { description: 'Is in a block.' },
    CONFIRMED: { description: 'Is deep enough to count.' },
    FAILED: { description: 'Had no effect.' },
  },
});

@ObjectType({ simpleResolvers: true, description: 'A step of a job.' })
export class ChainJobStep {
  @Field(() => Date, { description: 'When.' })
  at: Date;

  @Field(() => String, { description: 'What happened.' })
  what: string;
}

/** What a job's story holds at most. */
const MAX_STEPS = 60;

@ObjectType({ simpleResolvers: true, description: 'A job for the chain: one transaction, whatever becomes of it.' })
export class ChainJob {
  @Field(() => String, { description: 'Its id.' })
  jobId: string;

  @Field(() => String, { description: 'What it does: deploy, allow, anchor, account, mint or operation.' })
  kind: string;

  @Field(() => ChainJobState, { description: 'Its state.' })
  state: ChainJobState;

  @Field(() => Date, { description: 'When its fact was written.' })
  createdAt: Date;

  @Field(() => Int, { nullable: true, description: 'The chain that it is signed for.' })
  chainId: number | null;

  @Field(() => Int, { nullable: true, description: "The relayer's nonce." })
  nonce: number | null;

  @Field(() => String, { nullable: true, description: 'The transaction that was mined, else the newest signed.' })
  txHash: string | null;

  @Field(() => Int, { nullable: true, description: 'Its block.' })
  blockNumber: number | null;

  @Field(() => Int, { nullable: true, description: 'Gas that it used.' })
  gasUsed: number | null;

  @Field(() => String, { nullable: true, description: 'Why it failed, or is tried again.' })
  errorMessage: string | null;

  @Extensions({ size: MAX_STEPS })
  @Field(() => [ChainJobStep], { description: 'All that happened to it.' })
  story: ChainJobStep[];
}

@ObjectType({ simpleResolvers: true, description: 'What became of a transaction.' })
export class ChainTransaction {
  @Field(() => String, { nullable: true, description: 'Its hash; null while it is not signed.' })
  txHash: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The transaction with the same nonce that took its place, or is meant to.',
  })
  replacedBy: string | null;

  @Field(() => ChainJobState, { description: 'Where its job is.' })
  state: ChainJobState;

  @Field(() => Int, { nullable: true, description: 'Its block.' })
  blockNumber: number | null;

  @Field(() => Int, { description: 'Blocks since then, its own included.' })
  confirmations: number;
}

@ObjectType({ simpleResolvers: true, description: 'A job for the chain, for whom it was made.' })
export class OwnChainJob extends ChainTransaction {
  @Field(() => String, { description: 'Its id.' })
  jobId: string;

  @Field(() => String, { nullable: true, description: 'Why it failed, or is tried again.' })
  errorMessage?: string | null;
}

@ArgsType()
export class ChainJobsArgs {
  @Field(() => Int, { nullable: true, description: 'How many: 1 to 100, 25 when not given.' })
  first?: number | null;

  @Field(() => [ChainJobState], { nullable: true, description: 'In these states only.' })
  states?: ChainJobState[] | null;
}

@InputType({ description: 'A job for the chain.' })
export class ChainJobInput {
  @Field(() => String, { description: 'Its id.' })
  jobId: string;
}

@ObjectType({ simpleResolvers: true, description: 'Response of retryChainJob and giveUpChainJob.' })
export class ChainJobPayload {
  @Field(() => ChainJob, { description: 'The job as it is now.' })
  job: ChainJob;
}
