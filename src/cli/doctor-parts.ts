// `doctor`: what the gateways that run know of their parts, as `GET /v1/admin/parts` has it.
import type { Connection } from 'mongoose';
import { openProblemsOf, partsOf } from '../operators/parts.js';
import { NOT_OVER, processLeaseModels } from '../store/process-rows.js';
import { type Finding, ok } from './finding.js';

/** The most processes whose problems are read. */
const MAX_PROCESSES = 1_000;

/** The open problems of all processes on the store: part, since when, sentence, and what to do. None if no process runs. */
export async function problemFindings(connection: Connection): Promise<Finding[]> {
  const { processes } = processLeaseModels(connection);
  const rows = await processes.find(NOT_OVER, { problems: 1 }).limit(MAX_PROCESSES).lean();
  if (rows.length === 0) return [];
  const found = partsOf(openProblemsOf(rows)).flatMap(({ part, state, since, sentence, todo }): Finding[] => {
    if (state === 'ok' || since === null || sentence === null || todo === null) return [];
    return [{ part, state, says: `${sentence} Since ${since.toISOString()}, say gateways.`, mend: todo }];
  });
  return found.length > 0 ? found : [ok('problems', 'the gateways that run know of none')];
}
