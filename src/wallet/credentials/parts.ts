// The parts of the wallet that issuing and verifying use.
import type { BuildEnv } from '../../sdk/core/types.js';
import type { Approved } from '../approvals.js';
import type { RemoteVault } from '../keys/client.js';
import type { HolderKeys } from '../keys/holder.js';
import type { Dialog } from '../screen-host.js';
import type { Session } from '../session.js';
import type { Store } from '../store.js';
import type { Texts } from '../texts.js';

/** The dialog of an operation that needs keys. */
export interface FlowDialog extends Dialog {
  /** Makes the user's keys available; asks for the steps that are missing. */
  ensureKeys(): Promise<void>;
}

export interface CredentialParts {
  session: Session;
  store: Store;
  keys: HolderKeys;
  vault: RemoteVault;
  partner: { partnerId: string; name: string };
  networkEnv: BuildEnv;
  texts(): Texts;
  /** Language tag of the session. */
  locale(): string;
  approved: Approved;
  /** Runs a flow in the dialog, which opens before the flow reads anything. */
  inDialog<T>(flow: (dialog: FlowDialog) => Promise<T>): Promise<T>;
  /** Makes the user's keys available; without a dialog if they are. */
  ensureKeys(): Promise<void>;
}
