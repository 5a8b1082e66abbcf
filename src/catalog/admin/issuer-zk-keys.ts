// BBS keys of self-signing issuers (contract §12): checked before they are stored, and a kid keeps its key for good.
import { badInput, DomainError } from '../../base/errors.js';
import type { IssuerRow, IssuerZkKey } from '../rows/models.js';
import type { IssuerBody } from './bodies.js';
import type { EntryBody, WriteScope } from './kind.js';

/** The most keys of one issuer, removed ones included. */
const MAX_EVER = 500;
const RETRY_AFTER_SECONDS = 60;

type NewKey = IssuerBody['zkKeys'][number];

/** Texts of new keys, and whether each is a valid key; undefined if they cannot be checked. */
export type CheckedKeys = ReadonlyMap<string, boolean> | undefined;

const hasKey = (row: IssuerRow | undefined, { kid, publicKeyMultibase }: NewKey): boolean =>
  row?.zkKeys?.some((key) => key.kid === kid && key.publicKeyMultibase === publicKeyMultibase) ?? false;

/** Checks all keys that are new under their kid, in one call. @throws DomainError VERIFIER_BUSY. */
export async function checkedKeys(
  { issuerKeys }: WriteScope,
  items: readonly EntryBody<IssuerBody>[],
  before: ReadonlyMap<string, IssuerRow>,
): Promise<CheckedKeys> {
  const fresh = items.flatMap(({ id, body }) => body.zkKeys.filter((key) => !hasKey(before.get(id), key)));
  const texts = [...new Set(fresh.map(({ publicKeyMultibase }) => publicKeyMultibase))];
  const verdicts = await issuerKeys.areZkKeys(texts);
  return verdicts && new Map(texts.map((text, at) => [text, verdicts[at] ?? false]));
}

/**
 * The keys of an issuer as its row stores them: those of the body, and its earlier ones marked as removed.
 * @throws DomainError BAD_USER_INPUT for a text that is no key, CONFLICT for a kid with another key, VERIFICATION_OFF
 * if keys cannot be checked.
 */
export function zkKeysOf(
  { body }: EntryBody<IssuerBody>,
  before: IssuerRow | undefined,
  checked: CheckedKeys,
  now: Date,
): Pick<IssuerRow, 'zkKeys'> {
  const wanted = new Map(body.zkKeys.map((key, at) => [key.kid, { key, field: `zkKeys[${at}]` }]));
  const earlier = (before?.zkKeys ?? []).map((key): IssuerZkKey => {
    const again = wanted.get(key.kid);
    if (again === undefined) return { ...key, withdrawnAt: key.withdrawnAt ?? now };
    if (again.key.publicKeyMultibase !== key.publicKeyMultibase) throw keepsItsKey(again.field);
    wanted.delete(key.kid);
    return { ...key, withdrawnAt: null };
  });
  const fresh = [...wanted.values()].map(({ key, field }): IssuerZkKey => {
    requireKey(key, field, checked);
    return { ...key, createdAt: now, withdrawnAt: null };
  });
  const keys = [...earlier, ...fresh];
  if (keys.length > MAX_EVER)
    throw new DomainError('CONFLICT', `An issuer has at most ${MAX_EVER} keys, including removed ones.`, {
      field: 'zkKeys',
    });
  return keys.length === 0 ? {} : { zkKeys: keys };
}

/** The valid keys, as an operator writes them. */
export function countingKeys({ zkKeys = [] }: Pick<IssuerRow, 'zkKeys'>): NewKey[] {
  return zkKeys
    .filter(({ withdrawnAt }) => withdrawnAt === null)
    .map(({ kid, publicKeyMultibase }) => ({ kid, publicKeyMultibase }));
}

function requireKey({ publicKeyMultibase }: NewKey, place: string, checked: CheckedKeys): void {
  if (checked === undefined)
    throw new DomainError('VERIFICATION_OFF', 'Proofs are off here: "zkKeys" cannot be checked.', {
      field: 'zkKeys',
      retryAfter: RETRY_AFTER_SECONDS,
    });
  const field = `${place}.publicKeyMultibase`;
  if (!checked.get(publicKeyMultibase))
    throw badInput(`"${field}" must be a point of the group's right order, and not the identity.`, field);
}

const keepsItsKey = (field: string): DomainError =>
  new DomainError('CONFLICT', `"${field}.kid" already has another key, and the key of a kid cannot change.`, {
    field: `${field}.kid`,
  });
