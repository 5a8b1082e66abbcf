// What the chain says of jobs that were sent: mined, deep enough, gone, or a nonce that somebody else has used (contract §20).
import { type JobSteps, UNDER_WAY } from './job-steps.js';
import type { ChainLink } from './link.js';
import type { ChainModels, JobRow, JobState } from './models.js';
import { ask, type Block, ChainAway, NODE, type Receipt, type Rpc } from './rpc.js';

/** Where the chain is. */
export interface Head {
  block: Block;
  /** How many transactions of the relayer are in blocks: the next nonce that one can be mined with. */
  nonce: number;
}

/** Confirmed jobs are looked at until they are this deep. */
const WATCH_BLOCKS = 64;
const BATCH = 200;
const IN_BLOCKS: JobState[] = ['mined', 'confirmed', 'failed'];
const WATCHED = 2_000;
/** Transactions of before a job was queued anew that are looked for. */
const EARLIER = 16;

export async function headOf({ rpc, relayer }: ChainLink): Promise<Head> {
  // The nonce first: what is counted in it is in the block that is read after it.
  const nonce = await ask(rpc, NODE.number, 'eth_getTransactionCount', [relayer, 'latest']);
  const block = await ask(rpc, NODE.block, 'eth_getBlockByNumber', ['latest', false]);
  if (block === null) throw new ChainAway('The chain has no newest block.');
  return { block, nonce };
}

export interface SurveyParts {
  models: ChainModels;
  steps: JobSteps;
  confirmations: number;
  /** Told of confirmed jobs whose block is gone. */
  onGone(job: JobRow): void;
}

export class Survey {
  constructor(
    private readonly link: ChainLink,
    private readonly parts: SurveyParts,
  ) {}

  /** Looks at everything that is under way. Returns the jobs whose nonce is used up by a transaction that is none of theirs. */
  async run(head: Head): Promise<JobRow[]> {
    await this.#lost(head);
    const foreign = await this.#underWay(head);
    await this.#mined(head);
    return foreign;
  }

  /** Looks at what was confirmed in the last blocks. */
  async watched({ block }: Head): Promise<void> {
    const filter = { watched: true, chainId: this.link.chainId };
    const rows = this.parts.models.jobs.find(filter).sort({ blockNumber: 1 }).limit(WATCHED).lean<JobRow[]>();
    const hashes = new Map<number, string | undefined>();
    for (const job of await rows) {
      const { blockNumber = 0 } = job;
      if (!hashes.has(blockNumber)) hashes.set(blockNumber, await this.#hashOf(blockNumber));
      if (hashes.get(blockNumber) !== job.blockHash) await this.#moved(job);
      else if (block.number - blockNumber >= WATCH_BLOCKS) await this.parts.steps.leftAlone(job);
    }
  }

  async #moved(job: JobRow): Promise<void> {
    const receipt = await this.#receiptOf(job);
    if (receipt) await this.parts.steps.moved(job, receipt);
    else await this.#gone(job);
  }

  /** Jobs that this relayer signed for this chain. */
  get #signed() {
    const { chainId, relayer } = this.link;
    return { chainId, relayer };
  }

  /** Jobs in blocks that the chain no longer has: their nonces are free again. */
  async #lost({ nonce }: Head): Promise<void> {
    const filter = { ...this.#signed, nonce: { $gte: nonce }, state: { $in: IN_BLOCKS } };
    const rows = await this.parts.models.jobs.find(filter).sort({ nonce: 1 }).limit(BATCH).lean<JobRow[]>();
    // A node may lag behind the one that was asked before.
    for (const job of rows) if (!(await this.#isMined(job))) await this.#gone(job);
  }

  async #underWay({ nonce }: Head): Promise<JobRow[]> {
    const { models, steps } = this.parts;
    const filter = { ...this.#signed, nonce: { $lt: nonce }, state: { $in: [...UNDER_WAY] }, open: true };
    const foreign: JobRow[] = [];
    for (const job of await models.jobs.find(filter).sort({ nonce: 1 }).limit(BATCH).lean<JobRow[]>()) {
      const receipt = await this.#receiptOf(job);
      if (receipt) await steps.mined(job, receipt);
      else foreign.push(job);
    }
    return foreign;
  }

  async #mined({ block }: Head): Promise<void> {
    const { models, steps, confirmations } = this.parts;
    const filter = { open: true, state: 'mined' as const, chainId: this.link.chainId };
    for (const job of await models.jobs.find(filter).sort({ nonce: 1 }).limit(BATCH).lean<JobRow[]>()) {
      const receipt = await this.#receiptOf(job);
      if (!receipt) await this.#gone(job);
      else if (receipt.blockHash !== job.blockHash) await steps.mined(job, receipt);
      else if (block.number - receipt.blockNumber + 1 >= confirmations) await steps.settled(job, this.link);
    }
  }

  async #gone(job: JobRow): Promise<void> {
    if ((await this.parts.steps.gone(job)) && job.state === 'confirmed') this.parts.onGone(job);
  }

  async #isMined(job: JobRow): Promise<boolean> {
    return (await this.#receiptOf(job)) !== undefined;
  }

  #receiptOf(job: JobRow): Promise<Receipt | undefined> {
    return receiptOf(this.link.rpc, job);
  }

  async #hashOf(number: number): Promise<string | undefined> {
    const block = await ask(this.link.rpc, NODE.block, 'eth_getBlockByNumber', [`0x${number.toString(16)}`, false]);
    return block?.hash;
  }
}

/** The receipt of any of the transactions that were signed for a job, the newest first; of earlier ones only of one that took effect. */
async function receiptOf(rpc: Rpc, job: JobRow): Promise<Receipt | undefined> {
  for (const { hash } of job.attempts.toReversed()) {
    const receipt = await ask(rpc, NODE.receipt, 'eth_getTransactionReceipt', [hash]);
    if (receipt?.transactionHash === hash) return receipt;
  }
  return earlierReceiptOf(rpc, job);
}

/** The receipt of a transaction that was signed before a job was queued anew, and took effect. */
export async function earlierReceiptOf(rpc: Rpc, { earlier = [] }: JobRow): Promise<Receipt | undefined> {
  for (const hash of earlier.slice(-EARLIER).toReversed()) {
    const receipt = await ask(rpc, NODE.receipt, 'eth_getTransactionReceipt', [hash]);
    if (receipt?.transactionHash === hash && receipt.status === '0x1') return receipt;
  }
  return undefined;
}
