// The operations that need the keys of the user who is logged in. Loaded when they are first needed, with the worker
// that opens the keys.
import { CoreServiceError } from '../../sdk/core/error.js';
import type { Present } from '../../sdk/core/screens.js';
import type {
  ClaimCoreIdResult,
  CoreSessionConfig,
  CredentialVerificationResult,
  IssueCredentialOptions,
  OnRampOptions,
  SwapOptions,
  VerifyCredentialOptions,
} from '../../sdk/core/types.js';
import type { Approved } from '../approvals.js';
import { requireGood } from '../auth-token.js';
import { checked, ISSUE, VERIFY } from '../check.js';
import type { ClientConfig } from '../config.js';
import type { CredentialParts, FlowDialog } from '../credentials/parts.js';
import { Refusal } from '../gateway.js';
import { loaded } from '../loaded.js';
import { logInAgain } from '../login.js';
import type { MoneyParts } from '../money/trade.js';
import type { Dialog, ScreenHost } from '../screen-host.js';
import type { Session } from '../session.js';
import type { Store } from '../store.js';
import type { Texts } from '../texts.js';
import { Batches } from './batches.js';
import { type RemoteVault, startVault } from './client.js';
import { encodeCall } from './ethereum.js';
import { HolderKeys } from './holder.js';
import { Operations } from './operations.js';
import { AccountSigning } from './signing.js';

export interface KeyringParts {
  config: ClientConfig;
  session: Session;
  store: Store;
  host: ScreenHost;
  texts(): Texts;
  sessionConfig(): CoreSessionConfig;
  /** Called when keys and account have been registered. */
  onRegistered(): void;
}

/** How long to wait for a deployment, milliseconds. */
const DEPLOYED_MS = 60_000;
const PAUSE_MS = 1_000;

/** The keys, and the operations that use them. */
export class Keyring {
  readonly keys: HolderKeys;
  readonly signing: AccountSigning;
  readonly #operations: Operations;

  constructor(
    private readonly parts: KeyringParts,
    readonly vault: RemoteVault,
  ) {
    const { config, session, store, texts, sessionConfig } = parts;
    const { name: partnerName } = config;
    const locale = (): string => sessionConfig().locale;
    const chainId = config.chainId ?? 0;
    const logIn = (present: Present): Promise<void> =>
      logInAgain({ present, session, partner: config, texts: texts() });
    this.keys = new HolderKeys({ vault, session, partnerName, rpId: config.rpId, texts, logIn });
    const operations = new Operations({ session, store, vault, chainId });
    this.#operations = operations;
    const batches = new Batches({ store, operations, chainId });
    const withKeys = <T>(flow: (present: Present) => Promise<T>): Promise<T> => this.withKeys(flow);
    this.signing = new AccountSigning({
      session,
      vault,
      operations,
      batches,
      chainId,
      partnerName,
      gatewayHost: new URL(config.publicUrl).host,
      texts,
      locale,
      withKeys,
    });
  }

  /** Runs a flow in the dialog, which opens before anything is read: what the page sees does not depend on that. @throws CoreServiceError. */
  inDialog<T>(flow: (dialog: FlowDialog) => Promise<T>, signal?: AbortSignal): Promise<T> {
    this.parts.session.requireLogin();
    return this.parts.host.run((dialog) => {
      dialog.progress();
      return flow({ ...dialog, ensureKeys: () => this.#ensure(dialog.present) });
    }, signal);
  }

  /** The same, with the keys available. */
  withKeys<T>(flow: (present: Present, dialog: Dialog) => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.inDialog(async (dialog) => {
      await dialog.ensureKeys();
      return flow(dialog.present, dialog);
    }, signal);
  }

  /** Makes the keys available; shows no dialog if they already are. */
  async ensure(signal?: AbortSignal): Promise<void> {
    this.parts.session.requireLogin();
    if ((await this.keys.ready()) === null) await this.inDialog(({ ensureKeys }) => ensureKeys(), signal);
  }

  async #ensure(present: Present): Promise<void> {
    if ((await this.keys.ready()) !== null) return;
    await this.keys.ensure(present);
    this.parts.onRegistered();
  }

  async setUpMfa(signal?: AbortSignal): Promise<null> {
    const { setUpMfa } = await loaded(import('../passkeys/set-up.js'));
    return setUpMfa({ ...this.parts, keys: this.keys, signal });
  }

  /**
   * Deploys the account. @throws CoreServiceError CLIENT_ERROR if it is already deployed, TIMEOUT after a minute (the
   * deployment continues).
   */
  async deploy(signal?: AbortSignal): Promise<{ txHash: string }> {
    await this.ensure(signal);
    const { session } = this.parts;
    const begun = await session.call<Job>('/v1/holders/me/account/deploy', { method: 'POST' });
    const end = Date.now() + DEPLOYED_MS;
    let job = begun;
    while (typeof job.txHash !== 'string' && Date.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      signal?.throwIfAborted();
      job = await session.call<Job>(`/v1/chain/jobs/${begun.jobId}`);
    }
    if (typeof job.txHash === 'string') return { txHash: job.txHash };
    throw new CoreServiceError('TIMEOUT', 'The account is not deployed yet; it goes on.');
  }

  /** Issues a credential. Its code is loaded when it is first needed. */
  async issue(request: unknown, approved: Approved, signal?: AbortSignal): Promise<{ cakPublicKey?: string }> {
    const options = checked(ISSUE, request) as IssueCredentialOptions;
    await this.#requireGood(options.authToken);
    const { issueCredential } = await loaded(import('../credentials/issue.js'));
    return issueCredential(this.#forCredentials(approved, signal), options);
  }

  async verify(request: unknown, approved: Approved, signal?: AbortSignal): Promise<CredentialVerificationResult> {
    const options = checked(VERIFY, request) as VerifyCredentialOptions;
    await this.#requireGood(options.authToken);
    const { verifyCredential } = await loaded(import('../credentials/verify.js'));
    return verifyCredential(this.#forCredentials(approved, signal), options);
  }

  /** Before a screen. @throws CoreServiceError of the partner token, or NOT_LOGGED_IN. */
  async #requireGood(authToken: string): Promise<void> {
    const { config, session } = this.parts;
    session.requireLogin();
    await requireGood(authToken, { partnerId: config.partnerId, session });
  }

  async swap(options: SwapOptions, signal?: AbortSignal): Promise<{ txHash: `0x${string}` }> {
    const { showSwap } = await loaded(import('../money/swap.js'));
    return showSwap(this.#forMoney(signal), options);
  }

  async onRamp(options: OnRampOptions, signal?: AbortSignal): Promise<null> {
    const { showOnRamp } = await loaded(import('../money/on-ramp.js'));
    await showOnRamp(this.#forMoney(signal), options);
    return null;
  }

  #forMoney(signal?: AbortSignal): MoneyParts {
    const { config, session, texts, sessionConfig } = this.parts;
    const withKeys: MoneyParts['withKeys'] = (flow) => this.withKeys(flow, signal);
    return { config, session, texts, sessionConfig, operations: this.#operations, withKeys, encode: encodeCall };
  }

  /** Loads the library for proofs. */
  async preloadProver(): Promise<void> {
    await Promise.all([this.vault.loadProver(), loaded(import('../credentials/verify.js'))]);
  }

  #forCredentials(approved: Approved, signal?: AbortSignal): CredentialParts {
    const { keys, vault } = this;
    const { session, store, config, texts, sessionConfig } = this.parts;
    const { partnerId, name, networkEnv } = config;
    return {
      ...{ session, store, keys, vault, partner: { partnerId, name }, networkEnv, texts, approved },
      locale: () => sessionConfig().locale,
      inDialog: (flow) => this.inDialog(flow, signal),
      ensureKeys: () => this.ensure(signal),
    };
  }

  /** Claims a core id under a name that its holder enters. */
  async claim(signal?: AbortSignal): Promise<ClaimCoreIdResult> {
    const { session } = this.parts;
    // An earlier call may have claimed one, although its response was lost.
    const { coreId } = await session.call<Partial<ClaimCoreIdResult>>('/v1/holders/me');
    if (coreId) return { coreId };
    return this.withKeys(async (present) => {
      let fault: string | undefined;
      for (;;) {
        const { name } = await present<'name'>({ kind: 'name', ...(fault === undefined ? {} : { fault }) });
        try {
          const call = { method: 'POST', body: name === '' ? {} : { name }, isRepeatable: true } as const;
          return await this.keys.call<ClaimCoreIdResult>(present, '/v1/holders/me/core-id', call);
        } catch (error) {
          if (!(error instanceof Refusal) || ![400, 409].includes(error.status)) throw error;
          const { name: wrong, taken } = this.parts.texts().faults;
          fault = error.status === 400 ? wrong : taken;
        }
      }
    }, signal);
  }
}

interface Job {
  txHash?: string | null;
  jobId?: string;
}

/** Starts the worker, and creates the objects that use it. */
export async function openKeyring({ config, ...parts }: KeyringParts): Promise<Keyring> {
  const rpId = 'PublicKeyCredential' in globalThis ? config.rpId : null;
  return new Keyring({ ...parts, config: { ...config, rpId } }, await startVault(config.partnerId));
}
