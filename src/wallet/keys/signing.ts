// The account's signatures and transactions: messages, typed data, transactions and batches, each after the user's
// click.
import type { Hex } from 'viem';
import { formatEther, hexToBytes, isHex } from 'viem/utils';
import type { ConsentScreen, Present } from '../../sdk/core/screens.js';
import { loaded } from '../loaded.js';
import { callChain } from '../rpc.js';
import { invalid, RPC, RpcError } from '../rpc-error.js';
import type { Session } from '../session.js';
import type { Texts } from '../texts.js';
import type { Batches } from './batches.js';
import { type Call, callOf } from './calls.js';
import type { RemoteVault } from './client.js';
import { accountHash, hashMessage, wrapped } from './ethereum.js';
import type { Operations } from './operations.js';
import type { TokenParts } from './token-facts.js';
import { typedDataOf } from './typed-data.js';

export interface SigningParts {
  session: Session;
  vault: RemoteVault;
  operations: Operations;
  batches: Batches;
  chainId: number;
  partnerName: string;
  /** The host of the gateway's PUBLIC_URL. */
  gatewayHost: string;
  texts(): Texts;
  /** Language tag of the session. */
  locale(): string;
  /** Runs a flow in the dialog, with the keys available. */
  withKeys<T>(flow: (present: Present) => Promise<T>): Promise<T>;
}

/** How the challenges of `POST /v1/holders/me/account/challenge` begin. */
const ACCOUNT_CHALLENGE = 'Register this account with the credential network:';

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

  /** @param screenOf reads what the screen shows, once the dialog is open */
  #ask(screenOf: () => Promise<Omit<ConsentScreen, 'kind' | 'partnerName'>>): Promise<void> {
    const { withKeys, partnerName } = this.parts;
    return withKeys(async (present) => {
      await present<'consent'>({ kind: 'consent', partnerName, ...(await screenOf()) });
    });
  }

  async #signMessage(message: unknown, from: unknown): Promise<Hex> {
    this.#requireOwn(from);
    if (typeof message !== 'string') throw invalid('The message must be text, or bytes in hex.');
    const raw = isHex(message) && message.length % 2 === 0 ? message : undefined;
    const { title, action, message: asText, bytes } = this.parts.texts().sign;
    const read = raw === undefined ? message : readable(raw);
    if (read !== undefined && this.#isOfGateway(read))
      throw new RpcError(
        RPC.unsupported,
        'Whoever has a signature of this message can log in here: it is not for pages.',
      );
    const fact = read === undefined ? { name: bytes, value: message } : { name: asText, value: read };
    await this.#ask(async () => ({ title, action, facts: [fact] }));
    return this.#sign(hashMessage(raw ? { raw } : message));
  }

  /** Whether the gateway takes a signature of the message for a login or an account. The wallet signs its own by itself. */
  #isOfGateway(message: string): boolean {
    const { gatewayHost } = this.parts;
    return [`${gatewayHost} wants you to sign in with your Ethereum account:`, ACCOUNT_CHALLENGE].some((begin) =>
      message.startsWith(begin),
    );
  }

  async #signTypedData(from: unknown, data: unknown): Promise<Hex> {
    this.#requireOwn(from);
    const { hash, ...typed } = typedDataOf(data, this.parts.chainId);
    const { title, action, typed: name, domain } = this.parts.texts().sign;
    await this.#ask(async () => {
      const { permitFacts } = await loaded(import('./token-facts.js'));
      const permitted = (await permitFacts(this.#tokenParts, typed)) ?? [];
      const signed = [
        { name: domain, value: JSON.stringify(typed.domain, null, 2) },
        { name: name(typed.primaryType), value: JSON.stringify(typed.message, null, 2) },
      ];
      return { title, action, facts: [...permitted, ...signed] };
    });
    return this.#sign(hash);
  }

  get #tokenParts(): TokenParts {
    const { session, locale } = this.parts;
    const read = (to: Hex, data: Hex) => callChain<Hex>(session, 'eth_call', [{ to, data }, 'latest']);
    return { locale, read };
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
    const { session } = this.parts;
    await this.#ask(async () => {
      const account = await session.call<{ deployed: boolean } | null>('/v1/holders/me/account');
      const each = await Promise.all(calls.map((call) => this.#factsOf(call)));
      const facts = each.flatMap((of, at) =>
        of.map(({ name, value }) => ({ name: several ? `${at + 1}. ${name}` : name, value })),
      );
      return {
        title: several ? texts.batch(calls.length) : texts.title,
        action: texts.action,
        facts,
        ...(account?.deployed
          ? {}
          : { hint: `${this.parts.texts().consent.asks(this.parts.partnerName)} ${texts.deploys}` }),
      };
    });
  }

  async #factsOf(call: Call): Promise<ConsentScreen['facts']> {
    const { transaction: texts } = this.parts.texts();
    const { to, value, data } = call;
    const { callFacts } = await loaded(import('./token-facts.js'));
    const known = await callFacts(this.#tokenParts, call);
    const coins = { name: texts.value, value: texts.coins(formatEther(value), String(value)) };
    if (known) return value === 0n ? known : [...known, coins];
    return [{ name: texts.to, value: to }, coins, ...(data === '0x' ? [] : [{ name: texts.data, value: data }])];
  }
}

/** Bytes as text; undefined if they are no valid UTF-8. */
function readable(bytes: Hex): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(hexToBytes(bytes));
  } catch {
    return undefined;
  }
}
