// User operations of the account: signed in the worker, sent and paid for by the gateway, one at a time.
import type { Hex } from 'viem';
import { isHash } from 'viem/utils';
import { CoreServiceError } from '../../sdk/core/error.js';
import { isLost } from '../gateway.js';
import { callChain } from '../rpc.js';
import { RPC, RpcError } from '../rpc-error.js';
import type { Session } from '../session.js';
import type { Store } from '../store.js';
import type { Call } from './calls.js';
import type { RemoteVault } from './client.js';
import { callDataOf, makingOf, nonceCall, operationHash, readNonce, type UserOperation } from './ethereum.js';
import type { Account } from './holder.js';

/** How long a transaction may take to be mined, milliseconds. */
const MINED_MS = 60_000;
const PAUSE_MS = 500;
/** How long a new chain may take to start and deploy its contracts, milliseconds. */
const STARTED_MS = 30_000;
/** How often an operation is sent whose response is lost. */
const SENDS = 3;
/** Where the hash of the newest operation of this browser is stored. */
const SENT = 'sent';
const WOULD_REVERT = -32_521;
const ANY_SIGNATURE: Hex = `0x${'ff'.repeat(64)}1c`;

export interface Contracts {
  accountFactory: Hex;
  entryPoint: Hex;
}

type Nullable<T> = { [K in keyof T]: T[K] | null };

/** The members of a response of eth_getUserOperationReceipt that are read. */
export interface OperationReceipt {
  success: boolean;
  logs: unknown[];
  receipt: { transactionHash: Hex; blockHash: Hex; blockNumber: Hex; gasUsed: Hex };
}

export class Operations {
  #last: Promise<unknown> = Promise.resolve();
  #contracts: Contracts | undefined;
  #deployed: Account | undefined;

  constructor(private readonly parts: { session: Session; store: Store; vault: RemoteVault; chainId: number }) {}

  /**
   * The contracts of the chain. A new sandbox deploys them with its first job; if they are missing, deploying the
   * account causes that job.
   * @throws RpcError 4901 while they are missing.
   */
  async contracts(): Promise<Contracts> {
    this.#contracts ??= await this.#deployedContracts();
    if (this.#contracts) return this.#contracts;
    await this.parts.session.call('/v1/holders/me/account/deploy', { method: 'POST' }).catch(() => {});
    for (const end = Date.now() + STARTED_MS; Date.now() < end; ) {
      const { deployed } = await this.account();
      if (deployed) this.#contracts = await this.#deployedContracts();
      if (this.#contracts) return this.#contracts;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    throw new RpcError(RPC.chainDisconnected, 'The chain is not there yet; try again shortly.');
  }

  /** The account. Once it is deployed, it is not requested again. */
  async account(): Promise<Account> {
    const { abstractAccountAddress } = this.parts.session.requireLogin();
    if (this.#deployed && this.#deployed.address === abstractAccountAddress) return this.#deployed;
    const account = await this.parts.session.call<Account>('/v1/holders/me/account');
    if (account.deployed) this.#deployed = account;
    return account;
  }

  async #deployedContracts(): Promise<Contracts | undefined> {
    const { contracts } = await this.parts.session.call<{ contracts: Nullable<Contracts> }>('/v1/chain');
    const { accountFactory, entryPoint } = contracts;
    return accountFactory === null || entryPoint === null ? undefined : { accountFactory, entryPoint };
  }

  /**
   * Sends calls as one operation, after the earlier ones are mined. @returns its hash. @throws RpcError.
   * @param onSigned gets the hash before the operation is sent, and nothing if it was refused
   */
  send(calls: readonly Call[], onSigned: (hash: Hex | undefined) => void = () => {}): Promise<Hex> {
    const sending = this.#last.then(() => this.#earlierMined()).then(() => this.#send(calls, onSigned));
    // Waits until it is mined, because until then the next operation would get the same nonce.
    this.#last = sending
      .then(async (hash) => {
        await this.#mined(hash);
        this.#forget(hash);
      })
      .catch(() => {});
    return sending;
  }

  /** The transaction of an operation, once it is mined. @throws RpcError 3 if a call failed, -32603 after a minute. */
  async mined(hash: Hex): Promise<Hex> {
    const receipt = await this.#mined(hash);
    if (receipt === undefined)
      throw new RpcError(RPC.internal, 'The transaction is not mined yet.', { userOpHash: hash });
    const { transactionHash } = receipt.receipt;
    if (!receipt.success) throw new RpcError(RPC.reverted, 'The call of the transaction failed.', { transactionHash });
    return transactionHash;
  }

  receipt(hash: string): Promise<OperationReceipt | null> {
    return isHash(hash)
      ? this.#ask<OperationReceipt | null>('eth_getUserOperationReceipt', hash)
      : Promise.resolve(null);
  }

  async isKnown(hash: string): Promise<boolean> {
    return isHash(hash) && (await this.#ask('eth_getUserOperationByHash', hash)) !== null;
  }

  /** Waits for the operation of another tab, or of this page before it was loaded again. One that nobody has stored does not count. */
  async #earlierMined(): Promise<void> {
    const hash = this.parts.store.get<Hex>(SENT);
    if (hash === undefined) return;
    if (await this.isKnown(hash)) await this.#mined(hash);
    this.#forget(hash);
  }

  #forget(hash: Hex): void {
    const { store } = this.parts;
    if (store.get(SENT) === hash) store.delete(SENT);
  }

  async #send(calls: readonly Call[], onSigned: (hash: Hex | undefined) => void): Promise<Hex> {
    const { session, store, vault, chainId } = this.parts;
    const { entryPoint } = await this.contracts();
    const operation = await this.#operation(calls);
    const { id } = session.requireLogin();
    const hash = operationHash(operation, chainId, entryPoint);
    const signature = await vault.sign(id, hash);
    // Before it is sent: what is stored then is found by another page, whatever becomes of this one.
    store.set(SENT, hash);
    onSigned(hash);
    return this.#sent(hash, { ...operation, signature }, entryPoint).catch((error: unknown) => {
      this.#forget(hash);
      onSigned(undefined);
      throw error;
    });
  }

  /**
   * Sends an operation again while its response is lost: it is stored once, and another one would move the money twice.
   * @returns its hash, also if nobody knows whether it is stored: `mined` then says so.
   */
  async #sent(hash: Hex, operation: UserOperation & { signature: Hex }, entryPoint: Hex): Promise<Hex> {
    let wasLost = false;
    for (let sends = 1; sends <= SENDS; sends += 1) {
      try {
        return await this.#ask<Hex>('eth_sendUserOperation', operation, entryPoint);
      } catch (error) {
        wasLost ||= isLost(error);
        if (!wasLost) return asRevert(error);
        // One that is mined already is refused, too.
        if (error instanceof RpcError) return (await this.isKnown(hash).catch(() => true)) ? hash : asRevert(error);
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    }
    return hash;
  }

  /** The operation, with estimated gas. */
  async #operation(calls: readonly Call[]): Promise<UserOperation> {
    const { accountFactory, entryPoint } = await this.contracts();
    const account = await this.account();
    const sender = account.address as Hex;
    const nonce = readNonce(await this.#ask<Hex>('eth_call', { to: entryPoint, data: nonceCall(sender) }, 'latest'));
    const made = { factory: accountFactory, factoryData: makingOf(account.owner as Hex) };
    const draft = {
      sender,
      nonce,
      ...(account.deployed ? {} : made),
      callData: callDataOf(calls),
      maxFeePerGas: '0x0',
      maxPriorityFeePerGas: '0x0',
    } as const;
    const unsigned = { ...draft, signature: ANY_SIGNATURE };
    const gas = await this.#ask<Gas>('eth_estimateUserOperationGas', unsigned, entryPoint).catch(asRevert);
    const { callGasLimit, verificationGasLimit, preVerificationGas } = gas;
    return { ...draft, callGasLimit, verificationGasLimit, preVerificationGas };
  }

  async #mined(hash: Hex): Promise<OperationReceipt | undefined> {
    const end = Date.now() + MINED_MS;
    while (Date.now() < end) {
      const receipt = await this.receipt(hash).catch(notYet);
      if (receipt !== null) return receipt;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    return undefined;
  }

  #ask<T>(method: string, ...params: unknown[]): Promise<T> {
    return callChain<T>(this.parts.session, method, params);
  }
}

type Gas = Pick<UserOperation, 'callGasLimit' | 'verificationGasLimit' | 'preVerificationGas'>;

/** A receipt that cannot be read now may be read later: the operation is sent, whoever asks. @throws CoreServiceError NOT_LOGGED_IN. */
function notYet(error: unknown): null {
  if (error instanceof CoreServiceError && error.name === 'NOT_LOGGED_IN') throw error;
  return null;
}

/** Converts the error of a call that would fail to one of EIP-1474. */
function asRevert(error: unknown): never {
  if (error instanceof RpcError && error.code === WOULD_REVERT)
    throw new RpcError(RPC.reverted, 'execution reverted', error.data);
  throw error;
}
