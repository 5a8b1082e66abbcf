// The partner's own batches, newest first, with what can be done with each.
import { Link } from 'wouter-preact';
import {
  CancelBatchDocument,
  OwnBatchesDocument,
  type OwnBatchesQuery,
  RetryBatchDocument,
} from '../api/generated/graphql.js';
import { useAction } from '../api/use-action.js';
import { useView } from '../api/use-view.js';
import { useAfter } from '../catalog/entry.js';
import { Pager } from '../catalog/list-page.js';
import { QueryOf } from '../parts/query.js';
import { Said } from '../parts/said.js';
import { Shown } from '../parts/shown.js';
import { counted, Name } from '../parts/text.js';
import { Title } from '../parts/title.js';

export const BATCH_STATES = {
  RUNNING: 'is running',
  CANCELLING: 'is being cancelled',
  CANCELLED: 'is cancelled',
  FINISHED: 'is finished',
} as const;

export function BatchesPage() {
  const after = useAfter();
  const variables = after === undefined ? {} : { after };
  const view = useView(OwnBatchesDocument, variables);
  return (
    <>
      <Title text="Batches" />
      <p class="actions">
        <Link href="/partner/batch">A new batch</Link>
        <button type="button" onClick={view.reload}>
          Read again
        </button>
      </p>
      <Shown view={view}>
        {({ batches: { totalCount, totalCountIsExact, nodes, pageInfo } }) => (
          <>
            <p role="status">
              {totalCountIsExact ? '' : 'More than '}
              {counted(totalCount, 'batch', 'batches')}, newest first.
            </p>
            <ul class="lines">
              {nodes.map((batch) => (
                <BatchLine key={batch.jobId} batch={batch} reload={view.reload} />
              ))}
            </ul>
            <Pager path="/partner/batches" search={location.search} info={pageInfo} />
          </>
        )}
      </Shown>
      <QueryOf document={OwnBatchesDocument} variables={variables} />
    </>
  );
}

interface BatchLineProps {
  batch: OwnBatchesQuery['batches']['nodes'][number];
  reload(): void;
}

function BatchLine({ batch, reload }: BatchLineProps) {
  const { jobId, state, dryRun, credentialId, total, createdAt } = batch;
  return (
    <li>
      <Link href={`/partner/batch?${new URLSearchParams({ jobId })}`}>
        {dryRun && 'Check of '}
        {counted(total, 'row')} of <Name text={credentialId} />
      </Link>{' '}
      {BATCH_STATES[state]}
      <p class="counts">
        <time dateTime={createdAt}>{createdAt.slice(0, 19).replace('T', ' ')} UTC</time>, <code>{jobId}</code>
      </p>
      <BatchActions
        jobId={jobId}
        canCancel={state === 'RUNNING'}
        canRetry={state === 'FINISHED' && !dryRun}
        reload={reload}
      />
    </li>
  );
}

interface BatchActionsProps {
  jobId: string;
  canCancel: boolean;
  canRetry: boolean;
  /** Called after an action. */
  reload(): void;
}

/** Cancels a batch, or tries what was refused again. */
export function BatchActions({ jobId, canCancel, canRetry, reload }: BatchActionsProps) {
  const cancel = useAction(CancelBatchDocument);
  const retry = useAction(RetryBatchDocument);
  const act = async (action: typeof cancel | typeof retry): Promise<void> => {
    if (await action.run({ input: { jobId } })) reload();
  };
  return (
    <>
      {canCancel && (
        <button
          type="button"
          disabled={cancel.isRunning}
          onClick={() => confirm('Cancel this batch? Rows that wait are erased.') && void act(cancel)}
        >
          Cancel
        </button>
      )}
      {canRetry && (
        <button type="button" disabled={retry.isRunning} onClick={() => void act(retry)}>
          Try the refused rows again
        </button>
      )}
      <Said fault={cancel.fault ?? retry.fault} />
    </>
  );
}
