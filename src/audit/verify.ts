// Verifies the hash chain of the audit log: every row is hashed again, in order.
import type { Connection } from 'mongoose';
import { leaseModels } from '../store/lease.js';
import { type HashLink, GENESIS, rowHash } from './chain.js';
import { type AuditModels, type AuditRow, auditModels, type SealedRow } from './models.js';
import { CHAIN_END } from './sealer.js';

/** The first position at which the chain is broken. */
export interface ChainBreak {
  seq: number;
  what: 'changed' | 'missing' | 'not what was expected';
}

/** The result of a verification; without a break the chain is sound. */
export interface ChainReport {
  /** Rows of the chain that were verified. */
  verified: number;
  /** The last verified row. */
  end: HashLink;
  broken?: ChainBreak;
  /** Rows that were emptied because a holder was erased; a later row names each. */
  erased: number;
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
  const { end, broken, sawExpected, erased } = await walk(models, expected);
  const pending = await models.entries.countDocuments({ pending: true });
  const outside = await models.entries.countDocuments({ seq: { $exists: false }, pending: { $exists: false } });
  const report = { verified: end.seq, end, erased: erased.length, pending, outside };
  const unnamed = broken ? undefined : await unnamedErasure(models, erased);
  if (unnamed !== undefined) return { ...report, broken: { seq: unnamed, what: 'changed' } };
  if (broken) return { ...report, broken };
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
  /** Emptied rows. */
  erased: ErasedRow[];
}

type ErasedRow = Pick<SealedRow, '_id' | 'seq'>;

async function walk({ entries }: AuditModels, expected: string | undefined): Promise<ChainWalk> {
  let end = GENESIS;
  const erased: ErasedRow[] = [];
  let sawExpected = expected === undefined || expected === GENESIS.hash;
  const rows = entries
    .find({ seq: { $exists: true } })
    .sort({ seq: 1 })
    .lean<SealedRow[]>()
    .cursor({ batchSize: BATCH });
  for await (const row of rows) {
    const what = breakAt(row, end);
    if (what) return { end, sawExpected, erased, broken: { seq: end.seq + 1, what } };
    end = { seq: row.seq, hash: row.hash };
    sawExpected ||= row.hash === expected;
    if (row.erased) erased.push({ _id: row._id, seq: row.seq });
  }
  return { end, sawExpected, erased };
}

function breakAt(row: SealedRow, end: HashLink): ChainBreak['what'] | undefined {
  if (row.seq !== end.seq + 1) return 'missing';
  // The former content of an emptied row cannot be hashed again.
  return row.previous === end.hash && (row.erased || row.hash === rowHash(row, end)) ? undefined : 'changed';
}

/** The first emptied row that no row about an erasure names; undefined: all are named. */
async function unnamedErasure({ entries }: AuditModels, erased: readonly ErasedRow[]): Promise<number | undefined> {
  if (erased.length === 0) return undefined;
  const named = new Set<string>();
  for await (const { after } of entries.find({ operation: 'audit.erase' }).lean<AuditRow[]>().cursor())
    for (const id of (JSON.parse(after ?? '{}') as { entries?: string[] }).entries ?? []) named.add(id);
  return erased.find(({ _id }) => !named.has(_id))?.seq;
}
