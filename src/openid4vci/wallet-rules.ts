// What a managed issuer asks of wallets (contract §33): the open profile, or HAIP, which needs attestations.
import { DomainError } from '../base/errors.js';
import type { IssuerRow, IssuerWallets } from '../catalog/rows/models.js';
import type { WalletCopies } from '../issuance/wallets/copies.service.js';

const OPEN: IssuerWallets = { profile: 'open', walletProviders: [], keyProviders: [] };

/** The rules of an issuer. */
export const rulesOf = ({ wallets }: Pick<IssuerRow, 'wallets'>): IssuerWallets => wallets ?? OPEN;

/** Whether an issuer takes wallets of HAIP 1.0 alone. */
export const isHaip = (issuer: IssuerRow): boolean => rulesOf(issuer).profile === 'haip';

/** Whether wallets may take offers of an issuer by their codes: only managed issuers have offers, and HAIP has no such grant. */
export const hasPreAuthorized = (issuer: IssuerRow): boolean => issuer.managed && !isHaip(issuer);

/** @throws DomainError CONFLICT for an issuer of HAIP whose key has no certificate; CERTIFICATE_EXPIRED. */
export async function requireCertificate(copies: Pick<WalletCopies, 'signer'>, issuer: IssuerRow): Promise<void> {
  if (!issuer.managed || !isHaip(issuer) || (await copies.signer(issuer)).x5c !== undefined) return;
  throw new DomainError('CONFLICT', 'The issuer has the profile HAIP, and no certificate for its key.');
}
