// The results of all rows of a batch as a file. They are read in pages, as many as there are.
import { type Client, useClient } from '@urql/preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { byHash } from '../api/client.js';
import { type Fault, faultOf } from '../api/fault.js';
import { pause } from '../api/follow.js';
import { BatchResultsDocument, type BatchResultsQuery } from '../api/generated/graphql.js';
import { renewed } from '../api/session.js';
import { FaultSaid } from '../parts/said.js';
import { number } from '../parts/text.js';
import { toCsv } from './result-file.js';

type Row = BatchResultsQuery['batch']['rows']['nodes'][number];

/** The columns, with the names that `issue-batch` uses. */
const COLUMNS = ['row', 'state', 'coreClaimHash', 'userUuid', 'code', 'message'];
const cellsOf = ({ rowKey, state, coreClaimHash, userUuid, error }: Row): string[] =>
  [rowKey, state, coreClaimHash, userUuid, error?.code, error?.message].map((cell) => cell ?? '');

/** The pause after a temporary fault, milliseconds. */
const PAUSE_MS = 2_000;

interface Progress {
  read: number;
  fault?: Fault | undefined;
  /** The address of the file. */
  address?: string;
}

/** Reads the results on request, and offers them as a file. */
export function BatchResults({ jobId, total }: { jobId: string; total: number }) {
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
    const rows = await readRows(client, jobId, setProgress, signal);
    if (rows === undefined || signal.aborted) return;
    const file = new Blob([toCsv([COLUMNS, ...rows.map(cellsOf)])], { type: 'text/csv' });
    setProgress({ read: rows.length, address: URL.createObjectURL(file) });
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

const isFinal = (fault: Fault | undefined): boolean => fault !== undefined && !fault.isPassing && !fault.needsToken;

/**
 * Reads all rows; undefined if that is refused. After a temporary fault, or with another token, it continues where it
 * was.
 */
async function readRows(
  client: Client,
  jobId: string,
  tell: (progress: Progress) => void,
  signal: AbortSignal,
): Promise<Row[] | undefined> {
  const rows: Row[] = [];
  let after: string | undefined;
  while (!signal.aborted) {
    const variables = { jobId, ...(after !== undefined && { after }) };
    const { data, error } = await client
      .query(byHash(BatchResultsDocument), variables, { requestPolicy: 'network-only' })
      .toPromise();
    const fault = error && faultOf(error);
    if (data === undefined || fault !== undefined) {
      tell({ read: rows.length, fault });
      if (fault?.needsToken) await renewed(signal);
      else if (fault?.isPassing) await pause(PAUSE_MS, signal);
      else return undefined;
      continue;
    }
    const { nodes, pageInfo } = data.batch.rows;
    rows.push(...nodes);
    if (!pageInfo.hasNextPage) return rows;
    after = pageInfo.endCursor ?? undefined;
    tell({ read: rows.length });
  }
  return undefined;
}
