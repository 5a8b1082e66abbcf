// The DCQL query (OpenID4VP 1.0 §6) that asks wallets for one of several credentials.
import type { AskedField } from './askable.js';
import type { DcqlClaim } from './dcql.js';

/** A credential that is accepted, and what is asked of it. */
export interface AskedCredential {
  vct: string;
  fields: readonly AskedField[];
  /** Key identifiers (RFC 5280 §4.2.1.1) of the authorities of its issuer, in base64url; left out: any authority. */
  authorities?: readonly string[];
}

/** A claims query with the id by which claim sets refer to it. */
export type IdentifiedClaim = DcqlClaim & { id: string };

export interface CredentialQuery {
  id: string;
  format: 'dc+sd-jwt';
  meta: { vct_values: string[] };
  trusted_authorities?: { type: 'aki'; values: string[] }[];
  claims?: IdentifiedClaim[];
  claim_sets?: string[][];
}

export interface PresentationQuery {
  credentials: CredentialQuery[];
  credential_sets?: { options: string[][] }[];
}

/** Fields that are each asked in one of two ways, regardless of the others; further ones are asked in the same way. */
const FREE_FIELDS = 5;

/**
 * The query for any one of these credentials; the ids are `c0`, `c1` … in their order.
 * @param accepted at least one
 */
export function presentationQuery(accepted: readonly AskedCredential[]): PresentationQuery {
  const credentials = accepted.map((credential, at) => credentialQuery(`c${at}`, credential));
  if (credentials.length === 1) return { credentials };
  return { credentials, credential_sets: [{ options: credentials.map(({ id }) => [id]) }] };
}

function credentialQuery(id: string, { vct, fields, authorities }: AskedCredential): CredentialQuery {
  const asked = fields.map(claimsOf);
  const claims = asked.flatMap(({ derived, own }) => [...derived, ...own]);
  const choices = asked.filter(({ derived, own }) => derived.length > 0 && own.length > 0);
  return {
    id,
    format: 'dc+sd-jwt',
    meta: { vct_values: [vct] },
    ...(authorities && { trusted_authorities: [{ type: 'aki', values: [...authorities] }] }),
    // Without claims, a wallet discloses none.
    ...(claims.length > 0 && { claims }),
    ...(choices.length > 0 && { claim_sets: claimSets(asked, choices) }),
  };
}

/** The claims that ask for one field. */
interface FieldClaims {
  derived: IdentifiedClaim[];
  own: IdentifiedClaim[];
}

function claimsOf({ form, derived, own }: AskedField, at: number): FieldClaims {
  return {
    derived: derived.map((name, index) => ({ id: `f${at}_${index}`, path: name.split('.'), values: [true] })),
    own: own ? [{ id: `f${at}`, path: form.field.split('.'), ...own }] : [],
  };
}

/** The sets of claims that are enough, in the order of preference: derived claims come before the fields themselves. */
function claimSets(asked: readonly FieldClaims[], choices: readonly FieldClaims[]): string[][] {
  const others = asked.filter((field) => !choices.includes(field));
  const fixed = idsOf(others.flatMap(({ derived, own }) => [...derived, ...own]));
  const [free, bound] = [choices.slice(0, FREE_FIELDS), choices.slice(FREE_FIELDS)];
  const groups = bound.length === 0 ? free.map((field) => [field]) : [...free.map((field) => [field]), bound];
  return groups.reduce(
    (sets, group) => {
      const derived = idsOf(group.flatMap((field) => field.derived));
      const own = idsOf(group.flatMap((field) => field.own));
      return sets.flatMap((set) => [
        [...set, ...derived],
        [...set, ...own],
      ]);
    },
    [fixed],
  );
}

const idsOf = (claims: readonly IdentifiedClaim[]): string[] => claims.map(({ id }) => id);
