// A holder's keys, when they are first needed: creates and backs them up, or restores them from the backup. Every step
// can be repeated: after an interruption, the next call continues.
import { CoreServiceError } from '../../sdk/core/error.js';
import type { Present } from '../../sdk/core/screens.js';
import { Refusal } from '../gateway.js';
import type { Session, SessionCall } from '../session.js';
import type { Texts } from '../texts.js';
import type { CakPurpose } from '../../zk/holder.js';
import type { Backup } from './backup.js';
import type { RemoteVault } from './client.js';
import { hashMessage } from './ethereum.js';
import type { Envelope } from './encryption.js';
import type { KeysHere, Owner, WrappedKey } from './vault.js';

/** The response of GET /v1/holders/me/account. */
export interface Account {
  address: string;
  owner: string;
  chainId: number | null;
  deployed: boolean;
}

const BACKUP = '/v1/holders/me/key-backup';
const KEY = '/v1/holders/me/key';
const ACCOUNT = '/v1/holders/me/account';
/** The line of an account's challenge that names its holder. */
const DID_LINE = /^Holder: (did:\S+)$/m;

export interface HolderKeysParts {
  vault: RemoteVault;
  session: Session;
  partnerName: string;
  texts(): Texts;
}

type StoredBackup = Backup & { etag: string };

/** The keys of the user who is logged in. */
export class HolderKeys {
  constructor(private readonly parts: HolderKeysParts) {}

  get #holderId(): string {
    return this.parts.session.requireLogin().id;
  }

  /** The keys in this browser, if they and the account are registered; null if `ensure` must run first. */
  async ready(): Promise<KeysHere | null> {
    const here = await this.parts.vault.here(this.#holderId);
    return here?.isRegistered ? here : null;
  }

  /**
   * Returns registered keys; asks the user for the steps that are missing. @throws CoreServiceError USER_CANCELLED, and
   * refusals of the gateway.
   */
  async ensure(present: Present): Promise<KeysHere> {
    const ready = await this.ready();
    if (ready) return ready;
    const { vault } = this.parts;
    const holderId = this.#holderId;
    const stored = await this.#stored();
    let here = await vault.here(holderId);
    if (here === null && stored === undefined) await this.#make(present);
    const owner: Owner = { holderId, did: await this.#did() };
    if (here === null && stored !== undefined) await this.#restore(present, owner, stored);
    await this.#backUp(present, owner);
    await this.#registerKey(present, owner);
    here = await this.#here();
    await this.#registerAccount(present, here);
    await vault.setRegistered(holderId);
    return { ...here, isRegistered: true };
  }

  /** Calls the gateway. If it requires a second factor, proves that this browser has the recovery code. */
  async call<T>(path: string, call: SessionCall): Promise<T> {
    const { session, vault } = this.parts;
    try {
      return await session.call<T>(path, call);
    } catch (error) {
      if (!(error instanceof Refusal) || !error.needsProof) throw error;
      const recoveryProof = await vault.recoveryProof(this.#holderId);
      await session.call('/v1/holders/me/mfa', { method: 'POST', body: { recoveryProof } });
      return session.call<T>(path, call);
    }
  }

  /** Decrypts an envelope with the keys in this browser; null if none of them fits. */
  decrypt(envelope: Envelope): Promise<string | null> {
    return this.parts.vault.decrypt(this.#holderId, envelope);
  }

  /** Registers the CAK for an issuer and a schema. @returns its public key. */
  async registerCak({ issuerId, issuerDid, schemaId, curve }: CakPlace & { curve: Curve }): Promise<string> {
    const { vault } = this.parts;
    const holderDid = await this.#did();
    const publicKey = await vault.cak(this.#holderId, { curve, holderDid, issuerDid, schemaId });
    await this.call('/v1/holders/me/cak', { method: 'PUT', body: { issuerId, schemaId, curve, publicKey } });
    return publicKey;
  }

  /** The private key of the registered CAK for an issuer and a schema; undefined if none is registered. */
  async cakPrivateKey({ issuerId, issuerDid, schemaId }: CakPlace): Promise<string | undefined> {
    const registered = await this.#cak({ issuerId, schemaId });
    if (registered === undefined) return undefined;
    const purpose = { curve: registered.curve, holderDid: await this.#did(), issuerDid, schemaId };
    return this.parts.vault.cakPrivateKey(this.#holderId, purpose);
  }

  async #cak(place: { issuerId: string; schemaId: string }): Promise<{ curve: Curve; publicKey: string } | undefined> {
    try {
      return await this.parts.session.call(`/v1/holders/me/cak?${new URLSearchParams(place)}`);
    } catch (error) {
      if (error instanceof Refusal && error.status === 404) return undefined;
      throw error;
    }
  }

  async #here(): Promise<KeysHere> {
    const here = await this.parts.vault.here(this.#holderId);
    if (here) return here;
    throw new CoreServiceError('CLIENT_ERROR', 'The keys have left this browser meanwhile; try again.');
  }

  async #stored(): Promise<StoredBackup | undefined> {
    const { session } = this.parts;
    const { options, recovery } = await session.call<MfaOptions>('/v1/holders/me/mfa/options', { method: 'POST' });
    return options !== null || recovery ? session.call<StoredBackup>(BACKUP) : undefined;
  }

  /** The holder's DID, which a challenge for any address contains. */
  async #did(): Promise<string> {
    const body = { address: `0x${'0'.repeat(40)}` };
    const { message } = await this.parts.session.call<Challenge>(`${ACCOUNT}/challenge`, { method: 'POST', body });
    const did = DID_LINE.exec(message)?.[1];
    if (did === undefined) throw falseAnswer();
    return did;
  }

  /** Creates keys, and shows their recovery code before anything is stored. */
  async #make(present: Present): Promise<void> {
    const { vault } = this.parts;
    const { recoveryCode } = await vault.make();
    await present<'recovery-code'>({ kind: 'recovery-code', code: recoveryCode });
    await vault.keep(this.#holderId);
  }

  async #restore(present: Present, owner: Owner, backup: Backup): Promise<void> {
    const { vault, texts } = this.parts;
    let fault: string | undefined;
    for (;;) {
      const { code } = await present<'recover'>({ kind: 'recover', ...(fault === undefined ? {} : { fault }) });
      if (await vault.restore(owner, backup, code)) return;
      fault = texts().recover.wrong;
    }
  }

  /** Writes the backup. If the gateway has a backup of other keys, these are restored instead. */
  async #backUp(present: Present, owner: Owner): Promise<void> {
    const { vault } = this.parts;
    for (;;) {
      const stored = await this.#stored();
      const adopted = stored && (await vault.adopt(owner, stored));
      if (adopted === 'whole') return;
      if (stored && adopted === 'other') await this.#restore(present, owner, stored);
      const { backup } = await vault.backup(owner);
      const headers: Record<string, string> = stored ? { 'if-match': `"${stored.etag}"` } : { 'if-none-match': '*' };
      try {
        return await this.call<void>(BACKUP, { method: 'PUT', body: backup, headers });
      } catch (error) {
        // Another tab has written a backup meanwhile, which is then read.
        if (!(error instanceof Refusal) || error.status !== 412) throw error;
      }
    }
  }

  /** Makes sure that credentials are encrypted to a key that is in this browser and in the backup. */
  async #registerKey(present: Present, owner: Owner): Promise<void> {
    const { vault, session } = this.parts;
    const { holderId, did } = owner;
    const document = await session.call<DidDocument>(`/v1/dids/${encodeURIComponent(did)}`);
    const current = document.keyAgreement?.[0]?.publicKeyMultibase;
    if (current !== undefined && (await vault.hasHolderKey(holderId, current))) return;
    const { devicePublicKey } = await vault.backup(owner);
    const handOver = await this.#handOver(devicePublicKey);
    if (handOver === 'elsewhere') return this.#rotate(present, owner);
    if (handOver.did !== did) throw falseAnswer();
    if (handOver.wrappedKey === null) return;
    await vault.takeOver(holderId, handOver.wrappedKey);
    await this.#backUp(present, owner);
  }

  async #handOver(devicePublicKey: string): Promise<HandOver | 'elsewhere'> {
    const call = { method: 'POST', body: { devicePublicKey } } as const;
    return this.parts.session.call<HandOver>(KEY, call).catch((error: unknown) => {
      if (error instanceof Refusal && error.status === 410) return 'elsewhere';
      throw error;
    });
  }

  /** The holder's key is on another device and has no backup: a new one is registered, after a separate click. */
  async #rotate(present: Present, owner: Owner): Promise<void> {
    const { vault, partnerName, texts } = this.parts;
    await present<'consent'>({ kind: 'consent', partnerName, ...texts().rotate, facts: [] });
    await vault.addHolderKey(owner.holderId);
    await this.#backUp(present, owner);
    const { devicePublicKey } = await vault.backup(owner);
    await this.call(`${KEY}/rotate`, { method: 'POST', body: { devicePublicKey } });
  }

  /**
   * Registers the account of the key in this browser. If another account is registered, it is replaced after a separate
   * click.
   */
  async #registerAccount(present: Present, { owner }: KeysHere): Promise<void> {
    const { session, vault, partnerName, texts } = this.parts;
    const account = await session.call<Account | null>(ACCOUNT);
    if (account?.owner.toLowerCase() === owner) return session.setAccount(account.address);
    if (account) {
      const facts = [{ name: texts().account, value: account.address }];
      await present<'consent'>({ kind: 'consent', partnerName, ...texts().replace, facts });
    }
    const challenge = await session.call<Challenge>(`${ACCOUNT}/challenge`, {
      method: 'POST',
      body: { address: owner },
    });
    const { challengeId, message } = challenge;
    if (!message.toLowerCase().includes(owner)) throw falseAnswer();
    const signature = await vault.sign(this.#holderId, hashMessage(message));
    const { abstractAccountAddress } = await this.call<{ abstractAccountAddress: string }>(ACCOUNT, {
      method: 'PUT',
      body: { challengeId, signature },
    });
    session.setAccount(abstractAccountAddress);
  }
}

type Curve = CakPurpose['curve'];

/** The issuer and schema of a CAK. */
export interface CakPlace {
  issuerId: string;
  issuerDid: string;
  schemaId: string;
}

/** The second factors that open a backup; null if there is no backup. */
interface MfaOptions {
  options: object | null;
  recovery: boolean;
}

interface Challenge {
  challengeId: string;
  message: string;
}

interface HandOver {
  did: string;
  wrappedKey: WrappedKey | null;
}

interface DidDocument {
  keyAgreement?: { publicKeyMultibase: string }[];
}

/** The error if responses of the gateway contradict each other. */
export const falseAnswer = (): CoreServiceError =>
  new CoreServiceError('INTERNAL_SERVER_ERROR', 'The gateway gave an answer that cannot be right; nothing was done.');
