// How wallets of others get the credentials of an issuer, as an operator writes it (contract §33).
import { z } from 'zod';
import { choice, input } from '../../base/record.js';
import { isCertificate, text } from './body-fields.js';

const walletProfile = choice('WalletProfile', 'How strictly wallets of others are checked.', {
  open: 'Any wallet may take credentials; what it attests is checked if it does.',
  haip: 'OpenID4VC High Assurance Interoperability Profile: attested wallets and keys, by a login of the holder.',
  off: 'No wallet gets any.',
});

/** Certificates of providers that an issuer trusts. */
const providers = z
  .array(text(8_192).refine(isCertificate, 'must be one X.509 certificate as PEM'))
  .max(10, 'must hold at most 10 certificates')
  .default([]);

export const issuerWallets = input(
  'IssuerWalletsInput',
  'How wallets of others get the credentials of a managed issuer.',
  {
    profile: walletProfile.default('open').describe('How strictly wallets are checked; default OPEN.'),
    walletProviders: providers.describe('Certificates (PEM) of providers whose attestations of wallets count.'),
    keyProviders: providers.describe('Certificates (PEM) of providers whose attestations of keys count.'),
  },
);
