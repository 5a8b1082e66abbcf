// What the end of a job means to the domain that put it into the outbox.
import type { ClientSession } from 'mongoose';
import type { ContractAddresses } from './contracts.js';
import type { JobKind, JobRow } from './models.js';
import type { Hex } from './rpc.js';

/** What a job that is confirmed for the first time is told to whoever put it into the outbox. */
export interface JobFacts {
  chainId: number;
  contracts: ContractAddresses;
  transactionHash: Hex;
  blockNumber: number;
  gasUsed: number;
  confirmedAt: Date;
}

/** What the end of a job means to its domain, written in the transaction of the end. */
export interface JobHandler {
  confirmed(job: JobRow, facts: JobFacts, session: ClientSession): Promise<void>;
  /** @param message ours, for a person. */
  failed?(job: JobRow, message: string, session: ClientSession): Promise<void>;
  /** The operator tries a job again that had failed. @throws DomainError CONFLICT when what it was for is no longer wanted. */
  retried?(job: JobRow, session: ClientSession): Promise<void>;
}

export type JobHandlers = Partial<Record<JobKind, JobHandler>>;
