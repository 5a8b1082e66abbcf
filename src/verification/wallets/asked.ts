// What wallets are asked for a program (contract §36): of each accepted credential that wallets can present, its type, its issuer and its claims.
import type { IssuingCatalog } from '../../catalog/reading/issuing.service.js';
import type { AcceptedTerms, ProgramTerms } from '../../catalog/reading/program-terms.service.js';
import type { CredentialRow, IssuerRow } from '../../catalog/rows/models.js';
import { keyIdentifier } from '../../certificates/trusted-chain.service.js';
import { type AskedField, askedOf, type PresentationQuery, presentationQuery } from '../../conditions/index.js';
import type { WalletCopies } from '../../issuance/wallets/copies.service.js';

/** A credential that a wallet may present. */
export interface AskedCredential {
  credentialId: string;
  issuerId: string;
  vct: string;
  fields: AskedField[];
  /** Identifiers of the keys of its issuer's authorities, base64url. */
  authorities?: string[];
}

export interface AskedOptions {
  catalog: IssuingCatalog;
  copies: WalletCopies;
}

/** What a program asks wallets for; empty if it cannot ask them. */
export interface AskedProgram {
  credentials: AskedCredential[];
  /** Whether one of them is of an issuer that is not managed. */
  hasOthers: boolean;
}

/** @param now ms since 1970 UTC, for relative dates. */
export async function askedProgram(
  { catalog, copies }: AskedOptions,
  terms: ProgramTerms,
  now: number,
): Promise<AskedProgram> {
  const rows = await catalog.credentials(terms.accepted.map(({ credentialId }) => credentialId));
  const byId = new Map(rows.map((row) => [row._id, row]));
  const asked: AskedProgram = { credentials: [], hasOthers: false };
  for (const accepted of terms.accepted) {
    const credential = byId.get(accepted.credentialId);
    const fields = credential && fieldsOf(accepted, credential, terms.disclose, now);
    const issuer = fields && (await catalog.issuer(accepted.issuerId));
    const vct = credential && issuer ? await vctOf(copies, credential, issuer) : undefined;
    if (!fields || !issuer || vct === undefined) continue;
    const { credentialId, issuerId } = accepted;
    asked.credentials.push({ credentialId, issuerId, vct, fields, ...(await authoritiesOf(issuer)) });
    asked.hasOthers ||= !issuer.managed;
  }
  return asked;
}

/** The query for these credentials, whose ids are `c0`, `c1` … in their order. */
export const queryOf = (credentials: readonly AskedCredential[]): PresentationQuery => presentationQuery(credentials);

/** The credential that a query's id names. */
export const credentialOf = (credentials: readonly AskedCredential[], queryId: string): AskedCredential | undefined =>
  credentials.find((_, at) => queryId === `c${at}`);

/** The claims to ask for; undefined if a condition cannot be asked. */
function fieldsOf(
  { conditions, families }: AcceptedTerms,
  { derived = [] }: CredentialRow,
  disclose: boolean,
  now: number,
): AskedField[] | undefined {
  if (conditions === null) return undefined;
  const byField = new Map(families);
  const { fields, unaskable } = askedOf(
    { conditions, families: (field) => byField.get(field), derived, disclose },
    now,
  );
  return unaskable.length === 0 ? fields : undefined;
}

/** The type of a credential in wallets; undefined if it has no form for them, or nothing says whose signatures count. */
async function vctOf(
  copies: WalletCopies,
  credential: CredentialRow,
  { managed, anchors, walletIssuer }: IssuerRow,
): Promise<string | undefined> {
  if (managed) return copies.typeNameOf(credential);
  return anchors !== undefined || walletIssuer !== undefined ? credential.vct : undefined;
}

async function authoritiesOf({ anchors }: IssuerRow): Promise<{ authorities?: string[] }> {
  return anchors === undefined ? {} : { authorities: await Promise.all(anchors.map(keyIdentifier)) };
}
