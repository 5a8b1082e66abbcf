// The console: its frame and its views by address.
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Link, Route, Router, Switch, useLocation } from 'wouter-preact';
import { useSearch as useBrowserSearch } from 'wouter-preact/use-browser-location';
import { type Kind, useIsLive } from './api/changes.js';
import { useGuardedLocation } from './api/drafts.js';
import { CredentialPage } from './catalog/credential-page.js';
import { Home } from './catalog/home.js';
import { LISTS } from './catalog/kinds.js';
import { ListPage } from './catalog/list-page.js';
import { IssuerPage, SchemaPage, VerifierPage } from './catalog/other-pages.js';
import { PlanPage } from './catalog/plan-page.js';
import { ProgramPage } from './catalog/program-page.js';
import { TickBar } from './catalog/ticks.js';
import { Title } from './parts/title.js';

const BASE = '/console';
const KINDS = Object.keys(LISTS) as Kind[];

const PAGES: Readonly<Record<Kind, () => ComponentChildren>> = {
  credentials: CredentialPage,
  issuers: IssuerPage,
  schemas: SchemaPage,
  programs: ProgramPage,
  verifiers: VerifierPage,
};

export function App() {
  return (
    <Router base={BASE} hook={useGuardedLocation} searchHook={useBrowserSearch}>
      <a class="skip" href="#main">
        To the content
      </a>
      <Header />
      <main id="main" tabIndex={-1}>
        <Views />
      </main>
      <TickBar />
    </Router>
  );
}

function Header() {
  const [path] = useLocation();
  const isLive = useIsLive();
  const link = (to: string, label: string) => (
    <li key={to}>
      <Link href={to} aria-current={path === to || (to !== '/' && path.startsWith(`${to}/`)) ? 'page' : undefined}>
        {label}
      </Link>
    </li>
  );
  return (
    <header>
      <nav aria-label="Console">
        <ul>
          {link('/', 'Catalog')}
          {KINDS.map((kind) => link(`/${kind}`, LISTS[kind].title))}
          {link('/plan', 'Plan')}
          {link('/partner', 'Partner')}
          {link('/operator', 'Operator')}
        </ul>
      </nav>
      <p class="quiet">
        {isLive ? 'Changes are marked as they come. ' : ''}
        <a href="/graphiql">GraphiQL</a> <a href="/docs">REST</a>
      </p>
    </header>
  );
}

const loadOperator = async () => (await import('./operator/operator.js')).Operator;
const loadPartner = async () => (await import('./partner/partner.js')).Partner;

/** A part of the console that is loaded when it is opened. */
function Later({ load }: { load(): Promise<() => ComponentChildren> }) {
  const [Part, setPart] = useState<() => ComponentChildren>();
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    load().then(
      (part) => setPart(() => part),
      () => setFailed(true),
    );
  }, [load]);
  if (hasFailed) return <p role="alert">This part cannot be loaded; reload the page.</p>;
  return Part === undefined ? <p role="status">Reading …</p> : <Part />;
}

function Views() {
  return (
    <Switch>
      <Route path="/" component={Home} />
      <Route path="/plan" component={PlanPage} />
      <Route path="/operator/*?">
        <Later load={loadOperator} />
      </Route>
      <Route path="/partner/*?">
        <Later load={loadPartner} />
      </Route>
      {KINDS.map((kind) => (
        <Route key={kind} path={`/${kind}`}>
          <ListPage key={kind} kind={kind} />
        </Route>
      ))}
      {KINDS.map((kind) => {
        const Page = PAGES[kind];
        return (
          <Route key={`${kind}/`} path={`/${kind}/*`}>
            {() => <Page key={location.pathname} />}
          </Route>
        );
      })}
      <Route>
        <Title text="There is no such page" />
        <p>
          <Link href="/">To the catalog</Link>
        </p>
      </Route>
    </Switch>
  );
}
