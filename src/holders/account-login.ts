// Login by account (contract §21): the account's key or contract signs a message that is bound to this login, gateway and chain (ERC-4361).
import { randomUUID } from 'node:crypto';
import type { ClientSession } from 'mongoose';
import { networkOf } from '../base/callers/client-address.js';
import { badInput } from '../base/errors.js';
import type { Chain, Hex } from '../chain/chain.service.js';
import type { ContractSignatures } from '../chain/signatures.service.js';
import { signerOf } from '../keys/ethereum.js';
import type { RateLimit, RateLimits } from '../store/rate-limits.js';
import type { HolderAccounts } from './holder-accounts.service.js';
import type { Holders } from './holders.service.js';
import type { AccountLoginRow, AccountRow, HolderModels } from './models.js';
import { LOGIN_MS, type LoginProof, PendingLogins, triesLeft } from './pending-logins.js';
import type { SessionOpener } from './session-opening.js';
import type { LoginResult } from './session-types.js';

/** A login by account: the account, and the partner through which it logs in. */
export interface AccountLoginRequest {
  /** The account or its owner's key, with checksum. */
  account: string;
  partnerId: string;
  /** Whether the partner vouches for it with its token. */
  vouched: boolean;
}

export interface AccountLoginParts {
  models: HolderModels;
  holders: Holders;
  accounts: HolderAccounts;
  signatures: ContractSignatures;
  chain: Chain;
  opener: SessionOpener;
  limits: RateLimits;
  /** The address that clients use. */
  publicUrl: string;
  clock(): number;
}

const TEN_MINUTES = 600;
const BY_ADDRESS: RateLimit = { name: 'account login by address', max: 300, seconds: TEN_MINUTES };
const BY_ASKER_AND_ACCOUNT: RateLimit = { name: 'account login by asker and account', max: 5, seconds: TEN_MINUTES };
const BY_PARTNER: RateLimit = { name: 'account login by partner', max: 3_000, seconds: TEN_MINUTES };
const STRANGERS_BY_PARTNER: RateLimit = {
  name: 'account login of strangers by partner',
  max: 3_000,
  seconds: TEN_MINUTES,
};
const TRIES_BY_ADDRESS: RateLimit = { name: 'login signatures by address', max: 600, seconds: TEN_MINUTES };

/** Logs holders in with a signature of their account. */
export class AccountLogins {
  readonly #pending: PendingLogins<AccountLoginRow>;

  constructor(private readonly parts: AccountLoginParts) {
    this.#pending = new PendingLogins(parts.models.accountLogins, parts.clock);
  }

  /**
   * Creates the message to sign, also for an account without a holder; `address` is the client's IP address.
   * @throws DomainError RATE_LIMITED.
   */
  async begin(request: AccountLoginRequest, address: string): Promise<{ loginId: string; message: string }> {
    const { models, limits, clock } = this.parts;
    const { account, partnerId, vouched } = request;
    await limits.count(...countedFor(request, networkOf(address)));
    const loginId = randomUUID();
    const now = clock();
    const expiresAt = new Date(now + LOGIN_MS);
    const message = this.#message({ account, loginId, now, expiresAt });
    const proof = { ...(vouched ? { vouched } : {}), tries: 0, used: false };
    const row: AccountLoginRow = { _id: loginId, address: account, message, partnerId, ...proof, expiresAt };
    await models.accountLogins.create([row]);
    return { loginId, message };
  }

  /**
   * Opens a session for a valid signature, which can be used once; for a minute, a repeat with the same `repeatKey` gets
   * another token of the session.
   * @throws DomainError NOT_FOUND (loginId), GONE (expired, used, five wrong signatures), BAD_USER_INPUT (signature), RATE_LIMITED,
   *   CHAIN_UNAVAILABLE (a contract's signature cannot be checked now).
   */
  async verify(proof: LoginProof & { signature: string }, address: string): Promise<LoginResult> {
    const { loginId, repeatKey, signature } = proof;
    const { accounts, holders, limits, opener } = this.parts;
    await limits.count([TRIES_BY_ADDRESS, networkOf(address)]);
    const login = await this.#pending.spendTry(loginId, repeatKey);
    const account = await accounts.holderOf(login.address);
    const isRight = await this.#isSigned(login, account, signature);
    const holder = isRight && account ? await holders.byId(account.holderId) : undefined;
    if (holder === undefined) throw badInput(`The signature is wrong; ${triesLeft(login)}.`, 'signature');
    const { partnerId, vouched = false } = login;
    const partnerUserId = await holders.partnerUserIdOf(holder._id, partnerId);
    const spend = (sessionId: string, session: ClientSession) => this.#pending.useFor(proof, sessionId, session);
    return opener.open({ holder, partnerId, partnerUserId, vouched, spend });
  }

  /** Whether the account's key or contract signed. Also checks accounts without a holder, so that the response time reveals nothing. */
  async #isSigned(
    { address, message }: AccountLoginRow,
    account: AccountRow | undefined,
    signature: string,
  ): Promise<boolean> {
    const signer = signerOf(message, signature);
    if (signer !== undefined && (signer === address || signer === account?._id)) return true;
    return (await this.parts.signatures.verifiedOwner(address as Hex, message, signature)) !== undefined;
  }

  /** ERC-4361. */
  #message(of: { account: string; loginId: string; now: number; expiresAt: Date }): string {
    const { publicUrl, chain } = this.parts;
    return [
      `${new URL(publicUrl).host} wants you to sign in with your Ethereum account:`,
      of.account,
      '',
      'Log in to the credential network.',
      '',
      `URI: ${publicUrl}`,
      'Version: 1',
      `Chain ID: ${chain.chainId}`,
      `Nonce: ${of.loginId.replaceAll('-', '')}`,
      `Issued At: ${new Date(of.now).toISOString()}`,
      `Expiration Time: ${of.expiresAt.toISOString()}`,
      `Request ID: ${of.loginId}`,
    ].join('\n');
  }
}

/** The limits that apply to a login. No mail is sent, so logins of strangers do not count against an account. */
function countedFor({ account, partnerId, vouched }: AccountLoginRequest, network: string): [RateLimit, string][] {
  if (vouched)
    return [
      [BY_ASKER_AND_ACCOUNT, `partner ${partnerId} ${account}`],
      [BY_PARTNER, partnerId],
    ];
  return [
    [BY_ADDRESS, network],
    [BY_ASKER_AND_ACCOUNT, `address ${network} ${account}`],
    [STRANGERS_BY_PARTNER, partnerId],
  ];
}
