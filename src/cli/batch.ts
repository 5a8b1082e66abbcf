// `batch list` and `batch cancel`: the batches of issuances of all partners. The list is read from the store; a running gateway cancels.
import type { Connection } from 'mongoose';
import type { Config } from '../base/config/config.js';
import { badInput } from '../base/errors.js';
import { type BatchJobState, batchModels, type IssuanceJobRow } from '../issuance/batches/models.js';
import { partnerModels } from '../partners/models.js';
import { callGateway, type GatewayOptions, operatorKeyFor, requireGateway } from './gateway.js';
import { countOf, type Report } from './output.js';
import { openStoreBeside, requireStore } from './store-beside.js';

const SHOWN = 100;
/** States of rows that have ended. */
const ENDED = ['issued', 'checked', 'failed'];
const CANCELLED = 'cancelled';
const CANCEL = `mutation ($input: BatchInput!) { cancelBatch(input: $input) {
  job { jobId state progress { total issued failed cancelled waiting } } } }`;

interface BatchView extends Pick<IssuanceJobRow, 'partnerId' | 'credentialId' | 'state' | 'total' | 'dryRun'> {
  jobId: string;
  /** The partner's name; null if there is no such partner. */
  partner: string | null;
  createdAt: Date;
  /** The number of ended rows that were not cancelled. */
  ended: number;
  cancelled: number;
}

/** The newest batches, at most 100; `running`: only those that have not ended. @throws DomainError for a folder without a store. */
export async function listBatches(config: Config, { running = false }: { running?: boolean }): Promise<Report> {
  requireStore(config);
  const store = await openStoreBeside(config);
  try {
    await store.connected;
    const { jobs, rows } = batchModels(store.connection);
    const states: BatchJobState[] = ['running', 'cancelling'];
    const filter = running ? { state: { $in: states } } : {};
    const found = await jobs.find(filter).sort({ createdAt: -1 }).limit(SHOWN).lean<IssuanceJobRow[]>();
    const counts = await rows.aggregate<{ _id: { jobId: string; isCancelled: boolean }; count: number }>([
      { $match: { jobId: { $in: found.map(({ _id }) => _id) }, state: { $in: [...ENDED, CANCELLED] } } },
      { $group: { _id: { jobId: '$jobId', isCancelled: { $eq: ['$state', CANCELLED] } }, count: { $sum: 1 } } },
    ]);
    const names = await namesOf(store.connection, [...new Set(found.map(({ partnerId }) => partnerId))]);
    const countOfRows = (jobId: string, isCancelled: boolean): number =>
      counts.find(({ _id }) => _id.jobId === jobId && _id.isCancelled === isCancelled)?.count ?? 0;
    const batches = found.map(
      ({ _id: jobId, partnerId, credentialId, state, total, dryRun, createdAt }): BatchView => ({
        ...{ jobId, partnerId, credentialId, state, total, dryRun, createdAt },
        partner: names.get(partnerId) ?? null,
        ended: countOfRows(jobId, false),
        cancelled: countOfRows(jobId, true),
      }),
    );
    return { lines: [...batches.map(lineOf), countOf(batches.length, 'batch', 'batches')], json: { batches } };
  } finally {
    await store.close();
  }
}

/** The names of partners by id, of retired ones too. */
async function namesOf(connection: Connection, ids: readonly string[]): Promise<Map<string, string>> {
  const { partners } = partnerModels(connection);
  const rows = await partners.find({ _id: { $in: ids } }, { name: 1 }).lean<{ _id: string; name: string }[]>();
  return new Map(rows.map(({ _id, name }) => [_id, name]));
}

function lineOf(view: BatchView): string {
  const { jobId, createdAt, state, ended, cancelled, total, dryRun, credentialId, partnerId, partner } = view;
  const rows = `${ended} of ${countOf(total, 'row')}${dryRun ? ' checked' : ''}${cancelled > 0 ? `, ${cancelled} cancelled` : ''}`;
  return `${jobId}  ${createdAt.toISOString()}  ${state.padEnd(10)}  ${rows}  ${credentialId}  partner ${partnerId}${partner === null ? '' : ` (${partner})`}`;
}

interface Cancelled {
  data?: { cancelBatch: { job: { state: string; progress: { total: number; issued: number; waiting: number } } } };
  errors?: { message: string }[];
}

/** Cancels a batch at the gateway: rows that are not issued yet are erased. @throws DomainError, one sentence. */
export async function cancelBatch(config: Config, jobId: string, options: GatewayOptions): Promise<Report> {
  const url = await requireGateway(config, options);
  const headers = { 'content-type': 'application/json', 'x-admin-api-key': operatorKeyFor(config, options) };
  const body = { query: CANCEL, variables: { input: { jobId } } };
  const { data, errors } = (await callGateway(url, 'POST', '/graphql', { headers, body })) as Cancelled;
  if (!data || errors) throw badInput(`The gateway refused: ${errors?.[0]?.message ?? 'no reason is given'}`);
  const { job } = data.cancelBatch;
  const { issued, total } = job.progress;
  return {
    lines: [
      `batch ${jobId} is ${job.state.toLowerCase()}: ${issued} of ${countOf(total, 'row was', 'rows were')} issued; what is issued stays`,
    ],
    json: job,
  };
}
