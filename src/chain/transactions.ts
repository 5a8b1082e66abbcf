// The state of a transaction, for its holder, its partner and the operator (contract §20).
import type { Caller } from '../base/callers/caller.js';
import { DomainError } from '../base/errors.js';
import type { Chain } from './chain.service.js';
import type { ChainModels, JobRow } from './models.js';
import type { ChainTransaction, OwnChainJob } from './types.js';

const HASH = /^0x[0-9a-f]{64}$/;
const MAX_JOB_ID = 200;

/** Shows callers the state of their transactions and jobs. */
export class ChainTransactions {
  constructor(
    private readonly models: ChainModels,
    private readonly chain: Pick<Chain, 'status'>,
  ) {}

  /** A transaction by its hash. @throws DomainError NOT_FOUND, also for another caller's. */
  async transaction(caller: Caller, text: string): Promise<ChainTransaction> {
    const txHash = text.toLowerCase();
    const unknown = new DomainError('NOT_FOUND', 'No transaction of yours has this hash.');
    if (!HASH.test(txHash)) throw unknown;
    const signed = { $or: [{ 'attempts.hash': txHash }, { earlier: txHash }] };
    const row = (await this.models.jobs.collection.findOne(signed)) as JobRow | null;
    if (row === null || !maySee(caller, row)) throw unknown;
    const current = hashOf(row);
    return { ...(await this.#view(row)), txHash, replacedBy: current === txHash ? null : current };
  }

  /** A job by its id. @throws DomainError NOT_FOUND, also for another caller's. */
  async job(caller: Caller, jobId: string): Promise<OwnChainJob> {
    const row = jobId.length > MAX_JOB_ID ? null : await this.models.jobs.findById(jobId).lean<JobRow>();
    if (row === null || !maySee(caller, row)) throw new DomainError('NOT_FOUND', 'No job of yours has this jobId.');
    const { errorMessage } = row;
    return { jobId, ...(await this.#view(row)), ...(errorMessage === undefined ? {} : { errorMessage }) };
  }

  async #view(row: JobRow): Promise<ChainTransaction> {
    const { state, blockNumber = null } = row;
    const head = (await this.chain.status()).blockNumber ?? 0;
    const confirmations = blockNumber === null ? 0 : Math.max(1, head - blockNumber + 1);
    return { txHash: hashOf(row), replacedBy: null, state, blockNumber, confirmations };
  }
}

const hashOf = ({ transactionHash, attempts }: JobRow): string | null =>
  transactionHash ?? attempts.at(-1)?.hash ?? null;

function maySee(caller: Caller, { holderId, partnerId }: JobRow): boolean {
  if (caller.kind === 'operator') return true;
  if (caller.kind === 'holder') return caller.holderId === holderId;
  return caller.kind === 'partner' && caller.partnerId === partnerId;
}
