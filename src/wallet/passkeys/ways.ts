// The ways into a holder's backup, as the user makes and uses them: passkeys and the recovery code. A passkey also proves the second factor.
import { CoreServiceError } from '../../sdk/core/error.js';
import type { Present } from '../../sdk/core/screens.js';
import { isLost, Refusal } from '../gateway.js';
import type { Backup } from '../keys/backup.js';
import type { RemoteVault } from '../keys/client.js';
import type { Owner, TypedWay } from '../keys/vault.js';
import type { Session, SessionCall } from '../session.js';
import { passingFault, type Texts } from '../texts.js';
import {
  failed,
  faulty,
  type MfaOptions,
  named,
  opening,
  type Passkey,
  type StoredBackup,
  type Touched,
} from './parts.js';

const BACKUP = '/v1/holders/me/key-backup';
const MFA = '/v1/holders/me/mfa';
const PASSKEYS = '/v1/holders/me/passkeys';

/** Calls the gateway, with a proof of a second factor where it requires one. */
export type Call = <T>(present: Present, path: string, call: SessionCall) => Promise<T>;

export interface WaysParts {
  vault: RemoteVault;
  session: Session;
  rpId: string | null;
  texts(): Texts;
  call: Call;
}

export class Ways {
  constructor(private readonly parts: WaysParts) {}

  async passkeys(): Promise<Passkey[]> {
    return (await this.parts.session.call<{ items: Passkey[] }>(PASSKEYS)).items;
  }

  /** The backup; undefined if there is none. */
  async backup(): Promise<StoredBackup | undefined> {
    return (await this.isSetUp()) ? this.#backup() : undefined;
  }

  /** Whether the user has a second factor. */
  async isSetUp(): Promise<boolean> {
    const { options, recovery } = await this.#options();
    return options !== null || recovery;
  }

  /** A passkey may be there without a backup: the writing of one was interrupted. */
  async #backup(): Promise<StoredBackup | undefined> {
    return this.parts.session.call<StoredBackup>(BACKUP).catch((error: unknown) => {
      if (error instanceof Refusal && error.status === 404) return undefined;
      throw error;
    });
  }

  #options(): Promise<MfaOptions> {
    return this.parts.session.call<MfaOptions>(`${MFA}/options`, { method: 'POST' });
  }

  /** Creates keys with a way into their backup, which is made before anything is stored: a passkey with PRF, else a recovery code. */
  async make(present: Present, holderId: string): Promise<void> {
    const { vault } = this.parts;
    await vault.begin(null);
    const touched = this.#canTouch() ? await this.#first(present) : undefined;
    if (touched?.wrapKey === undefined) await this.#showCode(present, await vault.addWay());
    else await vault.addWay(opening(touched));
    await vault.keep(holderId);
  }

  async #first(present: Present): Promise<Touched | undefined> {
    const { options } = await this.#options();
    return options === null ? this.#create(present, true) : this.#touch(present, { orCode: false });
  }

  #canTouch(): boolean {
    return this.parts.rpId !== null;
  }

  async #showCode(present: Present, code: string, fault?: string): Promise<void> {
    await present<'recovery-code'>({ kind: 'recovery-code', code, ...faulty(fault) });
  }

  /** Makes a new recovery code. Until it is stored, its screen stays: a code that opens nothing would pass for a good one. */
  async #newCode(present: Present, owner: Owner): Promise<void> {
    const { vault, texts } = this.parts;
    await vault.begin(owner.holderId);
    const code = await vault.addWay();
    let fault: string | undefined;
    for (;;) {
      await this.#showCode(present, code, fault);
      try {
        return await this.#addWay(present, owner, { code });
      } catch (error) {
        const passing = error instanceof CoreServiceError ? passingFault(texts(), error) : undefined;
        if (passing === undefined) throw error;
        fault = `${texts().recoveryCode.unsaved} ${passing}`;
      }
    }
  }

  /** Adds a passkey. @returns undefined if the user takes the recovery code instead. */
  async #create(present: Present, orCode: boolean): Promise<Touched | undefined> {
    const { session, call, texts } = this.parts;
    if (!this.#canTouch()) throw failed('PASSKEY_REGISTRATION_FAILED', texts().passkey.none);
    const options = await call<Record<string, unknown>>(present, `${PASSKEYS}/options`, { method: 'POST' });
    const answer = await present<'passkey'>({ kind: 'passkey', purpose: 'create', options, orCode });
    if ('code' in answer) return undefined;
    if ('failed' in answer) throw failed('PASSKEY_REGISTRATION_FAILED', answer.failed);
    const { response, wrapKey } = answer;
    const body = { response, ...named() };
    await call(present, PASSKEYS, { method: 'POST', body }).catch(async (error: unknown) => {
      if (isLost(error) && (await this.passkeys()).some(({ id }) => id === response.id)) return;
      if (error instanceof Refusal && error.status === 400) throw failed('PASSKEY_REGISTRATION_FAILED', error.message);
      throw error;
    });
    session.setMfa(true);
    return { id: response.id, wrapKey };
  }

  /** Has a passkey touched, which proves the second factor. @returns undefined if the user takes the recovery code instead, or has none. */
  async #touch(
    present: Present,
    { orCode, only }: { orCode?: boolean; only?: string[] },
  ): Promise<Touched | undefined> {
    const { session, texts } = this.parts;
    let fault: string | undefined;
    for (;;) {
      const { options, recovery } = await this.#options();
      if (options === null) return undefined;
      const allowCredentials = options.allowCredentials?.filter(({ id }) => only?.includes(id) ?? true);
      // An empty list would mean any passkey of this gateway.
      if (!allowCredentials?.length) return undefined;
      const asked = { options: { ...options, allowCredentials }, orCode: orCode ?? recovery };
      const answer = await present<'passkey'>({ kind: 'passkey', purpose: 'get', ...asked, ...faulty(fault) });
      if ('code' in answer) return undefined;
      if ('failed' in answer) throw failed('PASSKEY_AUTHENTICATION_FAILED', answer.failed);
      const { response, wrapKey } = answer;
      try {
        await session.call(MFA, { method: 'POST', body: { response } });
        return { id: response.id, wrapKey };
      } catch (error) {
        if (!(error instanceof Refusal) || error.status !== 400) throw error;
        fault = texts().passkey.refused;
      }
    }
  }

  /** Restores keys from the backup: by one touch of a passkey that opens it, which also proves, or by the recovery code. */
  async restore(present: Present, owner: Owner, backup: Backup): Promise<void> {
    const { vault, texts } = this.parts;
    const only = backup.wraps.flatMap(({ kind, id }) => (kind === 'passkey' && id !== undefined ? [id] : []));
    let fault: string | undefined;
    if (only.length > 0 && this.#canTouch()) {
      const touched = await this.#touch(present, { only });
      if (touched?.wrapKey !== undefined && (await vault.restore(owner, backup, opening(touched)))) return;
      if (touched) fault = texts().passkey.closed;
    }
    if (!backup.wraps.some(({ kind }) => kind === 'recovery'))
      throw failed('PASSKEY_AUTHENTICATION_FAILED', fault ?? texts().passkey.none);
    for (;;) {
      const { code } = await present<'recover'>({ kind: 'recover', ...faulty(fault) });
      if (await vault.restore(owner, backup, { code })) return;
      fault = texts().recover.wrong;
    }
  }

  /**
   * Writes the backup. If the gateway has a backup of other keys, these are restored instead.
   * @param read reads the stored backup, at first
   */
  async backUp(present: Present, owner: Owner, read = async () => this.backup()): Promise<void> {
    const { vault } = this.parts;
    let reading = read;
    await this.#write(present, async () => {
      const stored = await reading();
      reading = () => this.backup();
      const adopted = stored && (await vault.adopt(owner, stored));
      if (adopted === 'whole') return undefined;
      if (stored && adopted === 'other') await this.restore(present, owner, stored);
      return { stored, owner };
    });
  }

  /** Adds a way into the backup that is stored. */
  async #addWay(present: Present, owner: Owner, way: TypedWay): Promise<void> {
    const { vault } = this.parts;
    await this.#write(present, async () => {
      const stored = await this.backup();
      if (stored) await vault.adopt(owner, stored);
      await vault.begin(owner.holderId);
      await vault.addWay(way);
      await vault.keep(owner.holderId);
      return { stored, owner, isRepeatable: true };
    });
  }

  /** Writes the backup of the keys here in place of a stored one; again if another tab, or a request whose response was lost, has written one meanwhile. */
  async #write(
    present: Present,
    prepare: () => Promise<{ stored: StoredBackup | undefined; owner: Owner; isRepeatable?: true } | undefined>,
  ): Promise<void> {
    for (;;) {
      const prepared = await prepare();
      if (prepared === undefined) return;
      const { stored, owner, isRepeatable } = prepared;
      const { backup } = await this.parts.vault.backup(owner);
      const headers: Record<string, string> = stored ? { 'if-match': `"${stored.etag}"` } : { 'if-none-match': '*' };
      try {
        return await this.parts.call<void>(present, BACKUP, { method: 'PUT', body: backup, headers, isRepeatable });
      } catch (error) {
        if (!(error instanceof Refusal) || error.status !== 412) throw error;
      }
    }
  }

  /** Proves a second factor: by the recovery code if this browser has it, else by a touch, else by the typed code. */
  async prove(present: Present, holderId: string): Promise<void> {
    const { vault, texts } = this.parts;
    const kept = await vault.recoveryProof(holderId).catch(() => null);
    if (kept !== null && (await this.#isProof(kept))) return;
    if (this.#canTouch() && (await this.#touch(present, {}))) return;
    if (!(await this.#options()).recovery) throw failed('PASSKEY_AUTHENTICATION_FAILED', texts().passkey.none);
    let fault: string | undefined;
    for (;;) {
      const { code } = await present<'recover'>({ kind: 'recover', ...faulty(fault) });
      const proof = await vault.proofOf(code);
      if (proof !== null && (await this.#isProof(proof))) return;
      fault = texts().recover.wrong;
    }
  }

  async #isProof(recoveryProof: string): Promise<boolean> {
    try {
      await this.parts.session.call(MFA, { method: 'POST', body: { recoveryProof } });
      return true;
    } catch (error) {
      // Wrong, as after a new code was made elsewhere, or the holder has no code any more.
      if (error instanceof Refusal && [400, 409].includes(error.status)) return false;
      throw error;
    }
  }

  /** Shows the ways into the backup until the user is done. */
  async manage(present: Present, owner: Owner): Promise<void> {
    let fault: string | undefined;
    for (;;) {
      const [passkeys, backup] = [await this.passkeys(), await this.backup()];
      const hasCode = backup?.recoveryProofHash !== undefined;
      const opens = (id: string) => backup?.wraps.some((wrap) => wrap.id === id) ?? false;
      const openers = passkeys.filter(({ id }) => opens(id)).length;
      const isLast = (id: string): boolean => !hasCode && openers === 1 && opens(id);
      const shown = passkeys.map((passkey) => ({ ...passkey, isLast: isLast(passkey.id), opens: opens(passkey.id) }));
      const answer = await present<'passkeys'>({ kind: 'passkeys', passkeys: shown, hasCode, ...faulty(fault) });
      if ('done' in answer) {
        if (passkeys.length > 0) return;
        throw new CoreServiceError('USER_CANCELLED', 'The user has not added a passkey.');
      }
      fault = await this.#change(present, owner, answer);
    }
  }

  /** @returns why the gateway refused the change. */
  async #change(
    present: Present,
    owner: Owner,
    change: { add: true } | { remove: string } | { code: true },
  ): Promise<string | undefined> {
    const { session, call } = this.parts;
    try {
      if ('add' in change) {
        const touched = await this.#create(present, false);
        if (touched?.wrapKey !== undefined) await this.#addWay(present, owner, opening(touched));
      } else if ('remove' in change) {
        await call(present, `${PASSKEYS}/${change.remove}`, { method: 'DELETE' });
        session.setMfa((await this.passkeys()).length > 0);
      } else {
        await this.#newCode(present, owner);
      }
      return undefined;
    } catch (error) {
      const { faults } = this.parts.texts();
      if (!(error instanceof Refusal)) throw error;
      if (error.status === 404) return faults.gone;
      if (error.status === 409) return 'remove' in change ? faults.last : faults.full;
      throw error;
    }
  }
}
