// setupOrUpdateMfa: makes keys with a passkey the first time, and shows the ways into their backup later.
import { isClosed } from '../../sdk/core/error.js';
import type { Present } from '../../sdk/core/screens.js';
import type { HolderKeys } from '../keys/holder.js';
import type { ScreenHost } from '../screen-host.js';
import type { Session } from '../session.js';

export interface SetUpParts {
  session: Session;
  host: ScreenHost;
  keys: HolderKeys;
  /** Ends it. */
  signal?: AbortSignal | undefined;
  /** The holder's keys and account are now registered. */
  onRegistered(): void;
}

/** Sets up or changes the second factor. A closed dialog counts as done if there is a passkey. @throws CoreServiceError USER_CANCELLED. */
export async function setUpMfa(parts: SetUpParts): Promise<null> {
  const { session, host, keys, onRegistered } = parts;
  session.requireLogin();
  try {
    await host.run(({ present, progress }) => {
      progress();
      return run(parts, present);
    }, parts.signal);
  } catch (error) {
    if (!isClosed(error) || !(await hasPasskey(keys))) throw error;
  }
  if ((await keys.ready()) !== null) onRegistered();
  return null;
}

const hasPasskey = async (keys: HolderKeys): Promise<boolean> => (await (await keys.ways()).passkeys()).length > 0;

async function run({ session, keys }: SetUpParts, present: Present): Promise<void> {
  const wasReady = (await keys.ready()) !== null;
  await keys.ensure(present);
  if (!wasReady && (await hasPasskey(keys))) return;
  await (await keys.ways()).manage(present, { holderId: session.requireLogin().id, did: await keys.did() });
}
