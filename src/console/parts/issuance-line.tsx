// An issuance in a list: the credential, its state, and since when.
import { Link } from 'wouter-preact';
import type { IssuanceFactsFragment, IssuanceStatus } from '../api/generated/graphql.js';
import { pathOf } from '../catalog/address.js';
import { Day, Name } from './text.js';

/** States of a claim. */
export const ISSUANCE_STATES: Readonly<Record<IssuanceStatus, string>> = {
  WAIT_ONCHAIN: 'is being anchored',
  ONCHAIN: 'is on the chain',
  WAIT_REMOVE: 'is being revoked',
  REMOVE: 'is revoked',
  EXPIRE: 'has expired',
};

export function IssuanceLine({ issuance }: { issuance: IssuanceFactsFragment }) {
  const { coreClaimHash, credentialId, vcStatus, createdAt, expiresAt, revokedAt } = issuance;
  return (
    <>
      <Link href={pathOf('credentials', credentialId)}>
        <Name text={credentialId} />
      </Link>{' '}
      {ISSUANCE_STATES[vcStatus as IssuanceStatus] ?? vcStatus}
      <p class="counts">
        Issued <Day time={createdAt} />
        {expiresAt && (
          <>
            , valid until <Day time={expiresAt} />
          </>
        )}
        {revokedAt && (
          <>
            , revoked <Day time={revokedAt} />
          </>
        )}
      </p>
      <p>
        <code>{coreClaimHash}</code>
      </p>
    </>
  );
}
