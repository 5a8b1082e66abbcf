// The partners, newest first.
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { PartnersDocument } from '../api/generated/graphql.js';
import { newKey } from '../api/new-key.js';
import { useView } from '../api/use-view.js';
import { useAfter } from '../catalog/entry.js';
import { Pager } from '../catalog/list-page.js';
import { QueryOf } from '../parts/query.js';
import { Shown } from '../parts/shown.js';
import { counted, Name, Text } from '../parts/text.js';
import { Title } from '../parts/title.js';

export function PartnersPage({ isAll }: { isAll: boolean }) {
  const after = useAfter();
  const [newId] = useState(newUuid);
  const variables = after === undefined ? {} : { after };
  const view = useView(PartnersDocument, variables);
  return (
    <>
      <Title text="Partners" />
      {isAll && (
        <p>
          <Link href={`/operator/partners/${newId}?new`}>A new partner</Link>
        </p>
      )}
      <Shown view={view}>
        {({ partners: { totalCount, nodes, pageInfo } }) => (
          <>
            <p role="status">{counted(totalCount, 'partner')}.</p>
            <ul class="lines">
              {nodes.map(({ partnerId, name, scopes, allowedOrigins, keySetProblem }) => (
                <li key={partnerId}>
                  <Link href={`/operator/partners/${partnerId}`}>
                    <Name text={name} />
                  </Link>{' '}
                  <span class="quiet">
                    may {scopes.map((scope) => scope.toLowerCase()).join(' and ') || 'do nothing'}
                  </span>
                  {keySetProblem && (
                    <p class="fault">
                      <Text text={keySetProblem} />
                    </p>
                  )}
                  <p class="counts">
                    <Text text={allowedOrigins.join(', ') || 'No pages of its own'} />
                  </p>
                </li>
              ))}
            </ul>
            <Pager path="/operator/partners" search={location.search} info={pageInfo} />
          </>
        )}
      </Shown>
      <QueryOf document={PartnersDocument} variables={variables} />
    </>
  );
}

/** A UUID of version 4 (RFC 9562). */
const newUuid = (): string => newKey().replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-a$4-$5');
