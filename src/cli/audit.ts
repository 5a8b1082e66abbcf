// `audit verify` and `audit export`: the audit log for auditors, with a running gateway or without one.
import { AuditEntries } from '../audit/audit-entries.js';
import { exportLine } from '../audit/chain.js';
import { auditModels } from '../audit/models.js';
import type { AuditFilter } from '../audit/types.js';
import { type ChainReport, verifyChain } from '../audit/verify.js';
import type { Config } from '../base/config/config.js';
import { badInput, DomainError } from '../base/errors.js';
import type { Store } from '../store/connection.js';
import { countOf, type Report, type Terminal } from './output.js';
import { openStoreBeside, requireStore } from './store-beside.js';

/** Verifies the hash chain. @throws DomainError for an invalid `expect`. */
export function verifyAudit(config: Config, { expect }: { expect?: string }): Promise<Report> {
  const expected = expect?.toLowerCase();
  if (expected !== undefined && !/^[0-9a-f]{64}$/.test(expected)) throw badInput('--expect must be 64 hex digits.');
  return withStore(config, async ({ connection }) => {
    const report = await verifyChain(connection, expected);
    const sound = report.broken === undefined && report.outside === 0;
    return { lines: linesOf(report), json: { sound, ...report }, sound };
  });
}

function linesOf({ verified, end, broken, erased, pending, outside }: ChainReport): string[] {
  const lines = [
    `${countOf(verified, 'entry', 'entries')} verified`,
    ...emptiedLines(erased),
    `${pending} not yet chained`,
    ...(outside > 0 ? [`${outside} outside the chain: they were changed`] : []),
    `end ${end.seq} ${end.hash}`,
  ];
  if (broken?.what === 'not what was expected') return [...lines, 'broken: no entry has the expected hash'];
  return [...lines, broken ? `broken: entry ${broken.seq} is ${broken.what}` : 'the chain is intact'];
}

/** Emptied entries, grouped by erasure, in the order of the chain. */
function emptiedLines(erased: ChainReport['erased']): string[] {
  const byErasure = new Map<string, number[]>();
  for (const { seq, erasureId } of erased) {
    const who = erasureId === null ? 'no erasure in the chain' : `erasure ${erasureId}`;
    const seqs = byErasure.get(who) ?? [];
    seqs.push(seq);
    byErasure.set(who, seqs);
  }
  return [...byErasure].map(([who, seqs]) => `emptied by ${who}: ${seqs.join(', ')}`);
}

export interface ExportOptions {
  actor?: string;
  operation?: string;
  from?: string;
  to?: string;
}

/** Writes entries as NDJSON, oldest first. @throws DomainError for an invalid filter. */
export function exportAudit(options: ExportOptions, terminal: Terminal): Promise<void> {
  const { actor, operation } = options;
  const [from, to] = [momentOf(options.from, '--from'), momentOf(options.to, '--to')];
  const filter: AuditFilter = { actor: actorOf(actor), operation, from, to };
  return withStore(terminal.config(), async ({ connection }) => {
    const models = auditModels(connection);
    if (actor !== undefined && (await models.entries.exists({ actor })) === null)
      throw new DomainError('NOT_FOUND', `No entry has the actor "${actor}".`);
    for await (const row of new AuditEntries(models).rows(filter))
      if (!(await terminal.write(`${exportLine(row)}\n`))) return;
  });
}

/** @throws DomainError BAD_USER_INPUT for a text of another form. */
function actorOf(text: string | undefined): string | undefined {
  if (text === undefined || /^(operator|partner) \S/.test(text)) return text;
  throw badInput(`--actor must be "operator <name of the key>" or "partner <partnerId>"; "${text}" is neither.`);
}

function momentOf(text: string | undefined, option: string): Date | undefined {
  if (text === undefined) return undefined;
  const moment = new Date(text);
  if (Number.isNaN(moment.getTime())) throw badInput(`${option} must be a time in ISO 8601.`);
  return moment;
}

async function withStore<T>(config: Config, work: (store: Store) => Promise<T>): Promise<T> {
  requireStore(config);
  const store = await openStoreBeside(config);
  try {
    await store.connected;
    return await work(store);
  } finally {
    await store.close();
  }
}
