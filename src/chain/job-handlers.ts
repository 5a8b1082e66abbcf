// What a domain does when its jobs end.
import type { ClientSession } from 'mongoose';
import type { ContractAddresses } from '../evm/contracts.js';
import type { Hex } from '../evm/rpc.js';
import type { JobKind, JobRow } from './models.js';

/** The facts of a confirmed job, as of its first confirmation. */
export interface JobFacts {
  chainId: number;
  contracts: ContractAddresses;
  transactionHash: Hex;
  blockNumber: number;
  gasUsed: number;
  confirmedAt: Date;
}

/** A domain's handler for the ends of its jobs. It writes in the same transaction. */
export interface JobHandler {
  confirmed(job: JobRow, facts: JobFacts, session: ClientSession): Promise<void>;
  /** @param message our own sentence, for people. */
  failed?(job: JobRow, message: string, session: ClientSession): Promise<void>;
  /** The operator retries a failed job. @throws DomainError CONFLICT when it is no longer needed. */
  retried?(job: JobRow, session: ClientSession): Promise<void>;
}

export type JobHandlers = Partial<Record<JobKind, JobHandler>>;
