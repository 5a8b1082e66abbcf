// `holder erase` and `holder erasure`: erases a holder at a running gateway, and shows the progress.
import type { Config } from '../base/config/config.js';
import { badInput } from '../base/errors.js';
import { callGateway, type GatewayOptions, operatorKeyFor, requireGateway } from './gateway.js';
import type { Report } from './output.js';

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
  const { userId, email, did } = options;
  const names = Object.entries({ userId, email, did }).filter(([, value]) => value !== undefined);
  if (names.length !== 1) throw badInput('Give one of --user-id, --email and --did.');
  return report(await call(config, options, 'POST', '/v1/admin/holders/erase', Object.fromEntries(names)));
}

/** Shows an erasure. @throws DomainError, one sentence. */
export async function showErasure(config: Config, erasureId: string, options: GatewayOptions): Promise<Report> {
  return report(await call(config, options, 'GET', `/v1/admin/erasures/${encodeURIComponent(erasureId)}`));
}

async function call(
  config: Config,
  options: GatewayOptions,
  method: string,
  path: string,
  body?: object,
): Promise<ErasureAnswer> {
  const url = await requireGateway(config, options);
  const headers = { 'x-admin-api-key': operatorKeyFor(config, options) };
  return (await callGateway(url, method, path, { headers, body })) as ErasureAnswer;
}

const report = (erasure: ErasureAnswer): Report => ({
  json: erasure,
  lines: [`erasure ${erasure.erasureId}: ${STATES[erasure.state]}`],
});
