// A batch: begun with a file of recipients, followed live, with its results and what was refused.
import { useState } from 'preact/hooks';
import { Link, useSearch } from 'wouter-preact';
import { BatchFollowedDocument, BatchPageDocument, type BatchPageQuery } from '../api/generated/graphql.js';
import { keepSentFile, sentFile } from '../api/sent-files.js';
import { useJob } from '../api/use-job.js';
import { useView } from '../api/use-view.js';
import { useAfter } from '../catalog/entry.js';
import { Pager } from '../catalog/list-page.js';
import { Shown } from '../parts/shown.js';
import { counted, Text } from '../parts/text.js';
import { Title } from '../parts/title.js';
import { BatchResults } from './batch-results.js';
import { BATCH_STATES, BatchActions } from './batches-page.js';
import { subjectSentence } from './field-words.js';
import { NewBatch } from './new-batch.js';
import type { ReadFile } from './read-file.js';
import { RefusedRows } from './refused-rows.js';

/** A form for a new batch, or the batch whose id is in the address. */
export function BatchPage() {
  const query = new URLSearchParams(useSearch());
  const jobId = query.get('jobId');
  return (
    <>
      <Title text="Batch" />
      {jobId === null ? <NewBatch id={query.get('credentialId') ?? ''} /> : <Running key={jobId} jobId={jobId} />}
    </>
  );
}

function Running({ jobId }: { jobId: string }) {
  const after = useAfter();
  const view = useView(BatchPageDocument, { jobId, ...(after !== undefined && { after }) });
  const state = view.data?.batch.state;
  useJob(BatchFollowedDocument, jobId, state === 'RUNNING' || state === 'CANCELLING', view.reload);
  return <Shown view={view}>{({ batch }) => <Batch batch={batch} reload={view.reload} />}</Shown>;
}

function Batch({ batch, reload }: { batch: BatchPageQuery['batch']; reload(): void }) {
  const { jobId, state, dryRun, credentialId, finishedAt, progress, rows } = batch;
  const [file, setFile] = useState<ReadFile | undefined>(() => sentFile(jobId));
  const records = new Map(
    file?.records.map(({ record, row }) => [row.rowKey, { line: record.line, email: row.email }]),
  );
  const { total, waiting, issued, checked, held, failed, cancelled } = progress;
  return (
    <>
      <p role="status">
        The {dryRun ? 'check' : 'batch'} {BATCH_STATES[state]}: {dryRun ? `${checked} valid` : `${issued} issued`},{' '}
        {failed} refused, {cancelled} cancelled, {waiting} waiting, of {total}.
        {held > 0 && ` ${counted(held, 'recipient has', 'recipients have')} a live credential of this kind already.`}
      </p>
      <progress aria-label="Rows with a result" max={Math.max(total, 1)} value={total - waiting} />
      <BatchActions
        jobId={jobId}
        canCancel={state === 'RUNNING'}
        canRetry={state === 'FINISHED' && failed > 0 && !dryRun}
        reload={reload}
      />
      {failed > 0 && (state === 'FINISHED' || state === 'CANCELLED') && (
        <RefusedRows
          key={finishedAt}
          jobId={jobId}
          credentialId={credentialId}
          failed={failed}
          file={file}
          setFile={(chosen) => {
            keepSentFile(jobId, chosen);
            setFile(chosen);
          }}
        />
      )}
      <BatchResults key={state} jobId={jobId} total={total} file={file} />
      <p class="actions">
        <Link href={`/partner/batch?${new URLSearchParams({ credentialId })}`}>Another file</Link>
        <Link href="/partner/batches">All batches</Link>
        {issued > 0 && (
          <Link href={`/partner/revoke?${new URLSearchParams({ batchId: jobId })}`}>Revoke what it issued</Link>
        )}
      </p>
      <h2>All rows</h2>
      <ul class="lines">
        {rows.nodes.map((row) => (
          <li key={row.rowKey} class={row.state === 'FAILED' ? 'fault' : undefined}>
            <Place rowKey={row.rowKey} {...records.get(row.rowKey)} />: {row.state.toLowerCase()}
            {row.error && (
              <>
                {' '}
                – <Text text={subjectSentence(row.error.message ?? row.error.code, [])} />
              </>
            )}
          </li>
        ))}
      </ul>
      <Pager path="/partner/batch" search={location.search} info={rows.pageInfo} />
    </>
  );
}

/** Which row it is: its line and its address, if this page has the file. */
function Place({ rowKey, line, email }: { rowKey: string; line?: number; email?: string }) {
  if (line === undefined)
    return (
      <>
        Row <Text text={rowKey} />
      </>
    );
  return (
    <>
      Line {line} <Text text={email ?? ''} />
    </>
  );
}
