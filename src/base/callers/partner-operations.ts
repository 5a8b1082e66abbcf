// The operations of partners, in one table: REST, GraphQL and sockets name one of these, and `why` explains them (contract §1, the table "who").
import type { Scope } from './caller.js';

interface OperationRow {
  /** The scope that a token must have; absent: any valid token. */
  scope?: Scope;
  /** One sentence for a person. */
  does: string;
}

/** Operation -> scope, description. */
export const PARTNER_OPERATIONS = {
  initializeUser: { scope: 'issue', does: 'Resolves the recipient of a credential.' },
  issueOnBehalf: { scope: 'issue', does: 'Issues a credential for a managed issuer.' },
  issueOnBehalfBatch: { scope: 'issue', does: 'Creates a batch of issuances.' },
  batch: { scope: 'issue', does: 'Reads a batch of the partner.' },
  retryBatch: { scope: 'issue', does: 'Retries the failed rows of a batch.' },
  cancelBatch: { scope: 'issue', does: 'Cancels a batch.' },
  storeCredential: { scope: 'issue', does: 'Stores a credential that its issuer signed.' },
  storedPackages: { scope: 'issue', does: "Reads the partner's stored packages." },
  deletePackage: { scope: 'issue', does: 'Deletes a stored package of the partner.' },
  revokeCredential: { scope: 'issue', does: 'Revokes what the partner issued.' },
  previewRevocation: { scope: 'issue', does: 'Previews a revocation by filter.' },
  confirmRevocation: { scope: 'issue', does: 'Starts the revocation of a preview.' },
  revocationJob: { scope: 'issue', does: 'Reads a revocation of the partner.' },
  createOffer: { scope: 'issue', does: 'Offers a credential to a wallet.' },
  withdrawOffer: { scope: 'issue', does: 'Withdraws an offer of the partner.' },
  offers: { scope: 'issue', does: "Reads the partner's offers." },
  cakKey: { scope: 'issue', does: "Reads the public half of a holder's CAK." },
  startVerification: { scope: 'verify', does: 'Starts a verification.' },
  checkProof: { scope: 'verify', does: 'Checks the mathematics of a proof.' },
  verifications: { does: "Lists the partner's verifications." },
  webhooks: { does: "Registers and manages the partner's webhooks." },
} as const satisfies Readonly<Record<string, OperationRow>>;

export type PartnerOperation = keyof typeof PARTNER_OPERATIONS;

/** Every operation, in the order of the table. */
export const ALL_PARTNER_OPERATIONS = Object.keys(PARTNER_OPERATIONS) as readonly PartnerOperation[];

/** The table's row of an operation. */
export const partnerOperation = (operation: PartnerOperation): OperationRow => PARTNER_OPERATIONS[operation];
