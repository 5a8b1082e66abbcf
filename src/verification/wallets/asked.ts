// What wallets are asked for a program (contract §36): of each accepted credential that wallets can present, its type, its issuer and its claims.
import type { AcceptedTerms, ProgramTerms } from '../../catalog/reading/program-terms.service.js';
import { keyIdentifier } from '../../certificates/trusted-chain.service.js';
import { type AskedField, type PresentationQuery, presentationQuery } from '../../conditions/index.js';
import type { WalletCopies } from '../../issuance/wallets/copies.service.js';

/** A credential that a wallet may present. */
export interface AskedCredential {
  credentialId: string;
  issuerId: string;
  /** Whether it is one of ours. */
  managed: boolean;
  vct: string;
  fields: AskedField[];
  /** Identifiers of the keys of its issuer's authorities, base64url. */
  authorities?: string[];
}

export interface AskedOptions {
  copies: WalletCopies;
}

/** What a program asks wallets for; empty if it cannot ask them. @param now ms since 1970 UTC, for relative dates */
export async function askedCredentials(
  { copies }: AskedOptions,
  { accepted }: ProgramTerms,
  now: number,
): Promise<AskedCredential[]> {
  const asked = accepted.map(async (terms): Promise<AskedCredential[]> => {
    const { credentialId, issuerId, managed, anchors, vct } = terms;
    const fields = terms.asked(now);
    if (fields === undefined) return [];
    const type = managed ? copies.typeName({ _id: credentialId, vct }) : (vct ?? '');
    return [{ credentialId, issuerId, managed, vct: type, fields, ...(await authoritiesOf(anchors)) }];
  });
  return (await Promise.all(asked)).flat();
}

/** The query for these credentials, whose ids are `c0`, `c1` … in their order. */
export const queryOf = (credentials: readonly AskedCredential[]): PresentationQuery => presentationQuery(credentials);

/** The credential that a query's id names. */
export const credentialOf = (credentials: readonly AskedCredential[], queryId: string): AskedCredential | undefined =>
  credentials.find((_, at) => queryId === `c${at}`);

async function authoritiesOf(anchors: AcceptedTerms['anchors']): Promise<{ authorities?: string[] }> {
  return anchors === undefined ? {} : { authorities: await Promise.all(anchors.map(keyIdentifier)) };
}
