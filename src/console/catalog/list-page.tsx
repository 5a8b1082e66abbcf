// A list of the catalog. Filters, order and page are in the address.
import { Link, useLocation, useSearch } from 'wouter-preact';
import { type Kind, useChanges } from '../api/changes.js';
import type {
  CredentialsQuery,
  IssuersQuery,
  PageOfListFragment,
  ProgramsQuery,
  SchemasQuery,
  VerifiersQuery,
} from '../api/generated/graphql.js';
import { useView } from '../api/use-view.js';
import { CommittedField } from '../parts/committed-field.js';
import { QueryOf } from '../parts/query.js';
import { Newer, Shown } from '../parts/shown.js';
import { counted, Name, Text } from '../parts/text.js';
import { Title } from '../parts/title.js';
import { pathOf, withValues } from './address.js';
import { LISTS, type ListKind } from './kinds.js';
import { CredentialLine, IssuerLine, ProgramLine } from './lines.js';

const PAGE = 25;

export function ListPage({ kind }: { kind: Kind }) {
  const search = useSearch();
  const list = LISTS[kind];
  const variables = variablesOf(list, new URLSearchParams(search));
  const view = useView(list.document, variables);
  const [changed, forget] = useChanges(kind);
  const showNewer = (): void => {
    forget();
    view.reload();
  };
  return (
    <>
      <Title text={list.title} />
      <Filters kind={kind} search={search} />
      <Newer changed={changed} show={showNewer} />
      <Shown view={view}>{(data) => <Entries kind={kind} data={data} search={search} />}</Shown>
      <QueryOf document={list.document} variables={variables} />
    </>
  );
}

/** The variables of a list's query, from the address. */
export function variablesOf({ name, exact, atLeast, orders }: ListKind, query: URLSearchParams) {
  const value = (key: string): string => query.get(key) ?? '';
  const order = value('order') in orders ? value('order') : (Object.keys(orders)[0] ?? '');
  const least = Number(value('atLeast'));
  const where = {
    ...(value('contains') !== '' && { [name.field]: { contains: value('contains') } }),
    ...(value('exact') !== '' && { [exact.field]: { eq: value('exact') } }),
    ...(order === atLeast.order && Number.isInteger(least) && least > 0 && { [atLeast.field]: { gte: least } }),
  };
  const direction = value('direction');
  const page = value('before') === '' ? { first: PAGE } : { last: PAGE, before: value('before') };
  return {
    where,
    orderBy: { field: order, ...(['ASC', 'DESC'].includes(direction) && { direction }) },
    ...page,
    ...(value('after') !== '' && { after: value('after') }),
  };
}

function Filters({ kind, search }: { kind: Kind; search: string }) {
  const [, navigate] = useLocation();
  const { name, exact, atLeast, orders } = LISTS[kind];
  const query = new URLSearchParams(search);
  const value = (key: string): string => query.get(key) ?? '';
  const order = value('order') || (Object.keys(orders)[0] ?? '');
  const set = (values: Record<string, string>): void =>
    navigate(`/${kind}?${withValues(search, { after: '', before: '', ...values })}`, { replace: true });
  const field = (key: string, label: string, type = 'search') => (
    <CommittedField
      label={label}
      type={type}
      value={value(key)}
      min={type === 'number' ? 1 : undefined}
      maxLength={200}
      commit={(text) => set({ [key]: text })}
    />
  );
  return (
    <search aria-label="Filters" class="filters">
      {field('contains', name.label)}
      {field('exact', exact.label)}
      {order === atLeast.order && field('atLeast', atLeast.label, 'number')}
      <label>
        Order
        <select value={order} onChange={({ currentTarget }) => set({ order: currentTarget.value, direction: '' })}>
          {Object.entries(orders).map(([key, label]) => (
            <option key={key} value={key}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <label>
        Direction
        <select value={value('direction')} onChange={({ currentTarget }) => set({ direction: currentTarget.value })}>
          <option value="">The usual one</option>
          <option value="ASC">Ascending</option>
          <option value="DESC">Descending</option>
        </select>
      </label>
    </search>
  );
}

interface Connection {
  totalCount: number;
  totalCountIsExact: boolean;
  pageInfo: PageOfListFragment;
  nodes: readonly unknown[];
}

function Entries({ kind, data, search }: { kind: Kind; data: unknown; search: string }) {
  const connection = (data as Partial<Record<Kind, Connection>>)[kind];
  if (connection === undefined) return null;
  const { totalCount, totalCountIsExact, nodes, pageInfo } = connection;
  return (
    <>
      <p role="status">
        {totalCountIsExact ? '' : 'More than '}
        {counted(totalCount, LISTS[kind].one)}
        {nodes.length === 0 && totalCount > 0 ? '; this page is empty.' : '.'}
      </p>
      <ul class="lines">{linesOf(kind, data)}</ul>
      <Pager path={`/${kind}`} search={search} info={pageInfo} />
    </>
  );
}

function linesOf(kind: Kind, data: unknown) {
  switch (kind) {
    case 'credentials':
      return (data as CredentialsQuery).credentials.nodes.map((node) => (
        <CredentialLine key={node.credentialId} credential={node} />
      ));
    case 'programs':
      return (data as ProgramsQuery).programs.nodes.map((node) => <ProgramLine key={node.programId} program={node} />);
    case 'issuers':
      return (data as IssuersQuery).issuers.nodes.map((node) => <IssuerLine key={node.issuerId} issuer={node} />);
    case 'schemas':
      return (data as SchemasQuery).schemas.nodes.map((node) => <SchemaLine key={node.schemaId} schema={node} />);
    case 'verifiers':
      return (data as VerifiersQuery).verifiers.nodes.map((node) => (
        <VerifierLine key={node.verifierId} verifier={node} />
      ));
  }
}

function SchemaLine({ schema }: { schema: SchemasQuery['schemas']['nodes'][number] }) {
  const { schemaId, title, description, version, credentialCount, issuerCount } = schema;
  return (
    <li>
      <Link href={pathOf('schemas', schemaId)}>
        <Name text={title} />
      </Link>{' '}
      <span class="quiet">version {version}</span>
      {description !== '' && (
        <p>
          <Text text={description} />
        </p>
      )}
      <p class="counts">
        {counted(credentialCount, 'credential')} of {counted(issuerCount, 'issuer')}
      </p>
    </li>
  );
}

function VerifierLine({ verifier }: { verifier: VerifiersQuery['verifiers']['nodes'][number] }) {
  const { verifierId, name, verifierDid, programs } = verifier;
  return (
    <li>
      <Link href={pathOf('verifiers', verifierId)}>
        <Name text={name} />
      </Link>{' '}
      <code>
        <bdi>{verifierDid}</bdi>
      </code>
      <p class="counts">{counted(programs.totalCount, 'program')}</p>
    </li>
  );
}

/** Links to the pages around this one. */
export function Pager({ path, search, info }: { path: string; search: string; info: PageOfListFragment }) {
  const { startCursor, endCursor, hasNextPage, hasPreviousPage } = info;
  if (!hasNextPage && !hasPreviousPage) return null;
  const to = (values: Record<string, string>): string =>
    `${path}?${withValues(search, { after: '', before: '', ...values })}`;
  return (
    <nav aria-label="Pages" class="actions">
      {hasPreviousPage && <Link href={to({ before: startCursor ?? '' })}>Previous page</Link>}
      {hasNextPage && <Link href={to({ after: endCursor ?? '' })}>Next page</Link>}
    </nav>
  );
}
