// The gateway's and the partner's configuration, from a block of data in the page that the gateway serves.
import type { BuildEnv, CredentialNetwork } from '../sdk/core/types.js';

/** The response of GET /v1/client/config. */
export interface ClientConfig {
  partnerId: string;
  name: string;
  networkEnv: BuildEnv;
  credentialNetwork: CredentialNetwork | null;
  publicUrl: string;
  allowedOrigins: string[];
  chainId: number | null;
  rpId: string | null;
  venue: string | null;
}

/** The configuration; undefined if there is no such partner. */
export function readConfig(): ClientConfig | undefined {
  const text = document.getElementById('config')?.textContent;
  return text ? ((JSON.parse(text) ?? undefined) as ClientConfig | undefined) : undefined;
}
