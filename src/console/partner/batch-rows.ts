// All rows of a batch, read in pages, as many as there are.
import type { Client } from '@urql/preact';
import { byHash } from '../api/client.js';
import { type Fault, faultOf } from '../api/fault.js';
import { pause } from '../api/follow.js';
import { BatchResultsDocument, type BatchResultsQuery } from '../api/generated/graphql.js';
import { renewed } from '../api/session.js';

export type BatchResultRow = BatchResultsQuery['batch']['rows']['nodes'][number];

/** The pause after a temporary fault, milliseconds. */
const PAUSE_MS = 2_000;

export interface ReadProgress {
  read: number;
  fault?: Fault | undefined;
}

export const isFinal = (fault: Fault | undefined): boolean =>
  fault !== undefined && !fault.isPassing && !fault.needsToken;

/**
 * Reads all rows; undefined if that is refused. After a temporary fault, or with another token, it continues where it
 * was.
 */
export async function readAllRows(
  client: Client,
  jobId: string,
  tell: (progress: ReadProgress) => void,
  signal: AbortSignal,
): Promise<BatchResultRow[] | undefined> {
  const rows: BatchResultRow[] = [];
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
