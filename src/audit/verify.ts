// Verifies the hash chain of the audit log: every row is hashed again, in order.
import type { Connection } from 'mongoose';
import { leaseModels } from '../store/lease.js';
import { type HashLink, GENESIS, rowHash } from './chain.js';
import { type AuditModels, auditModels, type SealedRow } from './models.js';
import { CHAIN_END } from './sealer.js';

/** The first place where the chain does not hold. */
export interface ChainBreak {
  seq: number;
  what: 'changed' | 'missing' | 'not what was expected';
}

/** The result of a verification; sound when nothing is broken. */
export interface ChainReport {
  /** Rows in the chain that hold. */
  verified: number;
  /** The last row that holds. */
  end: HashLink;
  broken?: ChainBreak;
  /** Rows that wait for their place; written within the last seconds, or no gateway is running. */
  pending: number;
  /** Rows without a place that do not wait for one either: somebody changed them. */
  outside: number;
}

const BATCH = 1_000;

/**
 * Verifies the chain up to the row that is newest when it begins.
 * @param expected hash that a row must have: the end that was printed and kept elsewhere earlier
 */
export async function verifyChain(connection: Connection, expected?: string): Promise<ChainReport> {
  const models = auditModels(connection);
  const saved = await savedEnd(connection);
  const { end, broken, sawExpected } = await walk(models, expected);
  const pending = await models.entries.countDocuments({ pending: true });
  const outside = await models.entries.countDocuments({ seq: { $exists: false }, pending: { $exists: false } });
  const report = { verified: end.seq, end, pending, outside };
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
}

async function walk({ entries }: AuditModels, expected: string | undefined): Promise<ChainWalk> {
  let end = GENESIS;
  let sawExpected = expected === undefined || expected === GENESIS.hash;
  const rows = entries
    .find({ seq: { $exists: true } })
    .sort({ seq: 1 })
    .lean<SealedRow[]>()
    .cursor({ batchSize: BATCH });
  for await (const row of rows) {
    const what = breakAt(row, end);
    if (what) return { end, sawExpected, broken: { seq: end.seq + 1, what } };
    end = { seq: row.seq, hash: row.hash };
    sawExpected ||= row.hash === expected;
  }
  return { end, sawExpected };
}

function breakAt(row: SealedRow, end: HashLink): ChainBreak['what'] | undefined {
  if (row.seq !== end.seq + 1) return 'missing';
  return row.previous === end.hash && row.hash === rowHash(row, end) ? undefined : 'changed';
}
