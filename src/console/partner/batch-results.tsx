// The results of all rows of a batch as a file. They are read in pages, as many as there are.
import { useClient } from '@urql/preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { csvLine } from '../../common/csv-text.js';
import { FaultSaid } from '../parts/said.js';
import { number } from '../parts/text.js';
import { type BatchResultRow, isFinal, type ReadProgress, readAllRows } from './batch-rows.js';
import type { ReadFile } from './read-file.js';
import { spreadsheetDelimiter } from './spreadsheet.js';

/** The columns, with the names that `issue-batch` uses. */
const COLUMNS = ['row', 'line', 'email', 'state', 'coreClaimHash', 'userUuid', 'code', 'message'];

/** The results as CSV; with lines, addresses, and rows that were not sent, if this page has the file. */
function textOf(rows: readonly BatchResultRow[], file: ReadFile | undefined): string {
  const resultOf = new Map(rows.map((row) => [row.rowKey, row]));
  const inFile = file?.records.flatMap(({ record, row }) => {
    const place = [row.rowKey, `${record.line}`, row.email];
    const result = resultOf.get(row.rowKey);
    if (result) return [[...place, ...cellsOf(result)]];
    return 'message' in row ? [[...place, 'REFUSED', '', '', 'BAD_USER_INPUT', row.message]] : [];
  });
  const delimiter = spreadsheetDelimiter();
  const lines = [COLUMNS, ...(inFile ?? rows.map((row) => [row.rowKey, '', '', ...cellsOf(row)]))];
  return `\ufeff${lines.map((cells) => csvLine(cells, delimiter)).join('')}`;
}

const cellsOf = ({ state, coreClaimHash, userUuid, error }: BatchResultRow): string[] =>
  [state, coreClaimHash, userUuid, error?.code, error?.message].map((cell) => cell ?? '');

interface Progress extends ReadProgress {
  /** The address of the file. */
  address?: string;
}

/** Reads the results on request, and offers them as a file. */
export function BatchResults({ jobId, total, file }: { jobId: string; total: number; file: ReadFile | undefined }) {
  const client = useClient();
  const [progress, setProgress] = useState<Progress>();
  const stop = useRef<AbortController>();
  const address = progress?.address;
  useEffect(() => () => stop.current?.abort(), []);
  useEffect(() => (address === undefined ? undefined : () => URL.revokeObjectURL(address)), [address]);
  const read = async (): Promise<void> => {
    stop.current = new AbortController();
    const { signal } = stop.current;
    setProgress({ read: 0 });
    const rows = await readAllRows(client, jobId, setProgress, signal);
    if (rows === undefined || signal.aborted) return;
    const results = new Blob([textOf(rows, file)], { type: 'text/csv' });
    setProgress({ read: rows.length, address: URL.createObjectURL(results) });
  };
  const isReading = progress !== undefined && address === undefined && !isFinal(progress.fault);
  return (
    <>
      <p class="actions">
        <button type="button" disabled={isReading} onClick={() => void read()}>
          Results of all rows
        </button>
        {address !== undefined && (
          <a href={address} download={`${jobId}.csv`}>
            Save {number(progress?.read ?? 0)} results as CSV
          </a>
        )}
      </p>
      <p role="status">{isReading && `Reading: ${number(progress.read)} of ${number(total)}.`}</p>
      {progress?.fault && <FaultSaid fault={progress.fault} />}
    </>
  );
}
