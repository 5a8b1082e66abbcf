// Verifies the hash chain of the audit log: every row is hashed again, in order.
import type { Connection } from 'mongoose';
import { HOLDER_MEMBERS } from '../store/audit-operations.js';
import { ERASED } from '../store/erasure-port.js';
import { leaseModels } from '../store/lease.js';
import { contentHash, type HashLink, GENESIS, rowHash } from './chain.js';
import type { EmptiedEntry } from './forget.js';
import { type AuditModels, auditModels, type SealedRow } from './models.js';
import { CHAIN_END } from './sealer.js';

/** The first position at which the chain is broken. */
export interface ChainBreak {
  seq: number;
  what: 'changed' | 'missing' | 'not what was expected';
}

/** A row with emptied members. */
export interface EmptiedRow {
  seq: number;
  id: string;
  /** The erasure that emptied it. Null: no entry in the chain lists it, so the chain is broken. */
  erasureId: string | null;
}

/** The result of a verification; without a break the chain is sound. */
export interface ChainReport {
  /** Rows of the chain that were verified. */
  verified: number;
  /** The last verified row. */
  end: HashLink;
  broken?: ChainBreak;
  /**
   * Rows with members that were emptied because a holder was erased, in order. Each is listed by a row in the chain.
   */
  erased: EmptiedRow[];
  /** Rows that are not in the chain yet: they were written within the last seconds, or no gateway is running. */
  pending: number;
  /** Rows that are neither in the chain nor pending: somebody has changed them. */
  outside: number;
}

const BATCH = 1_000;

/**
 * Verifies the chain up to the newest row at the start.
 * @param expected a hash that some row must have: the end of the chain that an earlier verification printed
 */
export async function verifyChain(connection: Connection, expected?: string): Promise<ChainReport> {
  const models = auditModels(connection);
  const saved = await savedEnd(connection);
  const { end, broken, sawExpected, erased, erasures } = await walk(models, expected);
  const pending = await models.entries.countDocuments({ pending: true });
  const outside = await models.entries.countDocuments({ seq: { $exists: false }, pending: { $exists: false } });
  const emptied = erased.map(({ seq, id, ...row }) => ({ seq, id, erasureId: erasureOf(row, erasures.get(id)) }));
  const report = { verified: end.seq, end, erased: emptied, pending, outside };
  if (broken) return { ...report, broken };
  const unlisted = emptied.find(({ erasureId }) => erasureId === null);
  if (unlisted) return { ...report, broken: { seq: unlisted.seq, what: 'changed' } };
  if (end.seq < saved.seq) return { ...report, broken: { seq: end.seq + 1, what: 'missing' } };
  if (!sawExpected) return { ...report, broken: { seq: end.seq, what: 'not what was expected' } };
  return report;
}

async function savedEnd(connection: Connection): Promise<HashLink> {
  const row = await leaseModels(connection).checkpoints.findById(CHAIN_END).lean<{ state?: HashLink }>();
  return row?.state ?? GENESIS;
}

interface ChainWalk {
  end: HashLink;
  broken?: ChainBreak;
  sawExpected: boolean;
  /** Rows with emptied members, with the hash of their remaining content. */
  erased: ErasedRow[];
  /** The newest listing of each emptied row by an `audit.erase` entry, by the id of the row. */
  erasures: Map<string, Listed>;
}

interface ErasedRow {
  seq: number;
  id: string;
  /**
   * The hash of its remaining content; undefined if its operation never refers to a holder, so that emptying it was not
   * allowed.
   */
  hash: string | undefined;
  /** Whether its whole content is emptied. */
  isBlank: boolean;
}

/** Without a hash if it was listed by an earlier version, which emptied rows as a whole. */
type Listed = { erasureId: string; hash?: string };

async function walk({ entries }: AuditModels, expected: string | undefined): Promise<ChainWalk> {
  let end = GENESIS;
  const erased: ErasedRow[] = [];
  const erasures: ChainWalk['erasures'] = new Map();
  let sawExpected = expected === undefined || expected === GENESIS.hash;
  const rows = entries
    .find({ seq: { $exists: true } })
    .sort({ seq: 1 })
    .lean<SealedRow[]>()
    .cursor({ batchSize: BATCH });
  for await (const row of rows) {
    const what = breakAt(row, end);
    if (what) return { end, sawExpected, erased, erasures, broken: { seq: end.seq + 1, what } };
    end = { seq: row.seq, hash: row.hash };
    sawExpected ||= row.hash === expected;
    if (row.erased) erased.push(erasedRow(row));
    else if (row.operation === 'audit.erase') for (const [id, listed] of listedBy(row)) erasures.set(id, listed);
  }
  return { end, sawExpected, erased, erasures };
}

function breakAt(row: SealedRow, end: HashLink): ChainBreak['what'] | undefined {
  if (row.seq !== end.seq + 1) return 'missing';
  // The former content of an emptied row cannot be hashed again.
  return row.previous === end.hash && (row.erased || row.hash === rowHash(row, end)) ? undefined : 'changed';
}

function erasedRow(row: SealedRow): ErasedRow {
  const isBlank = row.subject === ERASED && row.before === null && row.after === null;
  const hash = HOLDER_MEMBERS[row.operation] && contentHash(row);
  return { seq: row.seq, id: row._id, hash, isBlank };
}

function listedBy({ subject, after }: SealedRow): [string, Listed][] {
  const erasureId = String(subject);
  const { entries = [] } = JSON.parse(after ?? '{}') as { entries?: (EmptiedEntry | string)[] };
  return entries.map((entry) =>
    typeof entry === 'string' ? [entry, { erasureId }] : [entry.id, { erasureId, hash: entry.hash }],
  );
}

/** The erasure that emptied a row; null if none lists the row with its remaining content. */
function erasureOf({ hash, isBlank }: Pick<ErasedRow, 'hash' | 'isBlank'>, listed: Listed | undefined): string | null {
  if (listed === undefined) return null;
  return (listed.hash === undefined ? isBlank : listed.hash === hash) ? listed.erasureId : null;
}
