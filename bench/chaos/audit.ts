// What the store holds after a run, compared with what was acknowledged and what listeners were told.
import { spawnSync } from 'node:child_process';
import { MongoClient } from 'mongodb';
import { KEYSTORE_KEY } from '../gateway-process.js';
import type { Changes } from './changes.js';
import { CREDENTIAL, FOLLOWED, type Listener, type Load } from './load.js';

/** What must all be 0, and how much there was. */
export interface Findings {
  acknowledged: number;
  issued: number;
  lost: number;
  half: number;
  double: number;
  gaps: number;
  /** Issuances that the counts of the catalog have too many or too few. */
  miscounted: number;
  /** Listeners that were told less, more, or in another order than the log has it. */
  listenersWrong: number;
  /** Answers under a key that changed, and failures that did not say when to come back. */
  answersWrong: number;
  /** Entries of the catalog that are not as their last write left them. */
  entriesWrong: number;
  /** Acknowledged revocations that are not there, or have no event or several. */
  revocationsWrong: number;
  /** Reads that have other responses from another gateway. */
  disagreeing: number;
  /** Of `audit verify` and `traction verify`, those that found something. */
  checksFailed: number;
  retries: number;
}

/** What a run has done, and what its clients have got. */
export interface Outcome {
  load: Load;
  changes: Changes;
  listeners: readonly Listener[];
  disagreeing: readonly string[];
}

interface Rows {
  issuances: { hash: string; holder: string }[];
  stored: Set<string>;
  submitted: string[];
  /** Types and hashes of the followed events, in order. */
  log: string[];
  /** Hashes of revoked issuances. */
  revoked: Set<string>;
  entries: Map<string, { name: string; live: boolean }>;
  places: number[];
  counted: number;
}

interface CredentialRow {
  _id: string;
  name: string;
  live: boolean;
  traction?: { own?: { issuanceCount?: number } };
}

async function rowsOf(uri: string): Promise<Rows> {
  const client = await MongoClient.connect(uri, { directConnection: true });
  try {
    const db = client.db();
    const issuances = await db.collection('issuances').find().toArray();
    const stored = await db.collection('storedCredentials').find().toArray();
    const events = await db.collection('events').find().sort({ seq: 1 }).toArray();
    const credentials = await db.collection<CredentialRow>('credentials').find().toArray();
    const own = credentials.find(({ _id }) => _id === CREDENTIAL)?.traction?.own;
    const followed = events.filter(({ type }) => FOLLOWED.includes(type));
    const hashOf = (row: Record<string, unknown>): string => String(row.coreClaimHash);
    return {
      issuances: issuances.map((row) => ({ hash: hashOf(row), holder: String(row.holderId) })),
      revoked: new Set(issuances.filter(({ revokedAt }) => revokedAt).map(hashOf)),
      entries: new Map(credentials.map(({ _id, name, live }) => [_id, { name, live }])),
      stored: new Set(stored.map(hashOf)),
      submitted: events.filter(({ type }) => type === 'submitted').map(({ payload }) => hashOf(payload)),
      log: followed.map(({ type, payload }) => `${type} ${hashOf(payload)}`),
      places: events.map(({ seq }) => Number(seq)),
      counted: Number(own?.issuanceCount ?? 0),
    };
  } finally {
    await client.close();
  }
}

const twice = (values: readonly string[]): number => values.length - new Set(values).size;
const missing = (from: ReadonlySet<string>, values: Iterable<string>): number =>
  [...values].filter((value) => !from.has(value)).length;

/** How many of the commands that check a store find something. They print what. */
function failedChecks(uri: string): number {
  const env = { ...process.env, MONGODB_URI: uri, KEYSTORE_KEY };
  const checks = ['audit', 'traction'].map((what) => [what, 'verify']);
  const options = {
    env,
    stdio: ['ignore', 'pipe', 'inherit'] as ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8' as const,
  };
  return checks.filter((args) => {
    const { status, stdout } = spawnSync(process.execPath, ['dist/cli/main.js', ...args], options);
    if (status !== 0) console.log(stdout);
    return status !== 0;
  }).length;
}

/** Revocations that were acknowledged and are not there; and those without an event, or with several. */
function wrongRevocations({ revoked, log }: Rows, { revoked: acknowledged }: Changes): number {
  const events = log.filter((event) => event.startsWith('revoked ')).map((event) => event.slice('revoked '.length));
  const told = new Set(events);
  return missing(revoked, acknowledged) + missing(told, revoked) + missing(revoked, told) + twice(events);
}

/** Compares everything. */
export async function audit(uri: string, { load, changes, listeners, disagreeing }: Outcome): Promise<Findings> {
  const rows = await rowsOf(uri);
  const { issuances, stored, submitted, places, counted, entries } = rows;
  const hashes = new Set(issuances.map(({ hash }) => hash));
  const log = JSON.stringify(rows.log);
  const halves = [missing(stored, hashes), missing(hashes, stored), missing(new Set(submitted), hashes)];
  const isWritten = ([id, written]: [string, object]): boolean =>
    JSON.stringify(entries.get(id)) === JSON.stringify(written);
  return {
    acknowledged: load.acknowledged.size,
    issued: issuances.length,
    lost: missing(hashes, load.acknowledged.values()),
    half: halves.reduce((sum, count) => sum + count, missing(hashes, submitted)),
    // Each issuance has a holder of its own.
    double: twice(issuances.map(({ holder }) => holder)) + twice(submitted) + twice([...load.acknowledged.values()]),
    gaps: places.filter((place, at) => place !== at + 1).length,
    miscounted: Math.abs(counted - issuances.length),
    listenersWrong: listeners.filter(({ told }) => JSON.stringify(told) !== log).length,
    answersWrong: load.changed.length + load.wrong.length + changes.wrong.length,
    entriesWrong: [...changes.written].filter((entry) => !isWritten(entry)).length,
    revocationsWrong: wrongRevocations(rows, changes),
    disagreeing: disagreeing.length,
    checksFailed: failedChecks(uri),
    retries: load.retries,
  };
}

/** Whether nothing was found that must not be. */
export function isSound({ acknowledged: _, issued: __, retries: ___, ...faults }: Findings): boolean {
  return Object.values(faults).every((count) => count === 0);
}
