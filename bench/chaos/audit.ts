// What the store holds after a run, compared with what was acknowledged and what listeners were told.
import { MongoClient } from 'mongodb';
import { CREDENTIAL, type Listener, type Load } from './load.js';

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
  retries: number;
}

interface Rows {
  issuances: { hash: string; holder: string }[];
  stored: Set<string>;
  submitted: string[];
  places: number[];
  counted: number;
}

interface CredentialRow {
  _id: string;
  traction?: { own?: { issuanceCount?: number } };
}

async function rowsOf(uri: string): Promise<Rows> {
  const client = await MongoClient.connect(uri, { directConnection: true });
  try {
    const db = client.db();
    const issuances = await db.collection('issuances').find().toArray();
    const stored = await db.collection('storedCredentials').find().toArray();
    const events = await db.collection('events').find().sort({ seq: 1 }).toArray();
    const credential = await db.collection<CredentialRow>('credentials').findOne({ _id: CREDENTIAL });
    return {
      issuances: issuances.map(({ coreClaimHash, holderId }) => ({ hash: coreClaimHash, holder: String(holderId) })),
      stored: new Set(stored.map(({ coreClaimHash }) => String(coreClaimHash))),
      submitted: events.filter(({ type }) => type === 'submitted').map(({ payload }) => String(payload.coreClaimHash)),
      places: events.map(({ seq }) => Number(seq)),
      counted: Number(credential?.traction?.own?.issuanceCount ?? 0),
    };
  } finally {
    await client.close();
  }
}

const twice = (values: readonly string[]): number => values.length - new Set(values).size;
const missing = (from: ReadonlySet<string>, values: Iterable<string>): number =>
  [...values].filter((value) => !from.has(value)).length;

/** Compares everything. */
export async function audit(uri: string, load: Load, listeners: readonly Listener[]): Promise<Findings> {
  const { issuances, stored, submitted, places, counted } = await rowsOf(uri);
  const hashes = new Set(issuances.map(({ hash }) => hash));
  const log = JSON.stringify(submitted);
  const halves = [missing(stored, hashes), missing(hashes, stored), missing(new Set(submitted), hashes)];
  return {
    acknowledged: load.acknowledged.size,
    issued: issuances.length,
    lost: missing(hashes, load.acknowledged.values()),
    half: halves.reduce((sum, count) => sum + count, missing(hashes, submitted)),
    // Each issuance has a holder of its own.
    double: twice(issuances.map(({ holder }) => holder)) + twice(submitted) + twice([...load.acknowledged.values()]),
    gaps: places.filter((place, at) => place !== at + 1).length,
    miscounted: Math.abs(counted - issuances.length),
    listenersWrong: listeners.filter(({ told }) => JSON.stringify(told.map(({ hash }) => hash)) !== log).length,
    answersWrong: load.changed.length + load.wrong.length,
    retries: load.retries,
  };
}

/** Whether nothing was found that must not be. */
export function isSound({ lost, half, double, gaps, miscounted, listenersWrong, answersWrong }: Findings): boolean {
  return lost + half + double + gaps + miscounted + listenersWrong + answersWrong === 0;
}
