// The rows of a batch that the gateway refused, corrected in place and sent again alone.
import { useClient } from '@urql/preact';
import { useEffect, useState } from 'preact/hooks';
import type { BatchRecord } from '../../common/batch-row.js';
import { useDraft } from '../api/drafts.js';
import { IssueFormDocument, type IssueFormQuery } from '../api/generated/graphql.js';
import { newKey } from '../api/new-key.js';
import { keepSentFile } from '../api/sent-files.js';
import { useView } from '../api/use-view.js';
import { FaultSaid } from '../parts/said.js';
import { Shown } from '../parts/shown.js';
import { number, Text } from '../parts/text.js';
import { type BatchResultRow, type ReadProgress, readAllRows } from './batch-rows.js';
import { BatchStart } from './batch-start.js';
import { ChooseFile } from './choose-file.js';
import { subjectSentence } from './field-words.js';
import { type ReadFile, rowsOf, withRecord } from './read-file.js';
import { RowsToCorrect } from './rows-to-correct.js';

type Credential = NonNullable<IssueFormQuery['credential']>;

interface RefusedRowsProps {
  jobId: string;
  credentialId: string;
  /** How many there are. */
  failed: number;
  /** The file that was sent, if this page has it. */
  file: ReadFile | undefined;
  setFile(file: ReadFile): void;
}

export function RefusedRows(props: RefusedRowsProps) {
  const view = useView(IssueFormDocument, { id: props.credentialId });
  return (
    <section>
      <h2>{number(props.failed)} refused</h2>
      <Shown view={view}>
        {({ credential }) =>
          credential ? <Refused {...props} credential={credential} /> : <p>The credential is gone.</p>
        }
      </Shown>
    </section>
  );
}

function Refused({ jobId, file, setFile, credential }: RefusedRowsProps & { credential: Credential }) {
  const client = useClient();
  const [rows, setRows] = useState<BatchResultRow[]>();
  const [progress, setProgress] = useState<ReadProgress>({ read: 0 });
  useEffect(() => {
    const stop = new AbortController();
    void readAllRows(client, jobId, setProgress, stop.signal).then((all) =>
      setRows(all?.filter(({ state }) => state === 'FAILED')),
    );
    return () => stop.abort();
  }, [jobId]);
  if (progress.fault) return <FaultSaid fault={progress.fault} />;
  if (rows === undefined) return <p role="status">Reading: {number(progress.read)} rows.</p>;
  const messages = new Map(rows.map((row) => [row.rowKey, messageOf(row, credential)]));
  if (file === undefined)
    return (
      <>
        <RowsWithoutFile messages={messages} />
        <p>
          The gateway has erased what it was sent. To see the addresses and correct these rows, choose the file again.
        </p>
        <ChooseFile label="The file that was sent" fields={credential.dataPoints} chosen={setFile} />
      </>
    );
  return <Corrections file={file} messages={messages} credential={credential} />;
}

const messageOf = ({ error }: BatchResultRow, { dataPoints }: Credential): string =>
  subjectSentence(error?.message ?? error?.code ?? '', dataPoints);

const SHOWN = 100;

function RowsWithoutFile({ messages }: { messages: ReadonlyMap<string, string> }) {
  return (
    <ul class="lines">
      {[...messages].slice(0, SHOWN).map(([rowKey, message]) => (
        <li key={rowKey} class="fault">
          Row <Text text={rowKey} /> – <Text text={message} />
        </li>
      ))}
    </ul>
  );
}

interface CorrectionsProps {
  file: ReadFile;
  messages: ReadonlyMap<string, string>;
  credential: Credential;
}

interface Corrected {
  key: string;
  records: readonly BatchRecord[];
}

function Corrections({ file, messages, credential }: CorrectionsProps) {
  const draft = useDraft<Corrected>('corrected', { key: newKey(), records: [] });
  const { key, records } = draft.value;
  const refused = { ...file, records: file.records.filter(({ row }) => messages.has(row.rowKey)) };
  const now = records.reduce(withRecord, refused);
  const keys = new Set(records.map(({ rowKey }) => rowKey));
  const due = { ...now, records: now.records.filter(({ row }) => keys.has(row.rowKey)) };
  const rows = now.records.map(({ record, row }) => ({
    record,
    email: row.email,
    message: 'message' in row ? row.message : keys.has(row.rowKey) ? undefined : messages.get(row.rowKey),
  }));
  const correct = (record: BatchRecord): void =>
    draft.keep({ key: newKey(), records: [...records.filter(({ rowKey }) => rowKey !== record.rowKey), record] });
  return (
    <>
      <RowsToCorrect columns={file.columns} rows={rows} correct={correct} />
      {due.records.length > 0 && (
        <BatchStart
          rows={rowsOf(due)}
          credentialId={credential.credentialId}
          issuerDid={credential.issuer.issuerDid}
          fileKey={key}
          started={(nextId) => {
            keepSentFile(nextId, due);
            draft.reset({ key: newKey(), records: [] });
          }}
        />
      )}
    </>
  );
}
