// Access tokens of wallets at the endpoints that take them (RFC 6750; RFC 9449 §7).
import { walletIssuer } from '../certificates/certificate-holders.service.js';
import { ProtocolError } from '../http/protocols/protocol-error.js';
import type { ProtocolRequest } from '../http/protocols/protocol-routes.js';
import { findRow } from '../store/plain-reads.js';
import type { Dpop } from './dpop.js';
import type { Openid4vciModels, WalletTokenRow } from './models.js';
import { hashOf } from './secrets.js';

/** An access token as a wallet has it, and its row. */
export interface Access {
  token: string;
  row: WalletTokenRow;
}

export interface AccessOptions {
  models: Pick<Openid4vciModels, 'walletTokens'>;
  dpop: Dpop;
  publicUrl: string;
  clock(): number;
}

/** The token of a request. @throws ProtocolError invalid_token, invalid_dpop_proof. */
export async function accessOf(
  { models, dpop, publicUrl, clock }: AccessOptions,
  request: ProtocolRequest,
  endpoint: 'credential' | 'deferred' | 'notification',
): Promise<Access> {
  const { issuerId = '' } = request.params;
  const [, scheme = '', token = ''] = /^(Bearer|DPoP) ([\w-]{43})$/i.exec(request.headers.authorization ?? '') ?? [];
  if (token === '') throw noToken('The request has no access token.');
  const url = `${walletIssuer(publicUrl, issuerId)}/${endpoint}`;
  const proof = request.headers.dpop;
  const jkt = await dpop.thumbprintOf({ proof, method: 'POST', url, accessToken: token, status: 401 });
  const row = await findRow(models.walletTokens, { _id: hashOf(token), kind: 'access' });
  const isBound = /^dpop$/i.test(scheme) ? jkt !== undefined : jkt === undefined;
  const end = endpoint === 'deferred' ? row?.expiresAt : (row?.credentialUntil ?? row?.expiresAt);
  if (!row || !end || end.getTime() <= clock() || row.jkt !== jkt || !isBound) throw unknownToken();
  return { token, row };
}

/** The refusal of a token that opens nothing. */
export const unknownToken = (): ProtocolError =>
  noToken('The access token is unknown, has expired, or belongs to another key.');

const noToken = (why: string): ProtocolError =>
  new ProtocolError('invalid_token', why, 401, 'DPoP error="invalid_token", Bearer error="invalid_token"');
