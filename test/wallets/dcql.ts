// The query language of OpenID4VP (section 6): which credentials fit, and which of their claims are shown.
import { X509Certificate } from 'node:crypto';
import { type Credential, valuesAt } from './credential.js';
import { hasOnly, type Json, listOf, must, objectOf, textOf, textsOf } from './faults.js';
import type { Path } from './sd-jwt.js';
import { pathOf } from './type-metadata.js';

const ID = /^[\w-]+$/;
const QUERY_MEMBERS = [
  'id',
  'format',
  'multiple',
  'meta',
  'trusted_authorities',
  'require_cryptographic_holder_binding',
  'claims',
  'claim_sets',
];

interface ClaimQuery {
  id: string | undefined;
  path: Path;
  values: unknown[] | undefined;
}

interface CredentialQuery {
  id: string;
  types: string[];
  /** Key identifiers of authorities, in base64url. */
  authorities: string[] | undefined;
  claims: ClaimQuery[];
  /** The claims to show, the best choice first. */
  choices: ClaimQuery[][];
}

export interface Query {
  credentials: CredentialQuery[];
  sets: { options: string[][]; isRequired: boolean }[];
}

/** What a wallet shows: a credential, and the paths of claims. */
export interface Shown {
  credential: Credential;
  paths: Path[];
}

const idOf = (value: unknown, name: string): string => {
  const id = textOf(value, name);
  must(ID.test(id), `${name} has letters, digits, _ and - alone`);
  return id;
};

function claimQueryOf(value: unknown): ClaimQuery {
  const claim = objectOf(value, 'a claim of a query');
  hasOnly(claim, ['id', 'path', 'values'], 'a claim of a query');
  const values = claim.values === undefined ? undefined : listOf(claim.values, 'values');
  for (const one of values ?? [])
    must(
      typeof one === 'string' || typeof one === 'boolean' || Number.isInteger(one),
      'values are texts, whole numbers and booleans',
    );
  return {
    id: claim.id === undefined ? undefined : idOf(claim.id, 'the id of a claim'),
    path: pathOf(claim.path, 'path'),
    values,
  };
}

/** Key identifiers of authorities are all that this wallet knows of `trusted_authorities`. */
function authoritiesOf(value: unknown): string[] | undefined {
  if (value === undefined) return undefined;
  return listOf(value, 'trusted_authorities').flatMap((one) => {
    const { type, values, ...other } = objectOf(one, 'a trusted authority');
    hasOnly(other, [], 'a trusted authority');
    must(type === 'aki', 'the type of a trusted authority is aki');
    return textsOf(values, 'values of aki');
  });
}

function credentialQueryOf(value: unknown): CredentialQuery {
  const query = objectOf(value, 'a credential query');
  hasOnly(query, QUERY_MEMBERS, 'a credential query');
  must(query.format === 'dc+sd-jwt', 'the format is dc+sd-jwt');
  must(query.require_cryptographic_holder_binding !== false, 'the verifier asks for a key binding');
  must(query.multiple === undefined || query.multiple === false, 'one credential is asked for');
  const meta = objectOf(query.meta, 'meta');
  hasOnly(meta, ['vct_values'], 'meta');
  const claims = query.claims === undefined ? [] : listOf(query.claims, 'claims').map(claimQueryOf);
  const paths = claims.map(({ path }) => JSON.stringify(path));
  must(new Set(paths).size === paths.length, 'a query points to each claim once');
  const ids = claims.flatMap(({ id }) => (id === undefined ? [] : [id]));
  must(new Set(ids).size === ids.length, 'each claim has an id of its own');
  const sets = query.claim_sets;
  must(sets === undefined || (claims.length > 0 && ids.length === claims.length), 'claim_sets need ids of claims');
  const choices = sets === undefined ? [claims] : listOf(sets, 'claim_sets').map((set) => choiceOf(set, claims));
  return {
    id: idOf(query.id, 'the id of a query'),
    types: textsOf(meta.vct_values, 'vct_values'),
    authorities: authoritiesOf(query.trusted_authorities),
    claims,
    choices,
  };
}

const choiceOf = (set: unknown, claims: readonly ClaimQuery[]): ClaimQuery[] =>
  textsOf(set, 'a claim set').map((id) => {
    const claim = claims.find((one) => one.id === id);
    must(claim !== undefined, 'a claim set has ids of claims');
    return claim;
  });

/** Reads a query. @throws SpecFault */
export function parseQuery(value: unknown): Query {
  const query = objectOf(value, 'dcql_query');
  hasOnly(query, ['credentials', 'credential_sets'], 'dcql_query');
  const credentials = listOf(query.credentials, 'credentials').map(credentialQueryOf);
  const ids = credentials.map(({ id }) => id);
  must(new Set(ids).size === ids.length, 'each credential query has an id of its own');
  const sets = query.credential_sets === undefined ? [] : listOf(query.credential_sets, 'credential_sets');
  return {
    credentials,
    sets: sets.map((one) => {
      const { options, required = true, ...other } = objectOf(one, 'a credential set');
      hasOnly(other, [], 'a credential set');
      must(typeof required === 'boolean', 'required is true or false');
      const lists = listOf(options, 'options').map((option) => textsOf(option, 'an option'));
      must(
        lists.flat().every((id) => ids.includes(id)),
        'options name credential queries',
      );
      return { options: lists, isRequired: required };
    }),
  };
}

/** The key identifiers in the AuthorityKeyIdentifier extensions of a chain: DER, tag 0x80 of 20 bytes after the OID 2.5.29.35. */
function authorityKeysOf({ header }: Credential): string[] {
  const marker = Buffer.from('0603551d23', 'hex');
  const chain = (header.x5c ?? []) as string[];
  return chain.flatMap((der) => {
    const { raw } = new X509Certificate(Buffer.from(der, 'base64'));
    const at = raw.indexOf(marker);
    const start = at < 0 ? -1 : raw.indexOf(Buffer.from([0x80, 20]), at);
    return start < 0 ? [] : [raw.subarray(start + 2, start + 22).toString('base64url')];
  });
}

const fits = ({ path, values }: ClaimQuery, claims: Json): boolean => {
  const found = valuesAt(claims, path);
  return found.length > 0 && (values === undefined || found.some((value) => values.includes(value)));
};

function match(query: CredentialQuery, wallet: readonly Credential[]): Shown | undefined {
  for (const credential of wallet) {
    const { authorities } = query;
    const isTrusted = authorities === undefined || authorityKeysOf(credential).some((key) => authorities.includes(key));
    if (!query.types.includes(credential.vct) || !isTrusted) continue;
    const choice = query.choices.find((claims) => claims.every((claim) => fits(claim, credential.claims)));
    if (choice !== undefined) return { credential, paths: choice.map(({ path }) => path) };
  }
  return undefined;
}

/** @returns what the wallet shows for each query's id, or undefined where it cannot give what is required */
export function select({ credentials, sets }: Query, wallet: readonly Credential[]): Map<string, Shown> | undefined {
  const matches = new Map<string, Shown>();
  for (const query of credentials) {
    const shown = match(query, wallet);
    if (shown !== undefined) matches.set(query.id, shown);
  }
  if (sets.length === 0) return matches.size === credentials.length ? matches : undefined;
  const wanted = new Set<string>();
  for (const { options, isRequired } of sets.filter(({ isRequired: required }) => required)) {
    const option = options.find((ids) => ids.every((id) => matches.has(id)));
    if (option === undefined && isRequired) return undefined;
    for (const id of option ?? []) wanted.add(id);
  }
  return new Map([...matches].filter(([id]) => wanted.has(id)));
}
