// Partners over a real database, with a clock that tests move.

import { AuditLog } from '../../src/audit/audit-log.js';
import { auditModels } from '../../src/audit/models.js';
import { guardedFetch } from '../../src/http/outbound/guarded-fetch.js';
import { PartnerAdmin } from '../../src/partners/admin.service.js';
import { PartnerDirectory } from '../../src/partners/directory.service.js';
import { PartnerKeySets } from '../../src/partners/key-sets.js';
import { type PartnerRow, partnerModels } from '../../src/partners/models.js';
import { PartnerTokens } from '../../src/partners/token.service.js';
import { openDatabase } from '../support/database.js';
import { NOW } from './support.js';

/** Partner services as one process has them, over a database that holds these rows. */
export async function partnersWith(rows: PartnerRow[]) {
  const database = await openDatabase(partnerModels);
  const clock = { now: NOW };
  const process = partnerProcess(database.connection, clock);
  if (rows.length > 0) await process.models.partners.insertMany(rows);
  const another = async () => partnerProcess(await database.another(), clock);
  return { ...process, clock, another, close: () => database.close() };
}

function partnerProcess(connection: Parameters<typeof partnerModels>[0], clock: { now: number }) {
  const models = partnerModels(connection);
  const now = (): number => clock.now;
  const directory = new PartnerDirectory(models, now);
  const keySets = new PartnerKeySets({ fetch: guardedFetch({ allowLoopback: true }), clock: now });
  const tokens = new PartnerTokens(directory, keySets, now);
  const { record: recordWrites } = new AuditLog(auditModels(connection), now);
  const admin = new PartnerAdmin({ models, directory, sandbox: true, recordWrites, now: () => new Date(now()) });
  return { models, directory, keySets, tokens, admin };
}
