// The operator's part of the console, loaded when it is opened. It shows what the key's role allows; the gateway checks every request.
import { useState } from 'preact/hooks';
import { Link, Route, Switch } from 'wouter-preact';
import { OperatorHomeDocument, type OperatorKeyRole } from '../api/generated/graphql.js';
import { byOperatorKey, setSession, useSession } from '../api/session.js';
import { useView } from '../api/use-view.js';
import { Facts } from '../catalog/entry.js';
import { Shown } from '../parts/shown.js';
import { Text } from '../parts/text.js';
import { Title } from '../parts/title.js';
import { AuditPage } from './audit-page.js';
import { ChainJobsPage } from './chain-jobs-page.js';
import { KeysPage } from './keys-page.js';
import { PartnerPage } from './partner-page.js';
import { PartnersPage } from './partners-page.js';

const LINKS: Readonly<Record<string, string>> = {
  '/operator': 'Operator',
  '/operator/partners': 'Partners',
  '/operator/audit': 'Audit log',
  '/operator/chain': 'Chain jobs',
};

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
  const isAll = view.data?.whoAmI.role === 'ALL';
  return (
    <>
      <nav aria-label="Operator">
        <ul>
          {Object.entries(LINKS).map(([path, label]) => (
            <li key={path}>
              <Link href={path}>{label}</Link>
            </li>
          ))}
          {isAll && (
            <li>
              <Link href="/operator/keys">Keys</Link>
            </li>
          )}
          <li>
            <button type="button" class="plain" onClick={() => setSession(undefined)}>
              Leave
            </button>
          </li>
        </ul>
      </nav>
      <Shown view={view}>
        {({ whoAmI: { role, keyName } }) => (
          <Switch>
            <Route path="/operator">
              <Title text="Operator" />
              <Facts facts={{ 'May do': role && ROLES[role], Key: keyName && <Text text={keyName} /> }} />
            </Route>
            <Route path="/operator/partners" component={PartnersPage} />
            <Route path="/operator/partners/:id">{({ id }) => <PartnerPage id={id} isAll={isAll} />}</Route>
            <Route path="/operator/audit" component={AuditPage} />
            <Route path="/operator/chain">
              <ChainJobsPage isAll={isAll} />
            </Route>
            <Route path="/operator/keys" component={KeysPage} />
          </Switch>
        )}
      </Shown>
    </>
  );
}
