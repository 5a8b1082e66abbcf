// The operator's part of the console, loaded when it is opened. It shows what the key's role allows; the gateway checks every request.
import { useEffect, useState } from 'preact/hooks';
import { Link, Route, Switch, useLocation } from 'wouter-preact';
import type { Kind } from '../api/changes.js';
import { mayLeave } from '../api/drafts.js';
import { OperatorHomeDocument, type OperatorKeyRole, TroubleDocument } from '../api/generated/graphql.js';
import { may } from '../api/role.js';
import { byOperatorKey, onRenewed, setSession, useSession } from '../api/session.js';
import { useView } from '../api/use-view.js';
import { pathOf } from '../catalog/address.js';
import { Facts } from '../catalog/entry.js';
import { LISTS } from '../catalog/kinds.js';
import { EventsPage } from '../parts/events-page.js';
import { IssuancesPage } from '../parts/issuances-page.js';
import { NewCredential } from '../parts/new-credential.js';
import { RevocationPage } from '../parts/revocation-page.js';
import { Shown } from '../parts/shown.js';
import { counted, Moment, Text } from '../parts/text.js';
import { Title } from '../parts/title.js';
import { AuditPage } from './audit-page.js';
import { ChainJobsPage } from './chain-jobs-page.js';
import { CatalogEditor } from './editor/catalog-page.js';
import { EntryEditor } from './editor/entry-page.js';
import { ErasurePage } from './erasure-page.js';
import { ImportPage } from './import-page.js';
import { KeysPage } from './keys-page.js';
import { MirrorsPage } from './mirrors-page.js';
import { PartnerPage } from './partner-page.js';
import { PartnersPage } from './partners-page.js';
import { WebhooksPage } from './webhooks-page.js';

/** The views, each with the least role that it is for. */
const LINKS: readonly [path: string, label: string, role: OperatorKeyRole][] = [
  ['', 'Operator', 'READ'],
  ['/catalog', 'Entries', 'READ'],
  ['/import', 'Import', 'CATALOG'],
  ['/mirrors', 'Mirrors', 'READ'],
  ['/partners', 'Partners', 'READ'],
  ['/webhooks', 'Webhooks', 'READ'],
  ['/issuances', 'Issuances', 'READ'],
  ['/revoke', 'Revocation', 'ALL'],
  ['/events', 'Events', 'READ'],
  ['/erasure', 'Erasure', 'ALL'],
  ['/chain', 'Chain jobs', 'READ'],
  ['/audit', 'Audit log', 'READ'],
  ['/keys', 'Keys', 'ALL'],
];

const ROLES: Readonly<Record<OperatorKeyRole, string>> = {
  ALL: 'everything',
  CATALOG: 'read, and write the catalog',
  READ: 'read',
};

export function Operator() {
  const session = useSession();
  return session?.kind === 'operator' ? <Entered /> : <Entrance />;
}

/** Asks for a key, which stays in the memory of this page. */
function Entrance() {
  const [key, setKey] = useState('');
  const enter = (event: Event): void => {
    event.preventDefault();
    if (key.trim() !== '') setSession(byOperatorKey(key));
  };
  return (
    <>
      <Title text="For operators" />
      <p>
        The key stays in the memory of this page, and is asked for again after a reload. In the sandbox it is in{' '}
        <code>data/operator.key</code>.
      </p>
      <form class="filters" onSubmit={enter}>
        <label class="wide">
          An operator’s key
          <input
            type="password"
            autocomplete="off"
            value={key}
            onInput={({ currentTarget }) => setKey(currentTarget.value)}
          />
        </label>
        <button type="submit">Use the key</button>
      </form>
    </>
  );
}

function Entered() {
  const view = useView(OperatorHomeDocument, {});
  // Another key may have another role.
  useEffect(() => onRenewed(view.reload), []);
  return (
    <>
      <Shown view={view}>
        {({ whoAmI: { role, keyName } }) =>
          role ? (
            <>
              <Links role={role} />
              <Views role={role} keyName={keyName} />
            </>
          ) : null
        }
      </Shown>
      {view.data === undefined && view.fault && <Entrance />}
      {view.data !== undefined && <NewCredential label="Another key goes on where the last one ended" />}
    </>
  );
}

/** Whether this view, or one below it, is open. */
const isOpen = (path: string, below: string): boolean =>
  path === `/operator${below}` || (below !== '' && path.startsWith(`/operator${below}/`));

function Links({ role }: { role: OperatorKeyRole }) {
  const [path] = useLocation();
  return (
    <nav aria-label="Operator">
      <ul>
        {LINKS.filter(([, , needed]) => may(role, needed)).map(([below, label]) => (
          <li key={below}>
            <Link href={`/operator${below}`} aria-current={isOpen(path, below) ? 'page' : undefined}>
              {label}
            </Link>
          </li>
        ))}
        <li>
          <button type="button" class="plain" onClick={() => mayLeave() && setSession(undefined)}>
            Leave
          </button>
        </li>
      </ul>
    </nav>
  );
}

/** What only operators filter by. */
const REVOCATION_FILTERS = { holderDid: 'DID of the holder', partnerId: 'Id of the partner' } as const;

function Views({ role, keyName }: { role: OperatorKeyRole; keyName: string | null | undefined }) {
  const isAll = role === 'ALL';
  return (
    <Switch>
      <Route path="/operator">
        <Title text="Operator" />
        <Facts facts={{ 'May do': ROLES[role], Key: keyName && <Text text={keyName} /> }} />
        <TroubleView />
      </Route>
      <Route path="/operator/catalog">
        <CatalogEditor role={role} />
      </Route>
      <Route path="/operator/catalog/*">{() => <EntryInAddress key={location.pathname} role={role} />}</Route>
      {may(role, 'CATALOG') && <Route path="/operator/import" component={ImportPage} />}
      <Route path="/operator/mirrors" component={MirrorsPage} />
      <Route path="/operator/partners">
        <PartnersPage isAll={isAll} />
      </Route>
      <Route path="/operator/partners/:id">{({ id }) => <PartnerPage key={id} id={id} role={role} />}</Route>
      <Route path="/operator/webhooks">
        <WebhooksPage isAll={isAll} />
      </Route>
      <Route path="/operator/issuances">
        <IssuancesPage part="operator" mayRevoke={isAll} />
      </Route>
      {isAll && (
        <Route path="/operator/revoke">
          <RevocationPage path="/operator/revoke" more={REVOCATION_FILTERS} />
        </Route>
      )}
      <Route path="/operator/events">
        <EventsPage path="/operator/events" />
      </Route>
      {isAll && <Route path="/operator/erasure" component={ErasurePage} />}
      <Route path="/operator/audit" component={AuditPage} />
      <Route path="/operator/chain">
        <ChainJobsPage isAll={isAll} />
      </Route>
      {isAll && <Route path="/operator/keys" component={KeysPage} />}
      <Route>
        <Title text="There is no such page, or this key may not open it" />
      </Route>
    </Switch>
  );
}

/** What has stopped and waits for an operator. */
function TroubleView() {
  const view = useView(TroubleDocument, {});
  return (
    <Shown view={view}>
      {({ chainJobs, mirrors }) => {
        const stopped = mirrors.filter(({ state }) => state === 'STOPPED');
        return (
          <ul class="lines">
            <li>
              <Link href="/operator/chain?state=FAILED">{counted(chainJobs.length, 'chain job')}</Link>{' '}
              {chainJobs.length === 100 && 'or more '}failed.
            </li>
            <li>
              <Link href="/operator/mirrors">{counted(stopped.length, 'mirror')}</Link> stopped, of {mirrors.length}.
            </li>
          </ul>
        );
      }}
    </Shown>
  );
}

/** Ids may be URLs, which the router decodes only partly. */
function EntryInAddress({ role }: { role: OperatorKeyRole }) {
  const [, , , , kind = '', id = ''] = location.pathname.split('/');
  if (!Object.hasOwn(LISTS, kind)) return <Title text="There is no such kind of entry" />;
  const entryKind = kind as Kind;
  const entryId = decodeURIComponent(id);
  return (
    <EntryEditor
      kind={entryKind}
      id={entryId}
      role={role}
      facts={({ updatedAt }) => (
        <p>
          Changed <Moment time={String(updatedAt)} />. <Link href={pathOf(entryKind, entryId)}>In the catalog</Link>
        </p>
      )}
    />
  );
}
