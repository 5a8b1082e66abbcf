// A batch from a CSV file: read and checked in a worker, tried or issued, followed live, and its results.
import { useState } from 'preact/hooks';
import { Link, useLocation, useSearch } from 'wouter-preact';
import {
  BatchFollowedDocument,
  BatchPageDocument,
  type BatchPageQuery,
  IssueFormDocument,
  StartBatchDocument,
} from '../api/generated/graphql.js';
import { newKey } from '../api/new-key.js';
import { useAction } from '../api/use-action.js';
import { useJob } from '../api/use-job.js';
import { useView } from '../api/use-view.js';
import { useAfter } from '../catalog/entry.js';
import { Pager } from '../catalog/list-page.js';
import { CommittedField } from '../parts/committed-field.js';
import { Said } from '../parts/said.js';
import { Shown } from '../parts/shown.js';
import { counted, Name, Text } from '../parts/text.js';
import { Title } from '../parts/title.js';
import type { BatchFile } from './batch-file.js';
import { readInWorker } from './batch-reader.js';
import { BatchResults } from './batch-results.js';
import { BATCH_STATES, BatchActions } from './batches-page.js';

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

function NewBatch({ id }: { id: string }) {
  const [, navigate] = useLocation();
  const view = useView(IssueFormDocument, { id }, id === '');
  return (
    <>
      <p>
        A CSV file as <code>issue-batch</code> takes it: the columns are <code>email</code>, <code>expiration</code> and{' '}
        <code>credentialSubject.&lt;field&gt;</code> with JSON in the cells.
      </p>
      <div class="field">
        <CommittedField
          label="Id of the credential"
          value={id}
          commit={(credentialId) => navigate(`/partner/batch?${new URLSearchParams({ credentialId })}`)}
        />
      </div>
      {id !== '' && (
        <Shown view={view}>
          {({ credential }) =>
            credential ? (
              <FileForm credentialId={id} name={credential.name} issuerDid={credential.issuer.issuerDid} />
            ) : (
              <p>There is no credential with this id.</p>
            )
          }
        </Shown>
      )}
    </>
  );
}

interface FileFormProps {
  credentialId: string;
  name: string;
  issuerDid: string;
}

function FileForm({ credentialId, name, issuerDid }: FileFormProps) {
  const [, navigate] = useLocation();
  const [file, setFile] = useState<BatchFile>();
  const [message, setMessage] = useState('');
  const [key, setKey] = useState('');
  const { run, isRunning, fault } = useAction(StartBatchDocument);
  const read = async (chosen: File | undefined): Promise<void> => {
    setFile(undefined);
    setMessage('');
    // A new key, so that sending the same file again creates another batch, while a repeated click does not.
    setKey(newKey());
    if (chosen === undefined) return;
    try {
      setFile(await readInWorker(await chosen.text()));
    } catch (error) {
      setMessage((error as Error).message);
    }
  };
  const start = async (dryRun: boolean): Promise<void> => {
    const rows = file?.rows ?? [];
    const input = { issuerDid, credentialId, rows, dryRun, idempotencyKey: `${key}${dryRun ? '-check' : ''}` };
    const data = await run({ input });
    if (data) navigate(`/partner/batch?${new URLSearchParams({ jobId: data.issueOnBehalfBatch.job.jobId })}`);
  };
  return (
    <>
      <h2>
        <Name text={name} />
      </h2>
      <div class="field">
        <label>
          The file
          <input
            type="file"
            accept=".csv,text/csv"
            onChange={({ currentTarget }) => void read(currentTarget.files?.[0])}
          />
        </label>
      </div>
      <p role="alert" class="fault">
        {message}
      </p>
      {file && <ReadFile file={file} isSending={isRunning} start={(dryRun) => void start(dryRun)} />}
      <Said fault={fault} />
    </>
  );
}

interface ReadFileProps {
  file: BatchFile;
  isSending: boolean;
  start(dryRun: boolean): void;
}

/** The rows and faults of a file, and buttons to continue. */
function ReadFile({ file: { rows, refused }, isSending, start }: ReadFileProps) {
  const isDisabled = isSending || rows.length === 0;
  return (
    <>
      <p role="status">
        {counted(rows.length, 'row')} can be sent, {refused.length} cannot.
      </p>
      <ul class="lines">
        {refused.slice(0, SHOWN_FAULTS).map((row) => (
          <li key={row.rowKey} class="fault">
            Row {row.rowKey} <Text text={row.email} />: <Text text={row.message} />
          </li>
        ))}
      </ul>
      <p class="actions">
        <button type="button" disabled={isDisabled} onClick={() => start(true)}>
          Only check
        </button>
        <button type="button" class="main" disabled={isDisabled} onClick={() => start(false)}>
          Issue {counted(rows.length, 'credential')}
        </button>
      </p>
    </>
  );
}

const SHOWN_FAULTS = 100;

function Running({ jobId }: { jobId: string }) {
  const after = useAfter();
  const view = useView(BatchPageDocument, { jobId, ...(after !== undefined && { after }) });
  const state = view.data?.batch.state;
  useJob(BatchFollowedDocument, jobId, state === 'RUNNING' || state === 'CANCELLING', view.reload);
  return <Shown view={view}>{({ batch }) => <Batch batch={batch} reload={view.reload} />}</Shown>;
}

function Batch({ batch, reload }: { batch: BatchPageQuery['batch']; reload(): void }) {
  const { jobId, state, dryRun, credentialId, progress, rows } = batch;
  const { total, waiting, issued, checked, failed, cancelled } = progress;
  return (
    <>
      <p role="status">
        The {dryRun ? 'check' : 'batch'} {BATCH_STATES[state]}: {dryRun ? `${checked} valid` : `${issued} issued`},{' '}
        {failed} refused, {cancelled} cancelled, {waiting} waiting, of {total}.
      </p>
      <progress aria-label="Rows with a result" max={Math.max(total, 1)} value={total - waiting} />
      <BatchActions
        jobId={jobId}
        canCancel={state === 'RUNNING'}
        canRetry={state === 'FINISHED' && failed > 0 && !dryRun}
        reload={reload}
      />
      <BatchResults key={state} jobId={jobId} total={total} />
      <p class="actions">
        <Link href={`/partner/batch?${new URLSearchParams({ credentialId })}`}>Another file</Link>
        <Link href="/partner/batches">All batches</Link>
        {issued > 0 && (
          <Link href={`/partner/revoke?${new URLSearchParams({ batchId: jobId })}`}>Revoke what it issued</Link>
        )}
      </p>
      <ul class="lines">
        {rows.nodes.map((row) => (
          <li key={row.rowKey} class={row.state === 'FAILED' ? 'fault' : undefined}>
            Row <Text text={row.rowKey} />: {row.state.toLowerCase()}
            {row.error && (
              <>
                {' '}
                – <Text text={row.error.message ?? row.error.code} />
              </>
            )}
          </li>
        ))}
      </ul>
      <Pager path="/partner/batch" search={location.search} info={rows.pageInfo} />
    </>
  );
}
