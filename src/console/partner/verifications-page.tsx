// The partner's own verifications, newest first, each with its receipt.
import { Link } from 'wouter-preact';
import { OwnVerificationsDocument } from '../api/generated/graphql.js';
import { useView } from '../api/use-view.js';
import { pathOf } from '../catalog/address.js';
import { useAfter } from '../catalog/entry.js';
import { Pager } from '../catalog/list-page.js';
import { QueryOf } from '../parts/query.js';
import { Shown } from '../parts/shown.js';
import { counted, Day, Name, Text } from '../parts/text.js';
import { Title } from '../parts/title.js';

export function VerificationsPage() {
  const after = useAfter();
  const variables = after === undefined ? {} : { after };
  const view = useView(OwnVerificationsDocument, variables);
  return (
    <>
      <Title text="Verifications" />
      <Shown view={view}>
        {({ verifications: { totalCount, nodes, pageInfo } }) => (
          <>
            <p role="status">{counted(totalCount, 'verification')}.</p>
            <ul class="lines">
              {nodes.map(({ verificationId, programId, result, reason, createdAt, receipt }) => (
                <li key={verificationId}>
                  <strong>{result.status}</strong>
                  {reason && ` (${reason})`}, for{' '}
                  {programId && (
                    <Link href={pathOf('programs', programId)}>
                      <Name text={programId} />
                    </Link>
                  )}
                  {createdAt && (
                    <p class="counts">
                      Started <Day time={createdAt} />
                    </p>
                  )}
                  {receipt && (
                    <details>
                      <summary>Its receipt</summary>
                      <code>
                        <Text text={receipt} />
                      </code>
                    </details>
                  )}
                </li>
              ))}
            </ul>
            <Pager path="/partner/verifications" search={location.search} info={pageInfo} />
          </>
        )}
      </Shown>
      <QueryOf document={OwnVerificationsDocument} variables={variables} />
    </>
  );
}
