// The partner's own issuances, newest first, by filters that are kept in the address. Each can be revoked, and all that match.
import { Link, useLocation, useSearch } from 'wouter-preact';
import {
  type IssuanceFactsFragment,
  type IssuanceListWhere,
  type IssuanceStatus,
  OwnIssuancesDocument,
  RevokeOneDocument,
} from '../api/generated/graphql.js';
import { useAction } from '../api/use-action.js';
import { useView } from '../api/use-view.js';
import { withValues } from '../catalog/address.js';
import { Pager } from '../catalog/list-page.js';
import { ISSUANCE_STATES, IssuanceLine } from '../parts/issuance-line.js';
import { QueryOf } from '../parts/query.js';
import { FilterField, momentOf, StatusField } from '../parts/revocation-page.js';
import { Said } from '../parts/said.js';
import { Shown } from '../parts/shown.js';
import { counted } from '../parts/text.js';
import { Title } from '../parts/title.js';

const PATH = '/partner/issuances';
const STATES = Object.keys(ISSUANCE_STATES) as IssuanceStatus[];

function whereOf(given: URLSearchParams): IssuanceListWhere | undefined {
  const text = (name: string): string | undefined => given.get(name) || undefined;
  const where = {
    credentialId: text('credentialId'),
    userId: text('userId'),
    status: STATES.find((state) => state === text('status')),
    issuedFrom: text('issuedFrom') && momentOf(text('issuedFrom') ?? ''),
    issuedBefore: text('issuedBefore') && momentOf(text('issuedBefore') ?? ''),
  };
  const members = Object.entries(where).filter(([, value]) => value !== undefined);
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

export function IssuancesPage() {
  const search = useSearch();
  const given = new URLSearchParams(search);
  const [where, after] = [whereOf(given), given.get('after')];
  const variables = { ...(where && { where }), ...(after !== null && { after }) };
  const view = useView(OwnIssuancesDocument, variables);
  return (
    <>
      <Title text="Issuances" />
      <Filters given={given} search={search} />
      <p class="actions">
        <button type="button" onClick={view.reload}>
          Read again
        </button>
        <Link href={`/partner/revoke?${withValues(search, { after: '', before: '' })}`}>Revoke all that match</Link>
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
                <OwnIssuance key={issuance.id} issuance={issuance} reload={view.reload} />
              ))}
            </ul>
            <Pager path={PATH} search={search} info={pageInfo} />
          </>
        )}
      </Shown>
      <QueryOf document={OwnIssuancesDocument} variables={variables} />
    </>
  );
}

function Filters({ given, search }: { given: URLSearchParams; search: string }) {
  const [, navigate] = useLocation();
  const field = (name: string) => ({
    value: given.get(name) ?? '',
    set: (value: string) => navigate(`${PATH}?${withValues(search, { after: '', before: '', [name]: value.trim() })}`),
  });
  return (
    <search class="filters">
      <FilterField label="Id of the credential" {...field('credentialId')} />
      <FilterField label="userId of the holder" {...field('userId')} />
      <FilterField label="Issued from (UTC)" type="datetime-local" {...field('issuedFrom')} />
      <FilterField label="Issued before (UTC)" type="datetime-local" {...field('issuedBefore')} />
      <StatusField label="State" states={STATES} {...field('status')} />
    </search>
  );
}

function OwnIssuance({ issuance, reload }: { issuance: IssuanceFactsFragment; reload(): void }) {
  const { coreClaimHash, vcStatus, revokedAt } = issuance;
  const { run, isRunning, fault } = useAction(RevokeOneDocument);
  const revoke = async (): Promise<void> => {
    if (!confirm('Revoke this credential? It cannot be undone.')) return;
    if (await run({ input: { coreClaimHash } })) reload();
  };
  const isLive = revokedAt === null && vcStatus !== 'EXPIRE';
  return (
    <li>
      <IssuanceLine issuance={issuance} />
      {isLive && (
        <button type="button" disabled={isRunning} onClick={() => void revoke()}>
          Revoke
        </button>
      )}
      {fault && <Said fault={fault} />}
    </li>
  );
}
