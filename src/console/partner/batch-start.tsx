// Starts a batch. A dry run comes first, which counts the recipients that have such a credential already: what becomes of theirs is asked.
import { useClient } from '@urql/preact';
import { useEffect, useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import type { BatchFileRow } from '../../common/batch-row.js';
import type { Fault } from '../api/fault.js';
import {
  BatchFollowedDocument,
  BatchPageDocument,
  type OnDuplicate,
  StartBatchDocument,
} from '../api/generated/graphql.js';
import { useAction } from '../api/use-action.js';
import { useJob } from '../api/use-job.js';
import { useView } from '../api/use-view.js';
import { FaultSaid, Said } from '../parts/said.js';
import { counted, number } from '../parts/text.js';
import { readAllRows } from './batch-rows.js';

interface BatchStartProps {
  rows: readonly BatchFileRow[];
  credentialId: string;
  issuerDid: string;
  /** Names this file: the same click again is the same batch. */
  fileKey: string;
  /** Called when the batch is the gateway's work. */
  started(jobId: string): void;
}

/** Buttons that check the rows or issue them, and the question between the two. */
export function BatchStart({ rows, credentialId, issuerDid, fileKey, started }: BatchStartProps) {
  const [, navigate] = useLocation();
  const [check, setCheck] = useState<{ jobId: string | undefined; fileKey: string }>();
  // Of rows that were corrected since, it says nothing.
  const checkId = check?.fileKey === fileKey ? check.jobId : undefined;
  const { run, isRunning, fault } = useAction(StartBatchDocument);
  const start = async (sent: readonly BatchFileRow[], onDuplicate: OnDuplicate, dryRun: boolean, name: string) => {
    const input = { issuerDid, credentialId, rows: [...sent], onDuplicate, dryRun };
    const data = await run({ input: { ...input, idempotencyKey: `${fileKey}-${name}` } });
    return data?.issueOnBehalfBatch.job.jobId;
  };
  const open = (jobId: string | undefined): void => {
    if (jobId === undefined) return;
    started(jobId);
    navigate(`/partner/batch?${new URLSearchParams({ jobId })}`);
  };
  const issue = async (sent: readonly BatchFileRow[], onDuplicate: OnDuplicate, name: string): Promise<void> =>
    open(await start(sent, onDuplicate, false, name));
  const isDisabled = isRunning || rows.length === 0 || checkId !== undefined;
  return (
    <>
      <p class="actions">
        <button
          type="button"
          disabled={isDisabled}
          onClick={() => void start(rows, 'IGNORE', true, 'check').then(open)}
        >
          Only check
        </button>
        <button
          type="button"
          class="main"
          disabled={isDisabled}
          onClick={() => void start(rows, 'IGNORE', true, 'before').then((jobId) => setCheck({ jobId, fileKey }))}
        >
          Issue {counted(rows.length, 'credential')}
        </button>
      </p>
      {checkId !== undefined && (
        <Held jobId={checkId} rows={rows} isSending={isRunning} issue={issue} leave={() => setCheck(undefined)} />
      )}
      <Said fault={fault} />
    </>
  );
}

interface HeldProps {
  /** The dry run. */
  jobId: string;
  rows: readonly BatchFileRow[];
  isSending: boolean;
  issue(rows: readonly BatchFileRow[], onDuplicate: OnDuplicate, name: string): Promise<void>;
  leave(): void;
}

/** Waits for the dry run, and asks if recipients have one already. */
function Held({ jobId, rows, isSending, issue, leave }: HeldProps) {
  const view = useView(BatchPageDocument, { jobId });
  const state = view.data?.batch.state;
  useJob(BatchFollowedDocument, jobId, state === 'RUNNING', view.reload);
  const { total = 0, waiting = 0, held = 0 } = view.data?.batch.progress ?? {};
  const isDone = state !== undefined && state !== 'RUNNING';
  useEffect(() => {
    if (isDone && held === 0) void issue(rows, 'IGNORE', 'issue');
  }, [isDone, held]);
  if (view.fault) return <FaultSaid fault={view.fault} />;
  if (!isDone || held === 0)
    return (
      <p role="status">
        Checking who has one already: {number(total - waiting)} of {number(total)}.
      </p>
    );
  return <Choice jobId={jobId} rows={rows} held={held} isSending={isSending} issue={issue} leave={leave} />;
}

const CHOICES = {
  keep: 'They keep it, and get no other.',
  replace: 'Theirs is revoked, which cannot be undone, and they get this one.',
  omit: 'Their rows are left out.',
} as const;
type ChoiceName = keyof typeof CHOICES;

function Choice({ jobId, rows, held, isSending, issue, leave }: HeldProps & { held: number }) {
  const client = useClient();
  const [choice, setChoice] = useState<ChoiceName>('keep');
  const [fault, setFault] = useState<Fault>();
  const count = choice === 'replace' ? rows.length : rows.length - held;
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (choice !== 'omit') return issue(rows, choice === 'keep' ? 'IGNORE' : 'REVOKE', choice);
    setFault(undefined);
    const checked = await readAllRows(
      client,
      jobId,
      (progress) => setFault(progress.fault),
      new AbortController().signal,
    );
    if (checked === undefined) return;
    const having = new Set(checked.flatMap(({ rowKey, held }) => (held ? [rowKey] : [])));
    return issue(
      rows.filter(({ rowKey }) => !having.has(rowKey)),
      'IGNORE',
      choice,
    );
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <fieldset>
        <legend>
          {counted(held, 'recipient has', 'recipients have')} a live credential of this kind already, of{' '}
          {number(rows.length)}
        </legend>
        {Object.entries(CHOICES).map(([name, label]) => (
          <p key={name}>
            <label>
              <input
                type="radio"
                name="held"
                checked={choice === name}
                onChange={() => setChoice(name as ChoiceName)}
              />{' '}
              {label}
            </label>
          </p>
        ))}
      </fieldset>
      <p class="actions">
        <button type="submit" class="main" disabled={isSending || count === 0}>
          {choice === 'replace' ? `Revoke ${counted(held, 'credential')} and issue` : 'Issue'}{' '}
          {counted(count, 'credential')}
        </button>
        <button type="button" onClick={leave}>
          Do not
        </button>
      </p>
      {fault && <FaultSaid fault={fault} />}
    </form>
  );
}
