// The collections of the chain: jobs (one for each transaction), its contracts, batches of anchors, and the devnet's relayer key.
import { type Connection, type Model, Schema } from 'mongoose';
import type { ContractAddresses } from '../evm/contracts.js';
import type { Hex } from '../evm/rpc.js';
import { rowsWith } from '../store/indexes.js';
import type { Retained } from '../store/retention.js';

/** Kinds of jobs. `calls.ts` has the contract call of each kind. */
export const JOB_KINDS = ['deploy', 'allow', 'metadata', 'anchor', 'account', 'mint', 'operation'] as const;
export type JobKind = (typeof JOB_KINDS)[number];

export type JobState = 'queued' | 'signed' | 'sent' | 'mined' | 'confirmed' | 'failed';

/** A signed transaction of a job; all are stored. Fees in wei, decimal. */
export interface Attempt {
  hash: Hex;
  /** The signed transaction. */
  raw: Hex;
  maxFeePerGas: string;
  maxPriorityFeePerGas: string;
  at: Date;
  /** An empty transfer to ourselves, in place of a call that was given up. */
  empty?: boolean;
}

/** A step in the history of a job, for the operator. */
export interface StoryEntry {
  at: Date;
  what: string;
}

export interface JobRow extends Retained {
  /** jobId: a UUID, or an id that makes the job unique for its purpose. */
  _id: string;
  kind: JobKind;
  /** The arguments of its call; their shape depends on the kind. */
  args: Record<string, unknown>;
  state: JobState;
  /** The holder that may see it, besides the operator. */
  holderId?: string;
  partnerId?: string;
  /** The most gas that its transaction may use; absent: as much as it needs. */
  gasLimit?: number;
  /** True until the job is confirmed or has failed, then absent: an index of these rows finds open jobs. */
  open?: boolean;
  /** True while it is confirmed and still watched. */
  watched?: boolean;
  createdAt: Date;
  /** The earliest time of a retry. */
  notBefore?: Date;
  tries: number;
  /** The chain and the relayer that it is signed for, and the nonce there. */
  chainId?: number;
  relayer?: Hex;
  nonce?: number;
  attempts: Attempt[];
  /** Hashes of transactions from before it was queued again, oldest first. */
  earlier?: Hex[];
  /** Set by the operator: an empty transfer replaces the call. */
  givenUp?: boolean;
  /** The mined transaction. */
  transactionHash?: Hex;
  blockNumber?: number;
  blockHash?: Hex;
  gasUsed?: number;
  reverted?: boolean;
  /** When it was confirmed for the first time. */
  confirmedAt?: Date;
  /** Our own sentence, to be read by people. */
  errorMessage?: string;
  story: StoryEntry[];
  /** When an ended job is deleted; absent on a devnet, whose chain may have to be rebuilt from it. */
  expireAt?: Date;
}

/** The gateway's state of one chain. */
export interface ChainRow {
  /** Chain id, decimal. */
  _id: string;
  /** The owner of the contracts, on which their addresses depend. */
  owner: Hex;
  contracts: ContractAddresses;
  /** Whether all its contracts have been found on the chain. */
  deployed: boolean;
  /** The newest block that the sender has seen. */
  blockNumber: number | null;
  /** The base of metadata addresses that the contract has; absent: none. */
  metadataBase?: string;
}

/** A key that the gateway created. */
export interface RelayerKeyRow {
  _id: 'devnet';
  /** Sealed for `{what: 'relayer-key', whose: 'devnet'}`. */
  sealed: string;
}

/** Leaves that share a root. */
export interface AnchorBatchRow {
  _id: string;
  /** 0 claims, 1 removals, 2 verifications (contract §19). */
  kind: number;
  /**
   * taking: rows are being assigned; queued: a job anchors its root; confirmed: rows are getting their anchors; done:
   * all have theirs.
   */
  state: 'taking' | 'queued' | 'confirmed' | 'done';
  createdAt: Date;
  root?: Hex;
  count?: number;
  jobId?: string;
  /** The chain and transaction of its confirmation. */
  confirmed?: { chainId: number; registry: Hex; transactionHash: Hex; blockNumber: number; confirmedAt: Date };
  /** True until it is done, then absent: an index of these rows finds open batches. */
  open?: boolean;
}

/** The paths of up to 64 rows of a confirmed batch. It never changes. */
export interface AnchorPathsRow {
  /** `<id of the batch> <number of the group>`, as merkle.ts groups leaves. */
  _id: string;
  /** Leaves of the batch. */
  count: number;
  /** The nodes of the paths. */
  nodes: Buffer;
  /** What all anchors of the batch have in common. */
  shared: SharedAnchor;
}

/** What all anchors of a batch have in common. */
export interface SharedAnchor {
  chainId: number;
  registry: string;
  kind: number;
  root: string;
  transactionHash: string;
  blockNumber: number;
  confirmedAt: Date;
}

const id = { type: String, required: true } as const;
const options = (collection: string) => ({ collection, versionKey: false, minimize: false }) as const;

const job = new Schema<JobRow>(
  {
    _id: id,
    kind: { type: String, required: true },
    args: { type: Schema.Types.Mixed, required: true },
    state: { type: String, required: true },
    holderId: String,
    partnerId: String,
    gasLimit: Number,
    open: Boolean,
    watched: Boolean,
    createdAt: { type: Date, required: true },
    notBefore: Date,
    tries: { type: Number, required: true },
    chainId: Number,
    relayer: String,
    nonce: Number,
    attempts: [
      {
        _id: false,
        hash: String,
        raw: String,
        maxFeePerGas: String,
        maxPriorityFeePerGas: String,
        at: Date,
        empty: Boolean,
      },
    ],
    earlier: { type: [String], default: undefined },
    givenUp: Boolean,
    transactionHash: String,
    blockNumber: Number,
    blockHash: String,
    gasUsed: Number,
    reverted: Boolean,
    confirmedAt: Date,
    errorMessage: String,
    story: [{ _id: false, at: Date, what: String }],
    expireAt: Date,
    retentionMs: Number,
  },
  options('chainJobs'),
);
job.index({ open: 1, createdAt: 1, _id: 1 }, { partialFilterExpression: { open: true } });
job.index({ watched: 1 }, rowsWith('watched'));
job.index({ holderId: 1 }, rowsWith('holderId'));
job.index({ chainId: 1, relayer: 1, nonce: 1 }, rowsWith('nonce'));
job.index({ 'attempts.hash': 1 }, rowsWith('attempts.hash'));
job.index({ earlier: 1 }, rowsWith('earlier'));
job.index({ expireAt: 1 }, { expireAfterSeconds: 0 });
job.index({ state: 1, createdAt: 1, _id: 1 });
job.index({ createdAt: 1, _id: 1 });

const chain = new Schema<ChainRow>(
  {
    _id: id,
    owner: String,
    contracts: { anchorRegistry: String, coreId: String, accountFactory: String, entryPoint: String, _id: false },
    deployed: Boolean,
    blockNumber: { type: Number, default: null },
    metadataBase: String,
  },
  options('chains'),
);

const relayerKey = new Schema<RelayerKeyRow>({ _id: id, sealed: String }, options('relayerKeys'));

const anchorBatch = new Schema<AnchorBatchRow>(
  {
    _id: id,
    kind: { type: Number, required: true },
    state: { type: String, required: true },
    createdAt: { type: Date, required: true },
    root: String,
    count: Number,
    jobId: String,
    confirmed: {
      type: { chainId: Number, registry: String, transactionHash: String, blockNumber: Number, confirmedAt: Date },
      _id: false,
    },
    open: Boolean,
  },
  options('anchorBatches'),
);
anchorBatch.index({ open: 1, createdAt: 1, _id: 1 }, { partialFilterExpression: { open: true } });
anchorBatch.index({ jobId: 1 }, rowsWith('jobId'));

const anchorPaths = new Schema<AnchorPathsRow>(
  { _id: id, count: Number, nodes: Buffer, shared: Schema.Types.Mixed },
  options('anchorPaths'),
);

export interface ChainModels {
  jobs: Model<JobRow>;
  chains: Model<ChainRow>;
  relayerKeys: Model<RelayerKeyRow>;
  batches: Model<AnchorBatchRow>;
  paths: Model<AnchorPathsRow>;
}

/** Registers the chain's models on a connection. */
export function chainModels(connection: Connection): ChainModels {
  return {
    jobs: connection.model<JobRow>('ChainJob', job),
    chains: connection.model<ChainRow>('Chain', chain),
    relayerKeys: connection.model<RelayerKeyRow>('RelayerKey', relayerKey),
    batches: connection.model<AnchorBatchRow>('AnchorBatch', anchorBatch),
    paths: connection.model<AnchorPathsRow>('AnchorPaths', anchorPaths),
  };
}
