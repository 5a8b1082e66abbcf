// The account of a holder: registered once its key or contract has signed a challenge, which is bound to the holder and
// the account and expires soon (contract §21).
import { randomBytes } from 'node:crypto';
import type { Connection } from 'mongoose';
import { type HolderCaller, limitedBySession } from '../base/callers/caller.js';
import { badInput, DomainError } from '../base/errors.js';
import type { Hex } from '../chain/chain.service.js';
import type { ContractSignatures } from '../chain/signatures.service.js';
import { checksummed, signerOf } from '../keys/ethereum.js';
import type { AppendEvents } from '../store/event-port.js';
import type { RateLimit, RateLimits } from '../store/rate-limits.js';
import type { HolderAccount, HolderAccounts } from './holder-accounts.service.js';
import type { Holders } from './holders.service.js';
import type { HolderModels, WalletChallengeRow } from './models.js';
import type { Notices } from './notices.js';
import type { SecondFactor } from './second-factor.service.js';
import { sessionEvent } from './session-events.js';
import { isMFASetup } from './types.js';
import type { WalletChallenge, WalletInitialized } from './wallet-types.js';

export interface WalletsOptions {
  connection: Connection;
  models: HolderModels;
  holders: Holders;
  accounts: HolderAccounts;
  secondFactor: SecondFactor;
  signatures: ContractSignatures;
  limits: RateLimits;
  notices: Notices;
  appendEvents: AppendEvents;
  clock(): number;
}

const CHALLENGE_MS = 10 * 60_000;
const BY_SESSION: RateLimit = { name: 'wallet challenges by session', max: 30, seconds: 600 };

/** Registers holders' accounts by signed challenges. */
export class Wallets {
  constructor(private readonly options: WalletsOptions) {}

  /** Creates a challenge. @throws DomainError BAD_USER_INPUT (`address`), RATE_LIMITED. */
  async challenge(caller: HolderCaller, text: string): Promise<WalletChallenge> {
    const { models, holders, limits, clock } = this.options;
    const address = checksummed(text);
    if (address === undefined)
      throw badInput('"address" must be 0x and 40 hex digits, with a right checksum if they have one.', 'address');
    await limits.count([BY_SESSION, limitedBySession(caller)]);
    const { did } = await holders.own(caller);
    const challengeId = randomBytes(16).toString('hex');
    const expiresAt = new Date(clock() + CHALLENGE_MS);
    const message = messageOf({ address, did, challengeId, expiresAt });
    const row: WalletChallengeRow = { _id: challengeId, holderId: caller.holderId, address, message, expiresAt };
    await models.challenges.create([row]);
    return { challengeId, message, expiresAt };
  }

  /**
   * Registers the account of a challenge, replacing an earlier one. A challenge allows one try.
   * @throws DomainError NOT_FOUND (unknown, used, expired, another holder's), BAD_USER_INPUT (`signature`), CONFLICT (another holder's account),
   *   CHAIN_UNAVAILABLE (a contract's signature cannot be checked now), MFA_REQUIRED.
   */
  async initialize(caller: HolderCaller, challengeId: string, signature: string): Promise<WalletInitialized> {
    const { connection, holders, accounts, secondFactor, notices, appendEvents } = this.options;
    notices.requireRoom();
    await secondFactor.require(caller, 'initializeWallet');
    const challenge = await this.#spend(caller, challengeId);
    const account = await this.#signedBy(challenge, signature);
    const holder = await holders.own(caller);
    const result = { abstractAccountAddress: account.address, isMFASetup: isMFASetup(holder) };
    await connection.transaction(async (session) => {
      await accounts.give(caller.holderId, account, session);
      await appendEvents([sessionEvent('wallet_initialized', caller, result)], session);
    });
    if (holder.accountOwner !== account.owner) await notices.send('account', holder, caller.partnerId);
    return result;
  }

  /** The account of the key that signed, or the contract that accepts the signature. */
  async #signedBy(
    { address, message }: WalletChallengeRow,
    signature: string,
  ): Promise<HolderAccount & { waits: boolean }> {
    const { accounts, signatures } = this.options;
    if (signerOf(message, signature) === address) return accounts.accountOf(address, undefined);
    const owner = await signatures.verifiedOwner(address as Hex, message, signature);
    if (owner !== undefined) return accounts.accountOf(owner, address);
    throw badInput(
      `"signature" is not a signature of the challenge's message by ${address}; request a new challenge.`,
      'signature',
    );
  }

  /** Uses up the challenge, also if the signature is wrong. */
  async #spend({ holderId }: HolderCaller, challengeId: string): Promise<WalletChallengeRow> {
    const good = { _id: challengeId, holderId, expiresAt: { $gt: new Date(this.options.clock()) } };
    const row = await this.options.models.challenges.findOneAndDelete(good).lean<WalletChallengeRow>();
    if (row !== null) return row;
    const sentence = 'No challenge of yours has this challengeId, or it was used or has expired; ask for a new one.';
    throw new DomainError('NOT_FOUND', sentence, { field: 'challengeId' });
  }
}

/** The message that the wallet shows before signing. */
function messageOf(of: { address: string; did: string; challengeId: string; expiresAt: Date }): string {
  return [
    'Register this account with the credential network:',
    of.address,
    '',
    `Holder: ${of.did}`,
    `Nonce: ${of.challengeId}`,
    `Expires: ${of.expiresAt.toISOString()}`,
  ].join('\n');
}
