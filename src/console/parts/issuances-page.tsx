// Issuances, newest first. The filters are in the address. Partners see their own issuances, operators see all. Each issuance can be revoked, and so
// can all that match the filters.
import { useEffect, useRef, useState } from 'preact/hooks';
import { Link, useLocation, useSearch } from 'wouter-preact';
import type { Changed } from '../api/changes.js';
import { follow } from '../api/follow.js';
import {
  type IssuanceFactsFragment,
  type IssuanceListWhere,
  type IssuanceStatus,
  IssuancesFollowedDocument,
  OwnIssuancesDocument,
  RevokeOneDocument,
} from '../api/generated/graphql.js';
import { useAction } from '../api/use-action.js';
import { useView } from '../api/use-view.js';
import { withValues } from '../catalog/address.js';
import { Pager } from '../catalog/list-page.js';
import { ISSUANCE_STATES, IssuanceLine } from './issuance-line.js';
import { QueryOf } from './query.js';
import { FilterField, momentOf, StatusField } from './revocation-page.js';
import { Said } from './said.js';
import { Newer, Shown } from './shown.js';
import { counted } from './text.js';
import { Title } from './title.js';

const STATES = Object.keys(ISSUANCE_STATES) as IssuanceStatus[];

function whereOf(given: URLSearchParams): IssuanceListWhere | undefined {
  const text = (name: string): string | undefined => given.get(name) || undefined;
  const where = {
    credentialId: text('credentialId'),
    issuerDid: text('issuerDid'),
    userId: text('userId'),
    status: STATES.find((state) => state === text('status')),
    issuedFrom: text('issuedFrom') && momentOf(text('issuedFrom') ?? ''),
    issuedBefore: text('issuedBefore') && momentOf(text('issuedBefore') ?? ''),
  };
  const members = Object.entries(where).filter(([, value]) => value !== undefined);
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

interface IssuancesPageProps {
  /** The part of the console that shows the page. */
  part: 'partner' | 'operator';
  mayRevoke: boolean;
}

export function IssuancesPage({ part, mayRevoke }: IssuancesPageProps) {
  const path = `/${part}/issuances`;
  const search = useSearch();
  const given = new URLSearchParams(search);
  const [where, after] = [whereOf(given), given.get('after')];
  const variables = { ...(where && { where }), ...(after !== null && { after }) };
  const view = useView(OwnIssuancesDocument, variables);
  const [changed, forget] = useIssuanceChanges(view.reload);
  const readAgain = (): void => {
    forget();
    view.reload();
  };
  return (
    <>
      <Title text="Issuances" />
      <Filters path={path} isOfAll={part === 'operator'} given={given} search={search} />
      <p class="actions">
        <button type="button" onClick={readAgain}>
          Read again
        </button>
        {mayRevoke && (
          <Link href={`/${part}/revoke?${withValues(search, { after: '', before: '' })}`}>Revoke all that match</Link>
        )}
      </p>
      <Newer changed={changed} show={readAgain} />
      <Shown view={view}>
        {({ issuances: { totalCount, totalCountIsExact, nodes, pageInfo } }) => (
          <>
            <p role="status">
              {totalCountIsExact ? '' : 'More than '}
              {counted(totalCount, 'issuance')}.
            </p>
            <ul class="lines">
              {nodes.map((issuance) => (
                <Line key={issuance.id} issuance={issuance} mayRevoke={mayRevoke} reload={readAgain} />
              ))}
            </ul>
            <Pager path={path} search={search} info={pageInfo} />
          </>
        )}
      </Shown>
      <QueryOf document={OwnIssuancesDocument} variables={variables} />
    </>
  );
}

/** Whether issuances have changed since the list was read. `reread` is called once the stream is open, for changes before that. */
function useIssuanceChanges(reread: () => void): [changed: Changed, forget: () => void] {
  const [changed, setChanged] = useState<Changed>('no');
  // The filters may have changed by the time that the stream is open.
  const latest = useRef(reread);
  latest.current = reread;
  useEffect(
    () =>
      follow(IssuancesFollowedDocument, () => ({}), {
        next: () => setChanged('yes'),
        opened(isAgain) {
          if (isAgain) setChanged((before) => (before === 'yes' ? 'yes' : 'maybe'));
          else latest.current();
        },
      }),
    [],
  );
  return [changed, () => setChanged('no')];
}

interface FiltersProps {
  path: string;
  /** Operators filter by state with another member than partners. */
  isOfAll: boolean;
  given: URLSearchParams;
  search: string;
}

const NARROWING = ['credentialId', 'issuerDid', 'userId', 'issuedFrom', 'status'];

function Filters({ path, isOfAll, given, search }: FiltersProps) {
  const [, navigate] = useLocation();
  const field = (name: string) => ({
    value: given.get(name) ?? '',
    set: (value: string) => navigate(`${path}?${withValues(search, { after: '', before: '', [name]: value.trim() })}`),
  });
  return (
    <search class="filters">
      <FilterField label="Id of the credential" {...field('credentialId')} />
      {isOfAll && <FilterField label="DID of the issuer" {...field('issuerDid')} />}
      <FilterField label="userId of the holder" {...field('userId')} />
      <FilterField label="Issued from (UTC)" type="datetime-local" {...field('issuedFrom')} />
      <FilterField label="Issued before (UTC)" type="datetime-local" {...field('issuedBefore')} />
      {!isOfAll || NARROWING.some((name) => given.get(name)) ? (
        <StatusField label="State" states={STATES} {...field('status')} />
      ) : (
        <p class="quiet">With a credential, an issuer, a holder or a first moment, also by state.</p>
      )}
    </search>
  );
}

interface LineProps {
  issuance: IssuanceFactsFragment;
  mayRevoke: boolean;
  reload(): void;
}

function Line({ issuance, mayRevoke, reload }: LineProps) {
  const { coreClaimHash, vcStatus, revokedAt } = issuance;
  const { run, isRunning, fault } = useAction(RevokeOneDocument);
  const revoke = async (): Promise<void> => {
    if (!confirm('Revoke this credential? It cannot be undone.')) return;
    if (await run({ input: { coreClaimHash } })) reload();
  };
  const isLive = mayRevoke && revokedAt === null && vcStatus !== 'EXPIRE';
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
