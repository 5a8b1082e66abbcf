// A batch from a CSV file: read and checked in a worker, tried or issued, followed live, and its results.
import { useState } from 'preact/hooks';
import { Link, useLocation, useSearch } from 'wouter-preact';
import { useDraft } from '../api/drafts.js';
import {
  BatchFollowedDocument,
  BatchPageDocument,
  type BatchPageQuery,
  IssueFormDocument,
} from '../api/generated/graphql.js';
import { newKey } from '../api/new-key.js';
import { useJob } from '../api/use-job.js';
import { useView } from '../api/use-view.js';
import { useAfter } from '../catalog/entry.js';
import { Pager } from '../catalog/list-page.js';
import { CommittedField } from '../parts/committed-field.js';
import { Shown } from '../parts/shown.js';
import { counted, Name, Text } from '../parts/text.js';
import { Title } from '../parts/title.js';
import type { BatchFile } from './batch-file.js';
import { readInWorker } from './batch-reader.js';
import { BatchResults } from './batch-results.js';
import { BatchStart } from './batch-start.js';
import { BATCH_STATES, BatchActions } from './batches-page.js';
import { sameRecipients } from './same-recipient.js';

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

/** A file that was chosen and is not sent. */
interface ChosenFile {
  name: string;
  key: string;
  file: BatchFile;
}

function FileForm({ credentialId, name, issuerDid }: FileFormProps) {
  const draft = useDraft<ChosenFile | undefined>('file', undefined);
  const [message, setMessage] = useState('');
  const read = async (chosen: File | undefined): Promise<void> => {
    draft.reset(undefined);
    setMessage('');
    if (chosen === undefined) return;
    try {
      // A new key, so that sending the same file again creates another batch, while a repeated click does not.
      draft.keep({ name: chosen.name, key: newKey(), file: await readInWorker(await chosen.text()) });
    } catch (error) {
      setMessage((error as Error).message);
    }
  };
  const chosen = draft.value;
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
      {chosen && (
        <>
          <ReadFile file={chosen.file} name={chosen.name} />
          <BatchStart
            key={chosen.key}
            rows={chosen.file.rows}
            credentialId={credentialId}
            issuerDid={issuerDid}
            fileKey={chosen.key}
            started={() => draft.reset(chosen)}
          />
        </>
      )}
    </>
  );
}

/** The rows and faults of a file, and rows with the same recipient. */
function ReadFile({ file: { rows, refused }, name }: { file: BatchFile; name: string }) {
  const same = sameRecipients(rows);
  return (
    <>
      <p role="status">
        <Text text={name} />: {counted(rows.length, 'row')} can be sent, {refused.length} cannot.
      </p>
      {same.length > 0 && (
        <p class="fault">
          {counted(same.length, 'row has', 'rows have')} the recipient of another row. A recipient gets one credential
          of a kind; take out all but one of these rows.
        </p>
      )}
      <ul class="lines">
        {same.slice(0, SHOWN_FAULTS).map(([rowKey, first]) => (
          <li key={`same ${rowKey}`} class="fault">
            Row {rowKey} has the recipient of row {first}
          </li>
        ))}
        {refused.slice(0, SHOWN_FAULTS).map((row) => (
          <li key={row.rowKey} class="fault">
            Row {row.rowKey} <Text text={row.email} />: <Text text={row.message} />
          </li>
        ))}
      </ul>
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
