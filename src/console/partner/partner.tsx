// The partner's part of the console: signing in with a token or key, and the views of its own data. Loaded when it is
// opened.
import { useState } from 'preact/hooks';
import { Link, Route, Switch, useLocation } from 'wouter-preact';
import { mayLeave } from '../api/drafts.js';
import { PartnerHomeDocument } from '../api/generated/graphql.js';
import { byKeyFile, byToken, setSession, useSession } from '../api/session.js';
import { useView } from '../api/use-view.js';
import { Facts } from '../catalog/entry.js';
import { EventsPage } from '../parts/events-page.js';
import { IssuancesPage } from '../parts/issuances-page.js';
import { NewCredential } from '../parts/new-credential.js';
import { RevocationPage } from '../parts/revocation-page.js';
import { Shown } from '../parts/shown.js';
import { Text } from '../parts/text.js';
import { Title } from '../parts/title.js';
import { BatchPage } from './batch-page.js';
import { BatchesPage } from './batches-page.js';
import { IssuePage } from './issue-page.js';
import { VerificationsPage } from './verifications-page.js';
import { WebhookPage } from './webhook-page.js';
import { WebhooksPage } from './webhooks-page.js';
import { WhyPage } from './why-page.js';

const LINKS: Readonly<Record<string, string>> = {
  '/partner': 'Partner',
  '/partner/issue': 'Issue',
  '/partner/batch': 'Batch',
  '/partner/batches': 'Batches',
  '/partner/issuances': 'Issuances',
  '/partner/revoke': 'Revoke',
  '/partner/verifications': 'Verifications',
  '/partner/webhooks': 'Webhooks',
  '/partner/events': 'Events',
  '/partner/why': 'Why',
};

export function Partner() {
  const session = useSession();
  const [current] = useLocation();
  if (session?.kind !== 'partner') return <Entrance />;
  return (
    <>
      <nav aria-label="Partner">
        <ul>
          {Object.entries(LINKS).map(([path, label]) => (
            <li key={path}>
              <Link href={path} aria-current={current === path ? 'page' : undefined}>
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
      <Switch>
        <Route path="/partner" component={PartnerHome} />
        <Route path="/partner/issue" component={IssuePage} />
        <Route path="/partner/batch" component={BatchPage} />
        <Route path="/partner/batches" component={BatchesPage} />
        <Route path="/partner/issuances">
          <IssuancesPage part="partner" mayRevoke />
        </Route>
        <Route path="/partner/revoke">
          <RevocationPage path="/partner/revoke" />
        </Route>
        <Route path="/partner/events">
          <EventsPage path="/partner/events" />
        </Route>
        <Route path="/partner/verifications" component={VerificationsPage} />
        <Route path="/partner/webhooks" component={WebhooksPage} />
        <Route path="/partner/webhooks/:id">{({ id }) => <WebhookPage id={id} />}</Route>
        <Route path="/partner/why" component={WhyPage} />
        <Route>
          <Title text="There is no such page" />
        </Route>
      </Switch>
      <NewCredential label="A new token goes on where the last one ended" />
    </>
  );
}

/** Asks for a token or a key file. Neither leaves the memory of this page. */
function Entrance() {
  const [token, setToken] = useState('');
  const [fault, setFault] = useState('');
  const readFile = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    try {
      setSession(await byKeyFile(await file.text()));
    } catch (error) {
      setFault((error as Error).message);
    }
  };
  const enter = (event: Event): void => {
    event.preventDefault();
    if (token.trim() !== '') setSession(byToken(token));
  };
  return (
    <>
      <Title text="For partners" />
      <p>Tokens and keys stay in the memory of this page, and are asked for again after a reload.</p>
      <form class="filters" onSubmit={enter}>
        <label class="wide">
          A partner token, as <code>cli partner token</code> prints it
          <input
            type="password"
            autocomplete="off"
            value={token}
            onInput={({ currentTarget }) => setToken(currentTarget.value)}
          />
        </label>
        <button type="submit">Use the token</button>
      </form>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <label class="wide">
          Or the key file that <code>cli partner create</code> wrote: the page signs a token of five minutes whenever it
          needs one, which may issue and verify
          <input
            type="file"
            accept=".json,application/json"
            onChange={({ currentTarget }) => void readFile(currentTarget.files?.[0])}
          />
        </label>
      </form>
      <p role="alert" class="fault">
        {fault}
      </p>
    </>
  );
}

function PartnerHome() {
  const view = useView(PartnerHomeDocument, {});
  const session = useSession();
  return (
    <>
      <Title text="Partner" />
      <Shown view={view}>
        {({ whoAmI: { kind, partnerId, scopes, kid, expiresAt } }) =>
          kind === 'PARTNER' ? (
            <Facts
              facts={{
                Id: <code>{partnerId}</code>,
                'May do': (scopes ?? []).map((scope) => scope.toLowerCase()).join(', ') || 'nothing',
                'Signed with key': <Text text={kid ?? ''} />,
                'Token ends': expiresAt && <time dateTime={expiresAt}>{new Date(expiresAt).toLocaleTimeString()}</time>,
                'Tokens come from': session?.by === 'key' ? 'the key file' : 'what was pasted',
              }}
            />
          ) : (
            <p role="alert" class="fault">
              This token is not a partner’s.
            </p>
          )
        }
      </Shown>
    </>
  );
}
