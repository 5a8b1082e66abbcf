// The start page: search while typing, and the most used entries.
import { useEffect, useRef, useState } from 'preact/hooks';
import { Link, useLocation, useSearch } from 'wouter-preact';
import { PopularDocument, SearchDocument, type SearchQuery } from '../api/generated/graphql.js';
import { useView } from '../api/use-view.js';
import { QueryOf } from '../parts/query.js';
import { Shown } from '../parts/shown.js';
import { counted } from '../parts/text.js';
import { Title } from '../parts/title.js';
import { withValues } from './address.js';
import { CredentialLine, IssuerLine, ProgramLine } from './lines.js';

/** Search starts after a pause in typing of this length, milliseconds. */
const PAUSE_MS = 200;

export function Home() {
  const asked = new URLSearchParams(useSearch()).get('q') ?? '';
  return (
    <>
      <Title text="Catalog" />
      <SearchField asked={asked} />
      {asked === '' ? <Popular /> : <Found asked={asked} />}
    </>
  );
}

function SearchField({ asked }: { asked: string }) {
  const search = useSearch();
  const [, navigate] = useLocation();
  const [typed, setTyped] = useState(asked);
  const searched = useRef(asked);
  // Another address replaces what is typed. The field's own does not: it has no spaces around it, and more may have been typed meanwhile.
  useEffect(() => {
    if (asked !== searched.current) setTyped(asked);
    searched.current = asked;
  }, [asked]);
  useEffect(() => {
    const text = typed.trim();
    if (text === asked) return;
    const timer = setTimeout(() => {
      searched.current = text;
      navigate(`/?${withValues(search, { q: text })}`, { replace: true });
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <search class="filters">
      <label class="wide">
        Search credentials, programs and issuers
        <input
          type="search"
          value={typed}
          maxLength={200}
          autocomplete="off"
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      </label>
    </search>
  );
}

function Found({ asked }: { asked: string }) {
  const variables = { query: asked };
  const view = useView(SearchDocument, variables);
  return (
    <>
      <Shown view={view}>{({ search }) => <Results search={search} />}</Shown>
      <QueryOf document={SearchDocument} variables={variables} />
    </>
  );
}

function Results({ search: { totalResults, credentials, programs, issuers } }: { search: SearchQuery['search'] }) {
  return (
    <>
      <p role="status">
        {totalResults === 0 ? 'Nothing is found.' : `${counted(totalResults, 'result')}, best first.`}
      </p>
      {credentials.items.length > 0 && (
        <section aria-labelledby="found-credentials">
          <h2 id="found-credentials">{counted(credentials.total, 'credential')}</h2>
          <ul class="lines">
            {credentials.items.map(({ credential }) => (
              <CredentialLine key={credential.credentialId} credential={credential} />
            ))}
          </ul>
        </section>
      )}
      {programs.items.length > 0 && (
        <section aria-labelledby="found-programs">
          <h2 id="found-programs">{counted(programs.total, 'program')}</h2>
          <ul class="lines">
            {programs.items.map(({ program }) => (
              <ProgramLine key={program.programId} program={program} />
            ))}
          </ul>
        </section>
      )}
      {issuers.items.length > 0 && (
        <section aria-labelledby="found-issuers">
          <h2 id="found-issuers">{counted(issuers.total, 'issuer')}</h2>
          <ul class="lines">
            {issuers.items.map(({ issuer }) => (
              <IssuerLine key={issuer.issuerId} issuer={issuer} />
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function Popular() {
  const view = useView(PopularDocument, {});
  return (
    <>
      <Shown view={view}>
        {({ credentials, demanded, programs, issuers, schemas, verifiers }) => (
          <>
            <p>
              <Link href="/credentials">{counted(credentials.totalCount, 'credential')}</Link> from{' '}
              <Link href="/issuers">{counted(issuers.totalCount, 'issuer')}</Link> on{' '}
              <Link href="/schemas">{counted(schemas.totalCount, 'schema')}</Link>;{' '}
              <Link href="/programs">{counted(programs.totalCount, 'program')}</Link> of{' '}
              <Link href="/verifiers">{counted(verifiers.totalCount, 'verifier')}</Link>.
            </p>
            <section aria-labelledby="demanded-credentials">
              <h2 id="demanded-credentials">Credentials that the most programs accept</h2>
              <ul class="lines">
                {demanded.nodes.map((node) => (
                  <CredentialLine key={node.credentialId} credential={node} />
                ))}
              </ul>
            </section>
            <section aria-labelledby="popular-credentials">
              <h2 id="popular-credentials">Credentials with the most holders</h2>
              <ul class="lines">
                {credentials.nodes.map((node) => (
                  <CredentialLine key={node.credentialId} credential={node} />
                ))}
              </ul>
            </section>
            <section aria-labelledby="popular-programs">
              <h2 id="popular-programs">Programs with the most verifications</h2>
              <ul class="lines">
                {programs.nodes.map((node) => (
                  <ProgramLine key={node.programId} program={node} />
                ))}
              </ul>
            </section>
          </>
        )}
      </Shown>
      <QueryOf document={PopularDocument} variables={{}} />
    </>
  );
}
