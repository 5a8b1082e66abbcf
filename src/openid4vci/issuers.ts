// Managed issuers as wallets see them: which there are, their metadata, and their keys.
import type { IssuingCatalog } from '../catalog/reading/issuing.service.js';
import type { IssuerRow } from '../catalog/rows/models.js';
import { walletIssuer } from '../certificates/certificate-holders.service.js';
import { accepts } from '../http/requests/accept.js';
import { ProtocolError } from '../http/protocols/protocol-error.js';
import type { RouteAnswer } from '../http/routes/route.js';
import type { WalletCopies } from '../issuance/wallets/copies.service.js';
import type { SigningKeys } from '../keys/signing-keys.js';
import { issuerMetadata } from './metadata.js';
import { rulesOf } from './wallet-rules.js';

export interface WalletIssuersOptions {
  catalog: IssuingCatalog;
  copies: WalletCopies;
  signingKeys: SigningKeys;
  publicUrl: string;
  clock(): number;
}

/** The most configurations of a metadata document. */
const MAX_CONFIGURATIONS = 1_000;
/** The most claims of all of them: about 2 MB. */
const MAX_CLAIMS = 20_000;
const SIGNED = 'application/jwt';

/** The credential issuers of wallets. */
export class WalletIssuers {
  constructor(private readonly options: WalletIssuersOptions) {}

  /** A live issuer that serves wallets: a managed one, or one that answers for them itself. @throws ProtocolError 404. */
  async require(issuerId: string): Promise<IssuerRow> {
    const issuer = await this.options.catalog.issuer(issuerId);
    const isServed = issuer?.live && (issuer.managed || issuer.credentialUrl !== undefined);
    if (isServed && rulesOf(issuer).profile !== 'off') return issuer;
    throw noIssuer();
  }

  /** Its metadata; signed for wallets that ask for `application/jwt`, if we have its key. */
  async metadata(issuer: IssuerRow, accept: string | undefined): Promise<RouteAnswer> {
    const { catalog, copies, publicUrl, clock } = this.options;
    const credentials = await catalog.credentialsOf(issuer._id, MAX_CONFIGURATIONS);
    const types = await copies.typesOf(credentials, MAX_CLAIMS);
    const metadata = issuerMetadata(issuer, types, publicUrl);
    const isJson = accept === undefined || accept === '*/*' || accepts(accept, ['application/json']);
    if (isJson || !issuer.managed) return { body: metadata };
    const { signer, x5c } = await copies.signer(issuer);
    const identifier = walletIssuer(publicUrl, issuer._id);
    const payload = { ...metadata, sub: identifier, iss: identifier, iat: Math.floor(clock() / 1_000) };
    const header = { typ: 'openidvci-issuer-metadata+jwt', ...(x5c === undefined ? {} : { x5c }) };
    return { contentType: SIGNED, body: await signer.sign(JSON.stringify(payload), header) };
  }

  /** Keys of a managed issuer, earlier ones and those of a retired issuer too: what it signed stays verifiable. @throws ProtocolError 404. */
  async keys(_id: string): Promise<object> {
    const { catalog, signingKeys, publicUrl } = this.options;
    if (!(await catalog.issuer(_id))?.managed) throw noIssuer();
    return { issuer: walletIssuer(publicUrl, _id), jwks: await signingKeys.jwks(`issuer:${_id}`) };
  }
}

const noIssuer = (): ProtocolError => new ProtocolError('not_found', 'There is no such credential issuer.', 404);
