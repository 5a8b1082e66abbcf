// The partner's own issuances, newest first, each of which can be revoked.
import { Link } from 'wouter-preact';
import { OwnIssuancesDocument, type OwnIssuancesQuery, RevokeOneDocument } from '../api/generated/graphql.js';
import { useAction } from '../api/use-action.js';
import { useView } from '../api/use-view.js';
import { pathOf } from '../catalog/address.js';
import { useAfter } from '../catalog/entry.js';
import { Pager } from '../catalog/list-page.js';
import { QueryOf } from '../parts/query.js';
import { Said } from '../parts/said.js';
import { Shown } from '../parts/shown.js';
import { counted, Day, Name } from '../parts/text.js';
import { Title } from '../parts/title.js';

/** States of a claim (contract §6). */
const STATES: Readonly<Record<string, string>> = {
  WAIT_ONCHAIN: 'is being anchored',
  ONCHAIN: 'is on the chain',
  WAIT_REMOVE: 'is being revoked',
  REMOVE: 'is revoked',
  EXPIRE: 'has expired',
};

export function IssuancesPage() {
  const after = useAfter();
  const variables = after === undefined ? {} : { after };
  const view = useView(OwnIssuancesDocument, variables);
  return (
    <>
      <Title text="Issuances" />
      <p>
        <button type="button" onClick={view.reload}>
          Read again
        </button>
      </p>
      <Shown view={view}>
        {({ issuances: { totalCount, totalCountIsExact, nodes, pageInfo } }) => (
          <>
            <p role="status">
              {totalCountIsExact ? '' : 'More than '}
              {counted(totalCount, 'issuance')}.
            </p>
            <ul class="lines">
              {nodes.map((issuance) => (
                <IssuanceLine key={issuance.id} issuance={issuance} reload={view.reload} />
              ))}
            </ul>
            <Pager path="/partner/issuances" search={location.search} info={pageInfo} />
          </>
        )}
      </Shown>
      <QueryOf document={OwnIssuancesDocument} variables={variables} />
    </>
  );
}

interface IssuanceLineProps {
  issuance: OwnIssuancesQuery['issuances']['nodes'][number];
  reload(): void;
}

function IssuanceLine({ issuance, reload }: IssuanceLineProps) {
  const { coreClaimHash, credentialId, vcStatus, createdAt, expiresAt, revokedAt } = issuance;
  const { run, isRunning, fault } = useAction(RevokeOneDocument);
  const revoke = async (): Promise<void> => {
    if (!confirm('Revoke this credential? It cannot be undone.')) return;
    if (await run({ input: { coreClaimHash } })) reload();
  };
  const isLive = revokedAt === null && vcStatus !== 'EXPIRE';
  return (
    <li>
      <Link href={pathOf('credentials', credentialId)}>
        <Name text={credentialId} />
      </Link>{' '}
      {STATES[vcStatus] ?? vcStatus}
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
      {isLive && (
        <button type="button" disabled={isRunning} onClick={() => void revoke()}>
          Revoke
        </button>
      )}
      {fault && <Said fault={fault} />}
    </li>
  );
}
