// A holder's keys, when they are first needed: creates and backs them up, or restores them from the backup. Every step
// can be repeated: after an interruption, the next call continues.
import { CoreServiceError } from '../../sdk/core/error.js';
import type { Present } from '../../sdk/core/screens.js';
import type { CakPurpose } from '../../zk/holder.js';
import { Refusal } from '../gateway.js';
import { loaded } from '../loaded.js';
import type { Call, Ways } from '../passkeys/ways.js';
import type { Session, SessionCall } from '../session.js';
import type { Texts } from '../texts.js';
import type { RemoteVault } from './client.js';
import type { Envelope } from './encryption.js';
import { hashMessage } from './ethereum.js';
import type { KeysHere, Owner, WrappedKey } from './vault.js';

/** The response of GET /v1/holders/me/account. */
export interface Account {
  address: string;
  owner: string;
  chainId: number | null;
  deployed: boolean;
}

const KEY = '/v1/holders/me/key';
const ACCOUNT = '/v1/holders/me/account';
/** The line of an account's challenge that names its holder. */
const DID_LINE = /^Holder: (did:\S+)$/m;

export interface HolderKeysParts {
  vault: RemoteVault;
  session: Session;
  partnerName: string;
  /** The host that passkeys are for; null: there can be none, or not here. */
  rpId: string | null;
  texts(): Texts;
  /** Logs the user in by a mailed code: a session that a link opened registers nothing. */
  logIn(present: Present): Promise<void>;
}

/** The keys of the user who is logged in. */
export class HolderKeys {
  constructor(private readonly parts: HolderKeysParts) {}

  /** The ways into the backup, loaded when they are first needed. */
  async ways(): Promise<Ways> {
    const { Ways } = await loaded(import('../passkeys/ways.js'));
    const call: Call = (...args) => this.call(...args);
    return new Ways({ ...this.parts, call });
  }

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
    const { vault, session, logIn } = this.parts;
    const holderId = this.#holderId;
    const ways = await this.ways();
    const stored = await ways.backup();
    let here = await vault.here(holderId);
    if (here === null && stored === undefined) {
      // Before the backup, which proves the session that writes it.
      if (await session.isLinked()) await logIn(present);
      await ways.make(present, holderId);
    }
    const owner: Owner = { holderId, did: await this.did() };
    if (here === null && stored !== undefined) await ways.restore(present, owner, stored);
    await ways.backUp(present, owner, async () => stored);
    await this.#registerKey(present, owner);
    here = await this.#here();
    await this.#registerAccount(present, here);
    await vault.setRegistered(holderId);
    return { ...here, isRegistered: true };
  }

  /** Calls the gateway. If it requires a second factor, proves one. */
  async call<T>(present: Present, path: string, call: SessionCall): Promise<T> {
    const { session } = this.parts;
    try {
      return await session.call<T>(path, call);
    } catch (error) {
      if (!(error instanceof Refusal) || !error.needsProof) throw error;
      await this.#prove(present);
      return session.call<T>(path, call);
    }
  }

  /** By the second factor. Without one, a link opened the session, and the user logs in by a mailed code. */
  async #prove(present: Present): Promise<void> {
    const ways = await this.ways();
    if (await ways.isSetUp()) await ways.prove(present, this.#holderId);
    else await this.parts.logIn(present);
  }

  /** Decrypts an envelope with the keys in this browser; null if none of them fits. */
  decrypt(envelope: Envelope): Promise<string | null> {
    return this.parts.vault.decrypt(this.#holderId, envelope);
  }

  /** Registers the CAK for an issuer and a schema. @returns its public key. */
  async registerCak(
    present: Present,
    { issuerId, issuerDid, schemaId, curve }: CakPlace & { curve: Curve },
  ): Promise<string> {
    const { vault } = this.parts;
    const holderDid = await this.did();
    const publicKey = await vault.cak(this.#holderId, { curve, holderDid, issuerDid, schemaId });
    await this.call(present, '/v1/holders/me/cak', { method: 'PUT', body: { issuerId, schemaId, curve, publicKey } });
    return publicKey;
  }

  /** The private key of the registered CAK for an issuer and a schema; undefined if none is registered. */
  async cakPrivateKey({ issuerId, issuerDid, schemaId }: CakPlace): Promise<string | undefined> {
    const registered = await this.#cak({ issuerId, schemaId });
    if (registered === undefined) return undefined;
    const purpose = { curve: registered.curve, holderDid: await this.did(), issuerDid, schemaId };
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
    throw new CoreServiceError('CLIENT_ERROR', 'The keys have left this browser; try again.');
  }

  /** The holder's DID, which a challenge for any address contains. */
  async did(): Promise<string> {
    const body = { address: `0x${'0'.repeat(40)}` };
    const { message } = await this.parts.session.call<Challenge>(`${ACCOUNT}/challenge`, { method: 'POST', body });
    const did = DID_LINE.exec(message)?.[1];
    if (did === undefined) throw falseAnswer();
    return did;
  }

  /** Makes sure that credentials are encrypted to a key that is in this browser and in the backup. */
  async #registerKey(present: Present, owner: Owner): Promise<void> {
    const { vault, session } = this.parts;
    const { holderId, did } = owner;
    const document = await session.call<DidDocument>(`/v1/dids/${encodeURIComponent(did)}`);
    const current = document.keyAgreement?.[0]?.publicKeyMultibase;
    if (current !== undefined && (await vault.hasHolderKey(holderId, current))) return;
    const { devicePublicKey } = await vault.backup(owner);
    const handOver = await this.#handOver(present, devicePublicKey);
    if (handOver === 'elsewhere') return this.#rotate(present, owner);
    if (handOver.did !== did) throw falseAnswer();
    if (handOver.wrappedKey === null) return;
    await vault.takeOver(holderId, handOver.wrappedKey);
    await (await this.ways()).backUp(present, owner);
  }

  #handOver(present: Present, devicePublicKey: string): Promise<HandOver | 'elsewhere'> {
    const call = { method: 'POST', body: { devicePublicKey } } as const;
    return this.call<HandOver>(present, KEY, call).catch((error: unknown) => {
      if (error instanceof Refusal && error.status === 410) return 'elsewhere';
      throw error;
    });
  }

  /** The holder's key is on another device and has no backup: a new one is registered, after a separate click. */
  async #rotate(present: Present, owner: Owner): Promise<void> {
    const { vault, partnerName, texts } = this.parts;
    await present<'consent'>({ kind: 'consent', partnerName, ...texts().rotate, facts: [] });
    await vault.addHolderKey(owner.holderId);
    await (await this.ways()).backUp(present, owner);
    const { devicePublicKey } = await vault.backup(owner);
    await this.call(present, `${KEY}/rotate`, { method: 'POST', body: { devicePublicKey } });
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
    const { abstractAccountAddress } = await this.call<{ abstractAccountAddress: string }>(present, ACCOUNT, {
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
  new CoreServiceError('INTERNAL_SERVER_ERROR', 'The gateway contradicts itself; nothing was done.');
