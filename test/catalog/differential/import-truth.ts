// What must be true after imports and single writes that ran at once: results, audit log, events and stored rows say the same.
import type { Connection } from 'mongoose';
import { auditModels, type AuditRow } from '../../../src/audit/models.js';
import { catalogModels } from '../../../src/catalog/rows/models.js';
import { eventModels } from '../../../src/events/models.js';
import type { LineResult, SentLine } from './import-lines.js';

/** One change of one credential, as the audit log has it. */
interface Change {
  id: string;
  outcome: string;
  before: { etag: string; live: boolean; name: string } | null;
  after: { etag: string; live: boolean; name: string };
}

/** An import as one request: some lines of a killed one have no result. */
export interface ImportRun {
  lines: readonly SentLine[];
  results: readonly LineResult[];
}

/** A single write that the gateway has confirmed. */
export interface SingleWrite {
  id: string;
  /** The name that it gave the entry; undefined: it retired the entry. */
  name?: string;
}

function changesOf({ subject, outcome, before, after }: AuditRow): Change[] {
  const [from, to] = [before, after].map((text) => JSON.parse(text ?? 'null'));
  if (typeof subject === 'string') return [{ id: subject, outcome, before: from, after: to }];
  return subject.map((id) => ({ id, outcome, before: from?.[id] ?? null, after: to[id] }));
}

const countBy = <T>(items: readonly T[], key: (item: T) => string): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(key(item), (counts.get(key(item)) ?? 0) + 1);
  return counts;
};

/** All changes of credentials in the audit log. */
export async function auditedChanges(connection: Connection): Promise<Change[]> {
  const rows = await auditModels(connection)
    .entries.find({ operation: { $in: ['credential.put', 'credential.retire'] } })
    .lean();
  return rows.flatMap((row) => changesOf(row as AuditRow));
}

/** What is wrong with the chain from each credential's first state to its stored one: no change is lost, or recorded twice. */
export async function brokenChains(connection: Connection, changes: readonly Change[]): Promise<string[]> {
  const stored = await catalogModels(connection).credentials.find({}, { etag: 1, live: 1 }).lean();
  const sums = new Map<string, number>();
  const add = (id: string, state: { etag: string; live: boolean } | null, by: number): void => {
    const key = `${id} ${state === null ? 'absent' : `${state.etag} ${state.live}`}`;
    sums.set(key, (sums.get(key) ?? 0) + by);
  };
  for (const { id, before, after } of changes) {
    add(id, before, -1);
    add(id, after, 1);
  }
  for (const row of stored) {
    add(row._id, null, 1);
    add(row._id, row, -1);
  }
  return [...sums].flatMap(([state, sum]) => (sum === 0 ? [] : [`${state}: ${sum}`]));
}

/** Which numbers of events differ from the numbers of changes, by credential and type. */
export async function missingEvents(connection: Connection, changes: readonly Change[]): Promise<string[]> {
  const words: Record<string, string> = { created: 'added', updated: 'changed', retired: 'retired' };
  const expected = countBy(changes, ({ id, outcome }) => `${words[outcome]} ${id}`);
  const rows = await eventModels(connection)
    .events.find({ type: /^catalog_entry_/, 'payload.kind': 'credentials' })
    .lean();
  const told = rows.flatMap(({ type, payload }) =>
    (payload as { ids: string[] }).ids.map((id) => `${type.slice('catalog_entry_'.length)} ${id}`),
  );
  const actual = countBy(told, (key) => key);
  return [...new Set([...expected.keys(), ...actual.keys()])].flatMap((key) => {
    const [is, should] = [actual.get(key) ?? 0, expected.get(key) ?? 0];
    return is === should ? [] : [`${key}: ${is} events of ${should}`];
  });
}

const isWritten = ({ result }: LineResult): boolean => result === 'created' || result === 'updated';

/** The results that are not true of the changes. */
export function falseResults(
  runs: readonly ImportRun[],
  singles: readonly SingleWrite[],
  changes: readonly Change[],
  fleeting: string,
): string[] {
  const faults: string[] = [];
  // Others are written by hand before the imports.
  const puts = changes.filter(({ id, outcome }) => outcome !== 'retired' && /^cr\d/.test(id));
  const entries = countBy(puts, ({ id, after }) => `${id} ${after.name}`);
  const outcomes = countBy(puts, ({ id, after, outcome }) => `${outcome} ${id} ${after.name}`);
  const known = new Map<string, number>();
  const said = new Map<string, number>();
  const unknown = new Map<string, number>();
  const bump = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const { lines, results } of runs) {
    for (const [at, { entry, refusal }] of lines.entries()) {
      const result = results[at];
      if (result === undefined) {
        if (entry) bump(unknown, `${entry.id} ${entry.name}`);
        continue;
      }
      if (result.line !== at + 1) faults.push(`line ${at + 1} has the result of line ${result.line}`);
      if (entry === undefined) {
        if (result.result !== 'refused' || !result.message?.includes(refusal ?? ''))
          faults.push(`a bad line: ${JSON.stringify(result)}`);
        continue;
      }
      const key = `${entry.id} ${entry.name}`;
      if (isWritten(result)) {
        bump(known, key);
        bump(said, `${result.result} ${key}`);
      } else if (result.result === 'unchanged') {
        if (!entries.has(key)) faults.push(`unchanged, but nothing wrote it: ${key}`);
      } else if (entry.issuerId !== fleeting || result.message !== `"issuerId" names no issuer: ${fleeting}.`)
        faults.push(`a good line: ${JSON.stringify(result)}`);
    }
  }
  for (const { id, name } of singles) if (name !== undefined) bump(known, `${id} ${name}`);
  for (const key of new Set([...entries.keys(), ...known.keys()])) {
    const [is, least] = [entries.get(key) ?? 0, known.get(key) ?? 0];
    const most = least + (unknown.get(key) ?? 0);
    if (!key.includes(' first ') && (is < least || is > most))
      faults.push(`${key}: ${is} changes, results say ${least} to ${most}`);
  }
  for (const [key, count] of said)
    if ((outcomes.get(key) ?? 0) < count) faults.push(`${key}: ${outcomes.get(key)} in the audit log of ${count}`);
  const retired = countBy(
    changes.filter(({ outcome }) => outcome === 'retired'),
    ({ id }) => id,
  );
  const confirmed = countBy(
    singles.filter(({ name }) => name === undefined),
    ({ id }) => id,
  );
  for (const id of new Set([...retired.keys(), ...confirmed.keys()]))
    if (retired.get(id) !== confirmed.get(id))
      faults.push(`${id}: retired ${retired.get(id)} times of ${confirmed.get(id)}`);
  return faults;
}
