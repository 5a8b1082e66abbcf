// The audit log, newest first, with the values before and after each write.
import { useLocation, useSearch } from 'wouter-preact';
import { AuditLogDocument, type AuditLogQuery } from '../api/generated/graphql.js';
import { useView } from '../api/use-view.js';
import { withValues } from '../catalog/address.js';
import { Pager } from '../catalog/list-page.js';
import { CommittedField } from '../parts/committed-field.js';
import { QueryOf } from '../parts/query.js';
import { Scrolls } from '../parts/scrolls.js';
import { Shown } from '../parts/shown.js';
import { counted, Text } from '../parts/text.js';
import { Title } from '../parts/title.js';

const FILTERS = { subject: 'Id of what was written', actor: 'Who', operation: 'Operation' } as const;

export function AuditPage() {
  const search = useSearch();
  const [, navigate] = useLocation();
  const query = new URLSearchParams(search);
  const given = Object.keys(FILTERS).flatMap((name) => {
    const value = query.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  const after = query.get('after');
  const variables = { where: Object.fromEntries(given), ...(after !== null && { after }) };
  const view = useView(AuditLogDocument, variables);
  return (
    <>
      <Title text="Audit log" />
      <p>
        Its chain of hashes is checked by <code>npm run cli -- audit verify</code>.
      </p>
      <search class="filters">
        {Object.entries(FILTERS).map(([name, label]) => (
          <CommittedField
            key={name}
            label={label}
            type="search"
            maxLength={200}
            value={query.get(name) ?? ''}
            commit={(text) =>
              navigate(`/operator/audit?${withValues(search, { after: '', before: '', [name]: text })}`, {
                replace: true,
              })
            }
          />
        ))}
      </search>
      <Shown view={view}>
        {({ auditEntries: { totalCount, totalCountIsExact, nodes, pageInfo } }) => (
          <>
            <p role="status">
              {totalCountIsExact ? '' : 'More than '}
              {counted(totalCount, 'entry', 'entries')}.
            </p>
            <ul class="lines">
              {nodes.map((entry) => (
                <Entry key={entry.id} entry={entry} />
              ))}
            </ul>
            <Pager path="/operator/audit" search={search} info={pageInfo} />
          </>
        )}
      </Shown>
      <QueryOf document={AuditLogDocument} variables={variables} />
    </>
  );
}

function Entry({ entry }: { entry: AuditLogQuery['auditEntries']['nodes'][number] }) {
  const { at, actor, kid, operation, outcome, subjects, before, after, hash, seq } = entry;
  return (
    <li>
      <strong>{operation}</strong> {outcome}, by <Text text={kid ? `${actor} (${kid})` : actor} />,{' '}
      <time dateTime={at}>{at.slice(0, 19).replace('T', ' ')} UTC</time>
      <p>
        <code>
          <Text text={subjects.join(', ')} />
        </code>
      </p>
      <details>
        <summary>Before and after</summary>
        <Scrolls label="Before and after">
          <pre>{JSON.stringify({ before, after }, null, 2)}</pre>
        </Scrolls>
        <p class="quiet">
          {seq === null ? 'Not in the chain yet.' : `Number ${seq} of the chain: `}
          <code>{hash}</code>
        </p>
      </details>
    </li>
  );
}
