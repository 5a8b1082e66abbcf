// What the ways into a backup are made of: responses of the gateway, a touched passkey, and errors.
import { CoreServiceError, type CoreServiceErrorName } from '../../sdk/core/error.js';
import type { Backup } from '../keys/backup.js';
import type { TypedWay } from '../keys/vault.js';

export type StoredBackup = Backup & { etag: string };

/** POST /v1/holders/me/mfa/options. */
export interface MfaOptions {
  options: { allowCredentials?: { id: string }[] } | null;
  recovery: boolean;
}

/** GET /v1/holders/me/passkeys. */
export interface Passkey {
  id: string;
  name: string;
  createdAt: string;
  lastUsedAt: string | null;
}

/** A passkey that was touched, and the key that its PRF output gives. */
export interface Touched {
  id: string;
  wrapKey?: string | undefined;
}

export const opening = ({ id, wrapKey = '' }: Touched): TypedWay => ({ id, wrapKey });

export const faulty = (fault: string | undefined) => (fault === undefined ? {} : { fault });

export const failed = (name: CoreServiceErrorName, message: string): CoreServiceError =>
  new CoreServiceError(name, message);

/** The name of a new passkey: that of the system, where the browser tells it. */
export function named(): { name?: string } {
  const { navigator } = globalThis as { navigator?: { userAgentData?: { platform?: string } } };
  const name = navigator?.userAgentData?.platform;
  return name ? { name } : {};
}
