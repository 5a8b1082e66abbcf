// `holder erase` and `holder erasure`: erases a holder at a running gateway, and shows the progress. `holder reset-mfa`: removes its second factors.
import type { Config } from '../base/config/config.js';
import { badInput } from '../base/errors.js';
import type { MfaReset } from '../holders/types.js';
import { callGateway, type GatewayOptions, operatorKeyFor, requireGateway } from './gateway.js';
import { countOf, type Report } from './output.js';

/** The holder: exactly one of its names. */
export interface HolderOptions extends GatewayOptions {
  userId?: string;
  email?: string;
  did?: string;
}

interface ErasureAnswer {
  erasureId: string;
  state: 'erasing' | 'settling' | 'done';
  createdAt: string;
  doneAt: string | null;
}

const STATES: Readonly<Record<ErasureAnswer['state'], string>> = {
  erasing: 'the holder is erased; its data is being deleted',
  settling: 'all data is deleted; ten minutes later a second pass deletes data that was written meanwhile',
  done: 'no data of the holder remains',
};

/** Erases a holder. @throws DomainError, one sentence. */
export async function eraseHolder(config: Config, options: HolderOptions): Promise<Report> {
  return report((await call(config, options, 'POST', '/v1/admin/holders/erase', nameOf(options))) as ErasureAnswer);
}

/** Removes the passkeys and the key backup of a holder. @throws DomainError, one sentence. */
export async function resetMfa(config: Config, options: HolderOptions): Promise<Report> {
  const reset = (await call(config, options, 'POST', '/v1/admin/holders/reset-mfa', nameOf(options))) as MfaReset;
  const { userId, passkeyCount, hadKeyBackup } = reset;
  const backup = hadKeyBackup ? 'the key backup' : 'no key backup';
  return { json: reset, lines: [`removed of ${userId}: ${countOf(passkeyCount, 'passkey')}, ${backup}`] };
}

function nameOf({ userId, email, did }: HolderOptions): object {
  const names = Object.entries({ userId, email, did }).filter(([, value]) => value !== undefined);
  if (names.length !== 1) throw badInput('Give one of --user-id, --email and --did.');
  return Object.fromEntries(names);
}

/** Shows an erasure. @throws DomainError, one sentence. */
export async function showErasure(config: Config, erasureId: string, options: GatewayOptions): Promise<Report> {
  const path = `/v1/admin/erasures/${encodeURIComponent(erasureId)}`;
  return report((await call(config, options, 'GET', path)) as ErasureAnswer);
}

async function call(
  config: Config,
  options: GatewayOptions,
  method: string,
  path: string,
  body?: object,
): Promise<unknown> {
  const url = await requireGateway(config, options);
  const headers = { 'x-admin-api-key': operatorKeyFor(config, options) };
  return callGateway(url, method, path, { headers, body });
}

const report = (erasure: ErasureAnswer): Report => ({
  json: erasure,
  lines: [`erasure ${erasure.erasureId}: ${STATES[erasure.state]}`],
});
