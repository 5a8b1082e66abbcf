// The parts of the wallet that issuing and verifying use.
import type { Present } from '../../sdk/core/screens.js';
import type { BuildEnv } from '../../sdk/core/types.js';
import type { Approved } from '../approvals.js';
import type { RemoteVault } from '../keys/client.js';
import type { HolderKeys } from '../keys/holder.js';
import type { Session } from '../session.js';
import type { Store } from '../store.js';
import type { Texts } from '../texts.js';

export interface CredentialParts {
  session: Session;
  store: Store;
  keys: HolderKeys;
  vault: RemoteVault;
  partner: { partnerId: string; name: string };
  networkEnv: BuildEnv;
  texts(): Texts;
  approved: Approved;
  /** Runs a flow in the dialog, with the user's keys available. */
  withKeys<T>(flow: (present: Present) => Promise<T>): Promise<T>;
}
