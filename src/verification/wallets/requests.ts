// Requests to wallets as wallets fetch them: signed, for as long as they can be answered.
import { DomainError } from '../../base/errors.js';
import type { IssuingCatalog } from '../../catalog/reading/issuing.service.js';
import type { VerifierRow } from '../../catalog/rows/models.js';
import type { PresentationRequests } from '../../openid4vp/requests.service.js';
import type { VerificationModels, VerificationRow } from '../records/models.js';
import { isExpired } from '../records/own-verification.js';
import { type AskedCredential, queryOf } from './asked.js';
import type { WalletModels, WalletRequestRow } from './models.js';

export interface WalletRequestOptions {
  models: VerificationModels & WalletModels;
  catalog: IssuingCatalog;
  presentationRequests: PresentationRequests;
  publicUrl: string;
  clock(): number;
}

/** A request that can be answered, and its verification. */
export interface OpenRequest {
  request: WalletRequestRow;
  row: VerificationRow;
}

/** Serves requests to wallets. */
export class WalletRequests {
  constructor(private readonly options: WalletRequestOptions) {}

  /** The request object. @throws DomainError NOT_FOUND, CONFLICT, GONE. */
  async fetch(requestId: string, walletNonce?: string): Promise<string> {
    const { request, row } = await this.open({ _id: requestId, flow: { $ne: 'dc_api' } });
    const verifier = await this.options.catalog.verifier(request.verifierId);
    if (verifier === null) throw new DomainError('GONE', 'The verifier is retired.');
    return this.sign(request, row, verifier, walletNonce);
  }

  /** Signs a request. @throws DomainError GONE if the verifier's certificate was replaced. */
  sign(request: WalletRequestRow, row: VerificationRow, verifier: VerifierRow, walletNonce?: string): Promise<string> {
    const { presentationRequests, publicUrl, clock } = this.options;
    const { _id, asked, certificate, publicJwk, state, origins } = request;
    return presentationRequests.sign(verifier, certificate, {
      nonce: row.nonce,
      query: queryOf(JSON.parse(asked) as AskedCredential[]),
      encryptionKey: { publicJwk: JSON.parse(publicJwk) },
      issuedAt: new Date(clock()),
      expiresAt: row.expiresAt,
      ...(state === undefined ? {} : { to: { responseUri: `${publicUrl}/oid4vp/responses/${_id}`, state } }),
      ...(origins === undefined ? {} : { origins }),
      ...(walletNonce === undefined ? {} : { walletNonce }),
    });
  }

  /** The address that a wallet opens. */
  uri({ _id, certificate }: WalletRequestRow): string {
    const { presentationRequests, publicUrl } = this.options;
    return presentationRequests.uri(certificate, `${publicUrl}/oid4vp/requests/${_id}`);
  }

  /**
   * A request that can still be answered.
   * @throws DomainError NOT_FOUND, CONFLICT if a wallet has answered it, GONE if it has expired
   */
  async open(filter: object): Promise<OpenRequest> {
    const { models, clock } = this.options;
    const request = await models.walletRequests.findOne(filter).lean<WalletRequestRow>();
    const row = request && (await models.verifications.findById(request.verificationId).lean<VerificationRow>());
    if (!request || !row) throw unknownRequest();
    if (isExpired(row, clock())) throw new DomainError('GONE', 'The request has expired.');
    if (row.state !== 'open') throw unknownRequest();
    return { request, row };
  }
}

function unknownRequest(): DomainError {
  return new DomainError('NOT_FOUND', 'There is no such request, or a wallet has answered it.');
}
