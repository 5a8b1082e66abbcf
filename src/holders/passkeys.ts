// Passkeys of holders (docs/sdk.md): made, listed and removed.
import type { ClientSession } from 'mongoose';
import type { HolderCaller } from '../base/callers/caller.js';
import { DomainError } from '../base/errors.js';
import type { Holders } from './holders.service.js';
import type { KeyBackups } from './key-backups.js';
import type { PasskeyRow } from './key-models.js';
import type { HolderModels, HolderRow } from './models.js';
import type { Notices } from './notices.js';
import type { PasskeyChallenges } from './passkey-challenges.js';
import type { AddPasskey, Passkey } from './passkey-types.js';
import type { FactorChange, SecondFactor } from './second-factor.service.js';
import { checkCreation, creationOptions } from './webauthn.js';

/** How many a holder may have. */
const MAX_PASSKEYS = 10;

export interface PasskeysParts {
  models: HolderModels;
  holders: Holders;
  challenges: PasskeyChallenges;
  secondFactor: SecondFactor;
  keyBackups: KeyBackups;
  notices: Notices;
  clock(): number;
}

/** The passkeys of holders. */
export class Passkeys {
  constructor(private readonly parts: PasskeysParts) {}

  /** The caller's passkeys, oldest first. */
  async list({ holderId }: HolderCaller): Promise<Passkey[]> {
    return (await this.#rows(holderId)).map(passkeyOf);
  }

  /** Options for a new passkey. @throws DomainError MFA_REQUIRED, CONFLICT (ten are there, or none can be), RATE_LIMITED, NOT_FOUND. */
  async options(caller: HolderCaller): Promise<Record<string, unknown>> {
    const { holders, challenges, secondFactor } = this.parts;
    const { rpId } = challenges.requireRelyingParty();
    await secondFactor.require(caller, 'addPasskey');
    const [row, present] = await Promise.all([holders.own(caller), this.#rows(caller.holderId)]);
    if (present.length >= MAX_PASSKEYS) throw full();
    const holder = { id: caller.holderId, email: holders.emailOf(row) };
    const challenge = await challenges.give(caller, 'create');
    return { ...(await creationOptions({ rpId, holder, challenge, present })) };
  }

  /**
   * Adds a passkey; a holder's first second factor also proves it.
   * @throws DomainError BAD_USER_INPUT (`response`), MFA_REQUIRED, CONFLICT (ten are there, or this one is).
   */
  async add(caller: HolderCaller, { response, name }: AddPasskey): Promise<Passkey> {
    const { models, challenges, secondFactor, notices, clock } = this.parts;
    const { holderId } = caller;
    notices.requireRoom();
    // Before the challenge is used up: after a proof, the same response is sent again.
    await secondFactor.require(caller, 'addPasskey');
    const expected = await challenges.spend(caller, 'create', response);
    const made = await checkCreation(response, expected);
    const { transports = [] } = response.response;
    const row = { ...made, holderId, name, transports, rpId: expected.rpId, createdAt: new Date(clock()) };
    const added = await secondFactor.change(caller, 'addPasskey', async ({ session, holder, requireProof }) => {
      await requireProof();
      if ((holder.passkeyCount ?? 0) >= MAX_PASSKEYS) throw full();
      const { _id, ...rest } = row;
      const insert = { $setOnInsert: rest };
      const { upsertedCount } = await models.passkeys.updateOne({ _id }, insert, { session, upsert: true });
      if (upsertedCount === 0) throw new DomainError('CONFLICT', 'This passkey is registered already.');
      await this.#count(holderId, 1, session);
      return holder;
    });
    await notices.send('passkey', added, caller.partnerId);
    return passkeyOf(row);
  }

  /** Removes a passkey, and its way into the key backup. @throws DomainError NOT_FOUND, MFA_REQUIRED, CONFLICT for the last way in. */
  async remove(caller: HolderCaller, passkeyId: string): Promise<void> {
    const { secondFactor, notices } = this.parts;
    notices.requireRoom();
    const removed = await secondFactor.change(caller, 'removePasskey', (change) =>
      this.#remove(caller, passkeyId, change),
    );
    await notices.send('passkey removed', removed, caller.partnerId);
  }

  async #remove(
    { holderId }: HolderCaller,
    passkeyId: string,
    { session, holder, requireProof, endOtherProofs }: FactorChange,
  ): Promise<HolderRow> {
    const { models, keyBackups } = this.parts;
    const rows = await this.#rows(holderId, session);
    if (!rows.some(({ _id }) => _id === passkeyId))
      throw new DomainError('NOT_FOUND', 'No passkey of yours has this id.');
    await requireProof();
    const others = rows.map(({ _id }) => _id).filter((_id) => _id !== passkeyId);
    await keyBackups.removeWay({ holderId, passkeyId, others }, session);
    await models.passkeys.deleteOne({ _id: passkeyId }, { session });
    await endOtherProofs();
    await this.#count(holderId, -1, session);
    return holder;
  }

  #rows(holderId: string, session: ClientSession | null = null): Promise<PasskeyRow[]> {
    return this.parts.models.passkeys
      .find({ holderId })
      .session(session)
      .sort({ createdAt: 1, _id: 1 })
      .lean<PasskeyRow[]>()
      .exec();
  }

  async #count(holderId: string, change: number, session: ClientSession): Promise<void> {
    await this.parts.models.holders.updateOne({ _id: holderId }, { $inc: { passkeyCount: change } }, { session });
  }
}

const passkeyOf = ({ _id: id, name, createdAt, lastUsedAt }: PasskeyRow): Passkey => ({
  ...{ id, name, createdAt },
  lastUsedAt: lastUsedAt ?? null,
});

const full = (): DomainError =>
  new DomainError('CONFLICT', `A holder has at most ${MAX_PASSKEYS} passkeys; remove one first.`);
