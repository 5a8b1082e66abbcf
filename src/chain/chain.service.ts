// The chain: one interface for the devnet and for an RPC address (contract §18), and its public status.
import type { ChainConfig } from '../base/config/chain-config.js';
import { DomainError } from '../base/errors.js';
import { accountOf, addressesOf, type ContractAddresses } from '../evm/contracts.js';
import { ask, ChainUnreachable, type Hex, NODE, type Rpc, rpcOver } from '../evm/rpc.js';
import { viem } from '../evm/viem.js';
import type { GuardedFetch } from '../http/outbound/guarded-fetch.js';
import type { SealedBox } from '../keys/sealed-box.js';
import { type Devnet, prepareDevnet } from './devnet.js';
import { type ChainLink, linkOver } from './link.js';
import type { ChainModels, ChainRow } from './models.js';
import type { ChainInfo } from './types.js';

export type { ChainLink, Hex };

export interface ChainParts {
  config: ChainConfig;
  models: ChainModels;
  box: SealedBox;
  /** Undefined if the chain is not the gateway's own. */
  devnet: Devnet | undefined;
  fetch: GuardedFetch;
}

/** How long the row of the chain is cached, milliseconds. */
const STALE_MS = 2_000;
const RETRY_AFTER_S = 5;
const NO_CODE = '0x';
const NOBODY: Hex = `0x${'00'.repeat(20)}`;
const UNKNOWN: ContractAddresses | Record<keyof ContractAddresses, null> = {
  anchorRegistry: null,
  coreId: null,
  accountFactory: null,
  entryPoint: null,
};

/** The configured chain. */
export class Chain {
  #link: Promise<ChainLink> | undefined;
  #row: { read: Promise<ChainRow | null>; at: number } | undefined;

  constructor(private readonly parts: ChainParts) {}

  get isConfigured(): boolean {
    return this.parts.config.kind !== 'none';
  }

  /** A connection to the chain; starts the devnet. @throws ChainUnreachable. */
  link(): Promise<ChainLink> {
    this.#link ??= this.#connected();
    this.#link.catch(() => this.unlink());
    return this.#link;
  }

  /** The connection, if there is one already. @throws ChainUnreachable. */
  get linked(): Promise<ChainLink> | undefined {
    return this.#link;
  }

  /** Drops a link that does not respond. */
  unlink(): void {
    this.#link = undefined;
  }

  /** The chain's status, at most 2 s old. Reads only the store, never the chain. */
  async status(): Promise<ChainInfo> {
    const { config } = this.parts;
    if (!this.isConfigured) return { configured: false, chainId: null, blockNumber: null, contracts: UNKNOWN };
    const row = await this.#read();
    const contracts = row?.deployed ? row.contracts : UNKNOWN;
    return { configured: true, chainId: config.chainId, blockNumber: row?.blockNumber ?? null, contracts };
  }

  /** The configured id of the chain. */
  get chainId(): number {
    return this.parts.config.chainId;
  }

  /** Runs a caller's request on the chain's link. @throws DomainError CHAIN_UNAVAILABLE. */
  async asked<T>(request: (link: ChainLink) => Promise<T>): Promise<T> {
    if (!this.isConfigured) throw chainUnavailable();
    try {
      return await request(await this.link());
    } catch (error) {
      throw error instanceof ChainUnreachable ? chainUnavailable(error) : error;
    }
  }

  /** Whether a contract is deployed at an address. @throws DomainError CHAIN_UNAVAILABLE. */
  hasCode(address: Hex): Promise<boolean> {
    return this.asked(
      async ({ rpc }) => (await ask(rpc, NODE.hex, 'eth_getCode', [address, 'latest'])).length > NO_CODE.length,
    );
  }

  /** The address of an owner's account, deployed or not. Reads only the store, never the chain. */
  async accountOf(owner: Hex): Promise<Hex> {
    return accountOf(await this.accountFactory(), owner);
  }

  /** The address of the account factory, which depends on the EntryPoint. */
  async accountFactory(): Promise<Hex> {
    const { models, config } = this.parts;
    const row = await models.chains.findById(String(config.chainId)).lean<ChainRow>();
    return row?.contracts.accountFactory ?? (await addressesOf(NOBODY, config.entryPoint)).accountFactory;
  }

  /** Stops the devnet, if this process has started it. */
  async close(): Promise<void> {
    await this.parts.devnet?.stop();
  }

  async #connected(): Promise<ChainLink> {
    // Loaded at the same time, because viem takes as long to load as a devnet to start.
    const [rpc] = await Promise.all([this.#rpc(), viem()]);
    const link = await linkOver(rpc, this.parts);
    if (this.parts.devnet) await prepareDevnet(rpc, link.relayer);
    return link;
  }

  async #rpc(): Promise<Rpc> {
    const { config, devnet, fetch } = this.parts;
    if (devnet) return devnet.rpc();
    if (config.rpcUrl === undefined) throw new ChainUnreachable('No chain is configured.');
    return rpcOver(fetch, config.rpcUrl);
  }

  #read(): Promise<ChainRow | null> {
    const now = performance.now();
    if (this.#row === undefined || now - this.#row.at > STALE_MS) {
      const query = this.parts.models.chains.findById(String(this.parts.config.chainId)).lean<ChainRow>();
      this.#row = { read: query.exec(), at: now };
    }
    return this.#row.read;
  }
}

/** The error when there is no chain, or it does not respond; clients may retry later. */
export function chainUnavailable(cause?: unknown): DomainError {
  const message = 'The chain does not respond right now; try again shortly.';
  return new DomainError('CHAIN_UNAVAILABLE', message, { retryAfter: RETRY_AFTER_S }, { cause });
}
