// The collections of accounts: deployment jobs, core ids and their names, user operations, and the gas that partners have spent.
import { type Connection, type Model, Schema } from 'mongoose';
import type { UserOperation } from './rpc/operation.js';

/** The deployment of an account. */
export interface DeploymentRow {
  /** `<chainId> <address>`. */
  _id: string;
  jobId: string;
}

/** A core id, from its claim on. Its `_id` makes names unique. The row is deleted if minting fails. */
export interface CoreIdClaimRow {
  /** The node (EIP-137), 32 bytes in hex with 0x. */
  _id: string;
  holderId: string;
  /** The account that it is minted to; an account has at most one. */
  account: string;
  /** The partner through which it was claimed. */
  partnerId: string;
  /** `<label>.<root>`; absent: the core id has no name. */
  name?: string;
  chainId: number;
  jobId: string;
  minted: boolean;
  createdAt: Date;
}

/** What a partner, or one of its holders, has spent in a day (UTC). */
export interface SpendingRow {
  /** `<day> <partnerId>`, and for one holder `<day> <partnerId> <holderId>`. */
  _id: string;
  deploys: number;
  mints: number;
  operations: number;
  /** Gas used, and gas reserved for jobs that are not mined yet. */
  gas: number;
  expiresAt: Date;
}

/** Gas that is reserved for a job that has not ended. */
export interface GasReservationRow {
  /** jobId. */
  _id: string;
  /** The `_id` of the spending row that it was reserved from. */
  spending: string;
  gas: number;
}

/** A user operation that was accepted. */
export interface UserOperationRow {
  /** Its hash (ERC-4337). */
  _id: string;
  jobId: string;
  holderId: string;
  operation: UserOperation;
  entryPoint: string;
  createdAt: Date;
}

/** Operations are stored as long as their jobs. */
const OPERATION_SECONDS = 90 * 24 * 3_600;

const id = { type: String, required: true } as const;
const options = (collection: string) => ({ collection, versionKey: false }) as const;
const count = { type: Number, required: true, default: 0 } as const;

const deployment = new Schema<DeploymentRow>({ _id: id, jobId: id }, options('accountDeployments'));

const coreId = new Schema<CoreIdClaimRow>(
  {
    _id: id,
    holderId: id,
    account: id,
    partnerId: id,
    name: String,
    chainId: { type: Number, required: true },
    jobId: id,
    minted: { type: Boolean, required: true },
    createdAt: { type: Date, required: true },
  },
  options('coreIds'),
);
coreId.index({ holderId: 1 }, { unique: true });
coreId.index({ account: 1 }, { unique: true });

const spending = new Schema<SpendingRow>(
  { _id: id, deploys: count, mints: count, operations: count, gas: count, expiresAt: { type: Date, required: true } },
  options('gasSpending'),
);
spending.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

const reservation = new Schema<GasReservationRow>(
  { _id: id, spending: id, gas: { type: Number, required: true } },
  options('gasTakings'),
);

const operation = new Schema<UserOperationRow>(
  {
    _id: id,
    jobId: id,
    holderId: id,
    operation: { type: Schema.Types.Mixed, required: true },
    entryPoint: id,
    createdAt: { type: Date, required: true },
  },
  { ...options('userOperations'), minimize: false },
);
operation.index({ createdAt: 1 }, { expireAfterSeconds: OPERATION_SECONDS });

export interface AccountModels {
  deployments: Model<DeploymentRow>;
  coreIds: Model<CoreIdClaimRow>;
  spending: Model<SpendingRow>;
  reservations: Model<GasReservationRow>;
  operations: Model<UserOperationRow>;
}

/** Registers the models of accounts on a connection. */
export function accountModels(connection: Connection): AccountModels {
  return {
    deployments: connection.model<DeploymentRow>('AccountDeployment', deployment),
    coreIds: connection.model<CoreIdClaimRow>('CoreIdClaim', coreId),
    spending: connection.model<SpendingRow>('GasSpending', spending),
    reservations: connection.model<GasReservationRow>('GasTaking', reservation),
    operations: connection.model<UserOperationRow>('UserOperation', operation),
  };
}
