// User operations (ERC-7769): the relayer sends them, and the session's partner pays (contract §22). With a bundler, they go to the bundler instead.
import { randomUUID } from 'node:crypto';
import type { ClientSession, Connection } from 'mongoose';
import type { HolderCaller } from '../../base/callers/caller.js';
import { MAJORITY } from '../../base/mongodb/majority.js';
import type { Chain } from '../../chain/chain.service.js';
import type { ChainLink } from '../../chain/link.js';
import type { ChainOutbox, JobHandler } from '../../chain/outbox.service.js';
import { ask, type Hex, NODE, type Rpc } from '../../evm/rpc.js';
import { accountIn, type HolderAccount } from '../../holders/holder-accounts.service.js';
import type { Holders } from '../../holders/holders.service.js';
import type { AccountModels, UserOperationRow } from '../models.js';
import type { GasUse, Payer, Sponsorship } from '../sponsorship.js';
import { draftOperation, operationHash, packed, type UserOperation, userOperation } from './operation.js';
import { checkOperation, checkSender, checkTargets, handleOps, simulate, transactionGas } from './operation-checks.js';
import { type OperationReceipt, receiptOf } from './operation-receipt.js';
import { address, checkedParams, hash } from './params.js';

export interface UserOperationsParts {
  connection: Connection;
  models: AccountModels;
  chain: Chain;
  outbox: ChainOutbox;
  holders: Holders;
  sponsorship: Sponsorship;
  /** Calls BUNDLER_URL; undefined: the relayer sends operations. */
  bundler: Rpc | undefined;
  clock(): number;
}

type Method = (caller: HolderCaller, params: readonly unknown[]) => Promise<unknown>;

/** Gas for validating an operation of our accounts, and for creating the account before that: more than needed. */
const VALIDATION_GAS = 60_000n;
const CREATION_GAS = 200_000n;
/** Gas assumed for a call that cannot be simulated because its account is not deployed. */
const UNTRIED_GAS = 200_000n;
const BASE_GAS = 21_000n;
const NO_LIMITS = { callGasLimit: '0x0', verificationGasLimit: '0x0' } as const;
const NO_FEES = { maxFeePerGas: '0x0', maxPriorityFeePerGas: '0x0' } as const;

/** Sends user operations, paid by the session's partner. */
export class UserOperations {
  readonly #methods: Readonly<Record<string, Method>> = {
    eth_sendUserOperation: (caller, params) => this.#send(caller, params),
    eth_estimateUserOperationGas: (caller, params) => this.#estimate(caller, params),
    eth_getUserOperationByHash: (caller, params) => this.#byHash(caller, params),
    eth_getUserOperationReceipt: (caller, params) => this.#receipt(caller, params),
  };

  constructor(private readonly parts: UserOperationsParts) {}

  /** When the job ends, unused gas is returned. The result of the operation itself is read from the chain. */
  readonly handler: JobHandler = {
    confirmed: (job, _facts, session) => this.parts.sponsorship.returnUnused(job, session),
    failed: (job, _message, session) => this.parts.sponsorship.returnUnused(job, session),
  };

  /** A method of ERC-7769, or undefined. */
  method(name: string): Method | undefined {
    return Object.hasOwn(this.#methods, name) ? this.#methods[name] : undefined;
  }

  async #send(caller: HolderCaller, params: readonly unknown[]): Promise<unknown> {
    const { bundler, sponsorship } = this.parts;
    const [operation, entryPoint] = checkedParams([userOperation, address], params) as [UserOperation, string];
    if (!bundler) return sponsorship.admit(caller.partnerId ?? '', () => this.#sendOwn(caller, operation, entryPoint));
    await this.#own(caller, operation, entryPoint);
    return bundler('eth_sendUserOperation', [operation, entryPoint]);
  }

  async #sendOwn(caller: HolderCaller, operation: UserOperation, entryPoint: string): Promise<Hex> {
    const { sponsorship } = this.parts;
    const { link, account } = await this.#own(caller, operation, entryPoint);
    await checkOperation(operation, link, account);
    const payer = await sponsorship.payerOf(caller);
    await checkTargets(operation, payer.policy);
    return this.#sponsored(caller, payer, link, operation);
  }

  async #sponsored(caller: HolderCaller, payer: Payer, link: ChainLink, operation: UserOperation): Promise<Hex> {
    const whole = await packed(operation);
    const _id = await operationHash(whole, { chainId: link.chainId, entryPoint: link.contracts.entryPoint });
    if (await this.#isUnderWay(_id)) return _id;
    const call = await handleOps(whole, link.relayer);
    const gas = transactionGas(operation, call);
    await simulate(link, { operation, call, gas });
    const { connection, models, outbox, sponsorship, clock } = this.parts;
    const { holderId } = caller;
    const reservation = { holderId, uses: usesOf(operation), gas };
    const write = async (session: ClientSession): Promise<void> => {
      // Checked in the transaction: if another gateway writes the same operation meanwhile, the two conflict, and one
      // finds the other's job.
      if (await this.#isUnderWay(_id, session)) return;
      const jobId = randomUUID();
      const row = { jobId, holderId, operation, entryPoint: link.contracts.entryPoint, createdAt: new Date(clock()) };
      await models.operations.updateOne({ _id }, { $set: row }, { upsert: true, session });
      await sponsorship.reserve(payer, { jobId, ...reservation }, session);
      const args = { packed: whole, beneficiary: link.relayer };
      const { partnerId } = payer;
      await outbox.put({ jobId, kind: 'operation', args, holderId, partnerId, gasLimit: gas }, session);
    };
    await sponsorship.runReservation(payer, reservation, () => connection.transaction(write, MAJORITY));
    return _id;
  }

  async #isUnderWay(_id: Hex, session?: ClientSession): Promise<boolean> {
    const row = await this.parts.models.operations.findById(_id, null, { session }).lean<UserOperationRow>();
    const job = row === null ? null : await this.parts.outbox.find(row.jobId, session);
    return job !== null && job.state !== 'failed';
  }

  async #estimate(caller: HolderCaller, params: readonly unknown[]): Promise<unknown> {
    const { bundler } = this.parts;
    const [operation, entryPoint] = checkedParams([draftOperation, address], params) as [UserOperation, string];
    const { link, account } = await this.#own(caller, operation, entryPoint);
    if (bundler) return bundler('eth_estimateUserOperationGas', [operation, entryPoint]);
    // Clients estimate gas before they set the fees, which are checked when the operation is sent.
    await checkOperation({ ...operation, ...NO_LIMITS, ...NO_FEES }, link, account);
    const limits = {
      callGasLimit: await callGas(link, operation),
      verificationGasLimit: operation.factory ? CREATION_GAS : VALIDATION_GAS,
      // The relayer pays for the transaction.
      preVerificationGas: 0n,
    };
    return Object.fromEntries(Object.entries(limits).map(([name, gas]) => [name, `0x${gas.toString(16)}`]));
  }

  async #byHash(caller: HolderCaller, params: readonly unknown[]): Promise<unknown> {
    const lookup = await this.#row(caller, params, 'eth_getUserOperationByHash');
    if (!('row' in lookup)) return lookup.response;
    const { operation, entryPoint, jobId } = lookup.row;
    const job = await this.parts.outbox.find(jobId);
    const receipt = await this.#receiptOf(lookup.row);
    // As from a bundler that has dropped it: another operation had its nonce, for example.
    if (receipt === null && job?.state === 'failed') return null;
    return {
      userOperation: operation,
      entryPoint,
      transactionHash: job?.txHash ?? null,
      blockNumber: receipt?.receipt.blockNumber ?? null,
      blockHash: receipt?.receipt.blockHash ?? null,
    };
  }

  async #receipt(caller: HolderCaller, params: readonly unknown[]): Promise<unknown> {
    const lookup = await this.#row(caller, params, 'eth_getUserOperationReceipt');
    return 'row' in lookup ? this.#receiptOf(lookup.row) : lookup.response;
  }

  /** The row of the caller's operation; otherwise the bundler's response, or null. */
  async #row(
    { holderId }: HolderCaller,
    params: readonly unknown[],
    method: string,
  ): Promise<{ row: UserOperationRow } | { response: unknown }> {
    const [text] = checkedParams([hash], params) as [string];
    const { bundler, models } = this.parts;
    if (bundler) return { response: await bundler(method, [text]) };
    const row = await models.operations.findOne({ _id: text.toLowerCase(), holderId }).lean<UserOperationRow>();
    return row === null ? { response: null } : { row };
  }

  async #receiptOf({ _id, jobId, entryPoint, operation }: UserOperationRow): Promise<OperationReceipt | null> {
    const { outbox, chain } = this.parts;
    const job = await outbox.find(jobId);
    if (!job?.txHash) return null;
    return receiptOf((await chain.link()).rpc, { hash: _id, txHash: job.txHash, entryPoint, operation });
  }

  /** The holder's account, which must be the sender. @throws RpcError. */
  async #own(
    caller: HolderCaller,
    operation: UserOperation,
    entryPoint: string,
  ): Promise<{ link: ChainLink; account: HolderAccount }> {
    const { chain, holders } = this.parts;
    const link = await chain.link();
    const account = accountIn(await holders.own(caller));
    checkSender(operation, entryPoint, link, account);
    return { link, account };
  }
}

/** An operation with a factory deploys its account too. */
const usesOf = ({ factory }: UserOperation): GasUse[] => (factory ? ['operations', 'deploys'] : ['operations']);

/** Gas of the call inside an operation, plus a tenth. @throws NodeRefused when it reverts. */
async function callGas({ rpc, contracts }: ChainLink, { sender, callData, factory }: UserOperation): Promise<bigint> {
  if (callData === '0x') return 0n;
  if (factory) return UNTRIED_GAS;
  const call = { from: contracts.entryPoint, to: sender, data: callData };
  const gas = await ask(rpc, NODE.quantity, 'eth_estimateGas', [call]);
  return ((gas > BASE_GAS ? gas - BASE_GAS : gas) * 11n) / 10n;
}
