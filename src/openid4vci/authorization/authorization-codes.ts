// Authorization codes (RFC 6749 §4.1.3, RFC 7636 §4.6, RFC 9449 §10): found by what the request must have, and spent.
import { createHash } from 'node:crypto';
import type { ClientSession, Model } from 'mongoose';
import { ProtocolError } from '../../http/protocols/protocol-error.js';
import type { ProtocolRequest } from '../../http/protocols/protocol-routes.js';
import type { WalletKeys } from '../new-tokens.js';
import { REPEAT_MS } from '../repeated-grants.js';
import { hashOf, unwrap } from '../secrets.js';
import type { AuthorizationRow } from './models.js';

/** The codes of authorizations. */
export class AuthorizationCodes {
  constructor(private readonly options: { authorizations: Model<AuthorizationRow>; clock(): number }) {}

  /**
   * The authorization of a code. Unless it is spent, and this a repeat, the caller must spend it in its transaction.
   * @param members of the token request
   * @param by who sends the request
   * @throws ProtocolError invalid_request, invalid_grant
   */
  async ofCode(
    issuerId: string,
    members: ProtocolRequest['body'],
    { jkt, instance, clientId }: WalletKeys,
  ): Promise<{ row: AuthorizationRow; key: Buffer | undefined }> {
    const { code, redirect_uri: redirectUri, code_verifier: verifier } = members;
    for (const [name, value] of Object.entries({
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
      client_id: clientId,
    }))
      if (typeof value !== 'string') throw new ProtocolError('invalid_request', `"${name}" is missing.`);
    const row = await this.options.authorizations
      .findOne({ codeHash: hashOf(String(code)), issuerId })
      .lean<AuthorizationRow>();
    const isGood =
      row !== null &&
      (row.codeExpiresAt?.getTime() ?? 0) > this.options.clock() &&
      row.redirectUri === redirectUri &&
      row.clientId === clientId &&
      row.codeChallenge === challengeOf(String(verifier)) &&
      (row.dpopJkt === undefined || row.dpopJkt === jkt) &&
      (row.instanceJkt === undefined || row.instanceJkt === instance?.jkt);
    if (!isGood) throw noCode();
    const { codeKey, offerId } = row;
    return {
      row,
      key: codeKey === undefined || offerId === undefined ? undefined : unwrap(String(code), codeKey, offerId),
    };
  }

  /** Spends a code, and its page: of two at once, one. It stays for a repeat of the request. @throws ProtocolError invalid_grant. */
  async spend({ _id, codeHash }: AuthorizationRow, session: ClientSession): Promise<void> {
    const { authorizations, clock } = this.options;
    const until = new Date(clock() + REPEAT_MS);
    const change = { $set: { kind: 'spent', codeExpiresAt: until, expiresAt: until }, $unset: { wrappedKey: 1 } };
    const { modifiedCount } = await authorizations.updateOne({ _id, codeHash, kind: 'page' }, change, { session });
    if (modifiedCount === 0) throw noCode();
  }
}

const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');

const noCode = (): ProtocolError =>
  new ProtocolError('invalid_grant', 'The code is unknown, was used, has expired, or belongs to another request.');
