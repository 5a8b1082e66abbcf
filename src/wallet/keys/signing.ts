// The account's signatures and transactions: messages, typed data, transactions and batches, each after the user's
// click.
import type { Hex } from 'viem';
import { hashTypedData, hexToBytes, isHex } from 'viem/utils';
import type { ConsentScreen, Present } from '../../sdk/core/screens.js';
import { invalid, RPC, RpcError } from '../rpc-error.js';
import type { Session } from '../session.js';
import type { Texts } from '../texts.js';
import type { Batches } from './batches.js';
import { type Call, callOf } from './calls.js';
import type { RemoteVault } from './client.js';
import { accountHash, hashMessage, wrapped } from './ethereum.js';
import type { Operations } from './operations.js';

export interface SigningParts {
  session: Session;
  vault: RemoteVault;
  operations: Operations;
  batches: Batches;
  chainId: number;
  partnerName: string;
  texts(): Texts;
  /** Runs a flow in the dialog, with the keys available. */
  withKeys<T>(flow: (present: Present) => Promise<T>): Promise<T>;
}

type Handler = (params: readonly unknown[]) => Promise<unknown>;

/** The provider's methods that need the account's key. */
export class AccountSigning {
  readonly #methods: Readonly<Record<string, Handler>> = {
    personal_sign: ([message, from]) => this.#signMessage(message, from),
    eth_signTypedData_v4: ([from, data]) => this.#signTypedData(from, data),
    eth_sendTransaction: ([transaction]) => this.#sendTransaction(transaction),
    wallet_sendCalls: ([request]) => this.#sendCalls(request),
    wallet_getCallsStatus: ([id]) => this.parts.batches.status(id),
    wallet_getCapabilities: async ([from]) => {
      this.#requireOwn(from);
      return { [this.#chainHex]: { atomic: { status: 'supported' } } };
    },
  };

  constructor(private readonly parts: SigningParts) {}

  request(method: string, params: readonly unknown[]): Promise<unknown> {
    const handler = this.#methods[method];
    if (handler === undefined) throw new RpcError(RPC.unsupported, 'This method takes no key.');
    return handler(params);
  }

  get #chainHex(): Hex {
    return `0x${this.parts.chainId.toString(16)}`;
  }

  /**
   * Checks that an address is the user's account, and returns it. @throws RpcError 4100 for another address, or if no
   * user is logged in.
   */
  #requireOwn(from: unknown): Hex {
    const account = this.parts.session.requireLogin().abstractAccountAddress;
    if (typeof from !== 'string' || account === undefined || from.toLowerCase() !== account.toLowerCase())
      throw new RpcError(RPC.unauthorized, 'This is not the account of whoever is logged in.');
    return account as Hex;
  }

  #ask(screen: Omit<ConsentScreen, 'kind' | 'partnerName'>): Promise<void> {
    const { withKeys, partnerName } = this.parts;
    return withKeys(async (present) => {
      await present<'consent'>({ kind: 'consent', partnerName, ...screen });
    });
  }

  async #signMessage(message: unknown, from: unknown): Promise<Hex> {
    this.#requireOwn(from);
    if (typeof message !== 'string') throw invalid('The message must be text, or bytes in hex.');
    const raw = isHex(message) ? message : undefined;
    const { title, action, message: name } = this.parts.texts().sign;
    await this.#ask({ title, action, facts: [{ name, value: raw ? readable(raw) : message }] });
    return this.#sign(hashMessage(raw ? { raw } : message));
  }

  async #signTypedData(from: unknown, data: unknown): Promise<Hex> {
    this.#requireOwn(from);
    const { hash, facts } = this.#typed(data);
    const { title, action } = this.parts.texts().sign;
    await this.#ask({ title, action, facts });
    return this.#sign(hash);
  }

  #typed(data: unknown): { hash: Hex; facts: ConsentScreen['facts'] } {
    let typed: TypedData;
    let hash: Hex;
    try {
      typed = (typeof data === 'string' ? JSON.parse(data) : data) as TypedData;
      // viem checks what its types would require.
      hash = hashTypedData(typed as never);
    } catch {
      throw invalid('The typed data are not of EIP-712.');
    }
    const { domain = {}, primaryType, message } = typed;
    if (domain.chainId !== undefined && Number(domain.chainId) !== this.parts.chainId)
      throw invalid(`The typed data are for chain ${domain.chainId}, not for ${this.parts.chainId}.`);
    const { typed: name } = this.parts.texts().sign;
    const ofDomain = Object.entries(domain).map(([field, value]) => ({ name: field, value: String(value) }));
    return { hash, facts: [...ofDomain, { name: `${name}: ${primaryType}`, value: JSON.stringify(message, null, 2) }] };
  }

  /** The account's signature over a hash: ERC-1271, and ERC-6492 before the account is deployed. */
  async #sign(hash: Hex): Promise<Hex> {
    const { session, vault, chainId, operations } = this.parts;
    const { id } = session.requireLogin();
    const { accountFactory } = await operations.contracts();
    const account = await operations.account();
    const signature = await vault.sign(id, accountHash(hash, chainId, account.address as Hex));
    if (account.deployed) return signature;
    return wrapped(accountFactory, account.owner as Hex, signature);
  }

  async #sendTransaction(transaction: unknown): Promise<Hex> {
    if (typeof transaction !== 'object' || transaction === null) throw invalid('The transaction is missing.');
    const { from, to, value, data, input } = transaction as Record<string, unknown>;
    this.#requireOwn(from);
    const call = callOf({ to, value, data: data ?? input });
    await this.#confirm([call]);
    return this.parts.operations.mined(await this.parts.operations.send([call]));
  }

  async #sendCalls(request: unknown): Promise<{ id: string }> {
    const { batches, operations } = this.parts;
    const { id, from, calls } = batches.read(request, this.#chainHex);
    if (from !== undefined) this.#requireOwn(from);
    await batches.requireNew(id);
    await this.#confirm(calls);
    // Another tab may have sent it while the user read.
    await batches.requireNew(id);
    const hash = await operations.send(calls, (signed) => batches.keep(id, signed));
    return { id: id ?? hash };
  }

  async #confirm(calls: readonly Call[]): Promise<void> {
    const { transaction: texts } = this.parts.texts();
    const several = calls.length > 1;
    const facts = calls.flatMap(({ to, value, data }, at) => {
      const number = several ? `${at + 1}. ` : '';
      return [
        { name: `${number}${texts.to}`, value: to },
        { name: `${number}${texts.value}`, value: String(value) },
        ...(data === '0x' ? [] : [{ name: `${number}${texts.data}`, value: data }]),
      ];
    });
    await this.#ask({ title: several ? texts.batch(calls.length) : texts.title, action: texts.action, facts });
  }
}

interface TypedData {
  domain?: Record<string, unknown>;
  primaryType: string;
  message: unknown;
}

/** Bytes as text if they are valid UTF-8, otherwise as hex. */
function readable(bytes: Hex): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(hexToBytes(bytes));
  } catch {
    return bytes;
  }
}
