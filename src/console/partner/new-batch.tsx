// A new batch: a file of recipients for one credential, whose rows are corrected in place and then sent.
import { useLocation } from 'wouter-preact';
import type { BatchRecord } from '../../common/batch-row.js';
import { useDraft } from '../api/drafts.js';
import { IssueFormDocument, type IssueFormQuery } from '../api/generated/graphql.js';
import { newKey } from '../api/new-key.js';
import { keepSentFile } from '../api/sent-files.js';
import { useView } from '../api/use-view.js';
import { CommittedField } from '../parts/committed-field.js';
import { Shown } from '../parts/shown.js';
import { counted, Name, Text } from '../parts/text.js';
import { BatchColumns } from './batch-columns.js';
import { BatchStart } from './batch-start.js';
import { ChooseFile } from './choose-file.js';
import { type ReadFile, rowsOf, withRecord } from './read-file.js';
import { RowsToCorrect, type RowToCorrect } from './rows-to-correct.js';
import { sameRecipients } from './same-recipient.js';

export function NewBatch({ id }: { id: string }) {
  const [, navigate] = useLocation();
  const view = useView(IssueFormDocument, { id }, id === '');
  return (
    <>
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
            credential ? <FileForm credential={credential} /> : <p>There is no credential with this id.</p>
          }
        </Shown>
      )}
    </>
  );
}

/** A file that was chosen and is not sent. */
interface ChosenFile {
  name: string;
  /** Of the file as it was read. */
  readKey: string;
  /** Of the rows as they are now: sending the same again is the same batch. */
  key: string;
  file: ReadFile;
  /** The keys of rows that were corrected here. */
  corrected: readonly string[];
}

function FileForm({ credential }: { credential: NonNullable<IssueFormQuery['credential']> }) {
  const { credentialId, name, issuer, dataPoints } = credential;
  const draft = useDraft<ChosenFile | undefined>('file', undefined);
  const chosen = draft.value;
  const correct = (record: BatchRecord): void => {
    if (chosen === undefined) return;
    const corrected = [...new Set([...chosen.corrected, record.rowKey])];
    draft.keep({ ...chosen, key: newKey(), file: withRecord(chosen.file, record), corrected });
  };
  return (
    <>
      <h2>
        <Name text={name} />
      </h2>
      <BatchColumns credentialId={credentialId} points={dataPoints} />
      <ChooseFile
        label="The file"
        fields={dataPoints}
        chosen={(file, fileName) =>
          draft.keep({ name: fileName, readKey: newKey(), key: newKey(), file, corrected: [] })
        }
        changed={() => draft.reset(undefined)}
      />
      {chosen && (
        <>
          <ReadRows chosen={chosen} correct={correct} />
          <BatchStart
            key={chosen.readKey}
            rows={rowsOf(chosen.file)}
            credentialId={credentialId}
            issuerDid={issuer.issuerDid}
            fileKey={chosen.key}
            started={(jobId) => {
              keepSentFile(jobId, chosen.file);
              draft.reset(chosen);
            }}
          />
        </>
      )}
    </>
  );
}

interface ReadRowsProps {
  chosen: ChosenFile;
  correct(record: BatchRecord): void;
}

/** The rows and faults of a file, and rows with the same recipient. */
function ReadRows({ chosen: { file, name, corrected }, correct }: ReadRowsProps) {
  const rows = rowsOf(file);
  const same = sameRecipients(rows);
  const lineOf = new Map(same.length > 0 ? file.records.map(({ record }) => [record.rowKey, record.line]) : []);
  const toCorrect = file.records.flatMap(({ record, row }): RowToCorrect[] => {
    const message = 'message' in row ? row.message : undefined;
    return message !== undefined || corrected.includes(row.rowKey) ? [{ record, email: row.email, message }] : [];
  });
  return (
    <>
      <p role="status">
        <Text text={name} />: {counted(rows.length, 'row')} can be sent, {file.records.length - rows.length} cannot.
      </p>
      {file.notes.map((note) => (
        <p key={note} class="quiet">
          Of the file, {note}.
        </p>
      ))}
      {same.length > 0 && (
        <p class="fault">
          {counted(same.length, 'row has', 'rows have')} the recipient of another row. A recipient gets one credential
          of a kind; take out all but one of these rows.
        </p>
      )}
      <ul class="lines">
        {same.slice(0, SHOWN_FAULTS).map(([rowKey, first]) => (
          <li key={rowKey} class="fault">
            Line {lineOf.get(rowKey)} has the recipient of line {lineOf.get(first)}
          </li>
        ))}
      </ul>
      {toCorrect.length > 0 && <RowsToCorrect columns={file.columns} rows={toCorrect} correct={correct} />}
    </>
  );
}

const SHOWN_FAULTS = 100;
