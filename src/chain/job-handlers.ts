// Handlers for the end of a job, from the domain that added it to the outbox.
import type { ClientSession } from 'mongoose';
import type { ContractAddresses } from '../evm/contracts.js';
import type { Hex } from '../evm/rpc.js';
import type { JobKind, JobRow } from './models.js';

/** The facts of a job that is confirmed for the first time. */
export interface JobFacts {
  chainId: number;
  contracts: ContractAddresses;
  transactionHash: Hex;
  blockNumber: number;
  gasUsed: number;
  confirmedAt: Date;
}

/** A domain's handler of the ends of its jobs. It writes in the transaction of the end. */
export interface JobHandler {
  confirmed(job: JobRow, facts: JobFacts, session: ClientSession): Promise<void>;
  /** @param message ours, for a person. */
  failed?(job: JobRow, message: string, session: ClientSession): Promise<void>;
  /** The operator retries a failed job. @throws DomainError CONFLICT when it is no longer needed. */
  retried?(job: JobRow, session: ClientSession): Promise<void>;
}

export type JobHandlers = Partial<Record<JobKind, JobHandler>>;
