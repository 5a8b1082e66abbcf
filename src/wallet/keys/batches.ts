// Batches of calls (EIP-5792 2.0.0). Each is one user operation, and therefore atomic.
import type { Hex } from 'viem';
import { invalid, RPC, RpcError } from '../rpc-error.js';
import type { Store } from '../store.js';
import { type Call, callOf } from './calls.js';
import type { Operations } from './operations.js';

const VERSION = '2.0.0';
const MAX_CALLS = 50;
const MAX_ID = 4_096;
/** How many ids chosen by applications are stored. */
const MAX_KEPT = 100;
const IDS = 'calls';

const PENDING = 100;
/** It is not on the chain, and is not sent again. */
const DROPPED = 400;
const CONFIRMED = 200;
const REVERTED = 500;

export interface BatchesParts {
  store: Store;
  operations: Operations;
  chainId: number;
}

/** The batches by id. The id is the application's, or else the hash of the operation. */
export class Batches {
  constructor(private readonly parts: BatchesParts) {}

  /** Checks a request of `wallet_sendCalls`. @throws RpcError -32602, 5700, 5710, 5740. */
  read(request: unknown, ownChain: Hex): { id: string | undefined; from: unknown; calls: Call[] } {
    if (typeof request !== 'object' || request === null) throw invalid('The calls are missing.');
    const { version, id, from, chainId, calls, capabilities = {} } = request as Record<string, unknown>;
    if (version !== VERSION) throw invalid(`"version" must be ${VERSION}.`);
    if (id !== undefined && (typeof id !== 'string' || id === '' || id.length > MAX_ID))
      throw invalid('"id" is not valid.');
    if (Number(chainId) !== Number(ownChain))
      throw new RpcError(RPC.unsupportedChain, `This wallet has chain ${ownChain} alone.`);
    if (!Array.isArray(calls) || calls.length === 0) throw invalid('"calls" must be a list of calls.');
    if (calls.length > MAX_CALLS) throw new RpcError(RPC.bundleTooLarge, `A batch has at most ${MAX_CALLS} calls.`);
    requireNone(capabilities);
    for (const call of calls) requireNone(Object(call).capabilities ?? {});
    return { id, from, calls: calls.map((call) => callOf(Object(call))) };
  }

  /** @throws RpcError 5720 if a batch of this id was sent, by this page or another one. */
  async requireNew(id: string | undefined): Promise<void> {
    const hash = id === undefined ? undefined : this.#ids[id];
    if (hash !== undefined && (await this.parts.operations.isKnown(hash)))
      throw new RpcError(RPC.duplicateId, 'There is a batch of this id already.');
  }

  /** Stores the operation of a batch; undefined: it was refused. */
  keep(id: string | undefined, hash: Hex | undefined): void {
    if (id === undefined) return;
    const { [id]: _former, ...others } = this.#ids;
    const entries = hash === undefined ? others : { ...others, [id]: hash };
    this.parts.store.set(IDS, Object.fromEntries(Object.entries(entries).slice(-MAX_KEPT)));
  }

  /** @throws RpcError 5730 for an unknown id. */
  async status(id: unknown): Promise<object> {
    const hash = typeof id === 'string' ? (this.#ids[id] ?? id) : '';
    const { operations, chainId } = this.parts;
    const receipt = await operations.receipt(hash);
    const isDropped = receipt === null && !(await operations.isKnown(hash));
    if (isDropped && hash === id) throw new RpcError(RPC.unknownBundle, 'There is no such batch.');
    const facts = { version: VERSION, id, chainId: `0x${chainId.toString(16)}`, atomic: true };
    if (receipt === null) return { ...facts, status: isDropped ? DROPPED : PENDING };
    const { success, logs, receipt: mined } = receipt;
    const { blockHash, blockNumber, gasUsed, transactionHash } = mined;
    const status = success ? '0x1' : '0x0';
    return {
      ...facts,
      status: success ? CONFIRMED : REVERTED,
      receipts: [{ logs, status, blockHash, blockNumber, gasUsed, transactionHash }],
    };
  }

  get #ids(): Record<string, Hex> {
    return this.parts.store.get<Record<string, Hex>>(IDS) ?? {};
  }
}

/** @throws RpcError 5700 for a required capability: the wallet only has atomic batches. */
function requireNone(capabilities: unknown): void {
  const needed = Object.entries(Object(capabilities)).find(([, wanted]) => Object(wanted).optional !== true);
  if (needed) throw new RpcError(RPC.unsupportedCapability, `This wallet does not have ${needed[0].slice(0, 100)}.`);
}
