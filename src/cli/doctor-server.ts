// `doctor`: the MongoDB server behind the store, its version, members, oplog and clock, and the privileges of the gateway's user.
import { type Document, MongoClient } from 'mongodb';
import type { Connection } from 'mongoose';
import type { Config } from '../base/config/config.js';
import type { Hello } from '../store/server-check.js';
import { bad, type Finding, ok, warn } from './finding.js';

/** A difference between clocks that is worth a warning. Above the tolerance of tokens, callers are refused. */
const APART_MS = 2_000;
const TOLERATED_MS = 30_000;
const HOUR_MS = 3_600_000;
/** The actions of the gateway and of `migrate` in their database. MongoDB's role `readWrite` includes all of them. */
const ACTIONS = [
  'find',
  'insert',
  'update',
  'remove',
  'changeStream',
  'createCollection',
  'createIndex',
  'dropIndex',
  'listCollections',
  'listIndexes',
] as const;

/** The findings of the server; for MongoDB, also its members, oplog and privileges. */
export async function serverFindings(
  { mongodbUri, eventRetentionMs }: Config,
  connection: Connection,
): Promise<Finding[]> {
  const from = Date.now();
  const hello = (await connection.db?.command({ hello: 1 })) as unknown as Hello;
  const to = Date.now();
  const clock = clockFinding(hello.localTime.getTime() - (from + to) / 2);
  if (mongodbUri === undefined) return [ok('store', 'the embedded engine responds'), clock];
  const client = await plainClient(connection, mongodbUri);
  try {
    return [
      memberFinding(hello, await versionOf(client)),
      clock,
      oplogFinding(await oplogSpan(client), eventRetentionMs),
      privilegeFinding(await authOf(client), connection.name),
    ];
  } finally {
    await client.close();
  }
}

/** A connection without the stable API, which lacks the commands that report on a server. */
function plainClient(connection: Connection, uri: string): Promise<MongoClient> {
  const { serverSelectionTimeoutMS } = connection.getClient().options;
  return new MongoClient(uri, { serverSelectionTimeoutMS, appName: 'credential-gateway doctor' }).connect();
}

async function versionOf(client: MongoClient): Promise<string> {
  const { version } = await client.db('admin').command({ buildInfo: 1 });
  return String(version);
}

/** The server, and whether majority writes survive the loss of a member. */
export function memberFinding(
  { setName, hosts = [], arbiters = [], msg }: Hello & { arbiters?: string[] },
  version: string,
): Finding {
  if (msg === 'isdbgrid')
    return warn(
      'store',
      `MongoDB ${version} responds through mongos: the gateway is not tested on sharded clusters.`,
      'Use a replica set (docs/deployment.md).',
    );
  const says = `MongoDB ${version} responds, replica set ${setName}`;
  const majority = Math.floor((hosts.length + arbiters.length) / 2) + 1;
  if (hosts.length === 1) return ok('store', `${says}, one member`);
  if (hosts.length > majority)
    return ok('store', `${says}, majority writes need ${majority} of ${hosts.length} members`);
  const members = arbiters.length > 0 ? `${hosts.length} members with data and an arbiter` : `${hosts.length} members`;
  return warn(
    'store',
    `${says}, ${members}: no write is acknowledged while one of them is down.`,
    'Run three members with data.',
  );
}

/** @param aheadMs the store's clock minus this machine's */
function clockFinding(aheadMs: number): Finding {
  const seconds = Math.round(Math.abs(aheadMs) / 1_000);
  const says = `The clocks of this machine and of the store are ${seconds} s apart.`;
  const mend = 'Synchronise both with a time server (NTP).';
  if (Math.abs(aheadMs) > TOLERATED_MS) return bad('clock', says, mend);
  if (Math.abs(aheadMs) > APART_MS) return warn('clock', says, mend);
  return ok('clock', 'this machine and the store agree');
}

/** Milliseconds between the oldest and the newest entry of the oplog; undefined if this user may not read it. */
async function oplogSpan(client: MongoClient): Promise<number | undefined> {
  const oplog = client.db('local').collection('oplog.rs');
  const end = ($natural: 1 | -1) => oplog.findOne({}, { projection: { ts: 1 }, sort: { $natural } });
  try {
    const [first, last] = [await end(1), await end(-1)];
    return first && last ? (last.ts.getHighBits() - first.ts.getHighBits()) * 1_000 : undefined;
  } catch {
    return undefined;
  }
}

/** Compares the oplog's span with EVENT_RETENTION_HOURS: no gateway must be down for longer than either. */
export function oplogFinding(spanMs: number | undefined, retentionMs: number): Finding {
  const hours = (ms: number): string => `${Math.round(ms / HOUR_MS)} h`;
  if (spanMs === undefined)
    return ok('oplog', 'this user may not read it (role `read` on `local`); see rs.printReplicationInfo()');
  if (spanMs >= retentionMs) return ok('oplog', `it reaches back ${hours(spanMs)}`);
  return warn(
    'oplog',
    `It reaches back ${hours(spanMs)}. After a longer time without any gateway, events are numbered by their ids instead of in commit order.`,
    `Set storage.oplogMinRetentionHours so that it reaches back ${hours(retentionMs)} (EVENT_RETENTION_HOURS); a new set needs that time to fill it.`,
  );
}

async function authOf(client: MongoClient): Promise<Document> {
  const { authInfo } = await client.db('admin').command({ connectionStatus: 1, showPrivileges: true });
  return authInfo as Document;
}

interface Privilege {
  resource: { db?: string; collection?: string; anyResource?: boolean };
  actions: string[];
}

/** Compares the privileges of this connection's user (`connectionStatus`) with the gateway's actions in its database. */
export function privilegeFinding(auth: Document, database: string): Finding {
  const users = (auth.authenticatedUsers ?? []) as { user: string; db: string }[];
  if (users.length === 0)
    return warn(
      'privileges',
      'The store has no access control.',
      'Set up access control: without it, anyone with network access can change all data.',
    );
  const privileges = (auth.authenticatedUserPrivileges ?? []) as Privilege[];
  const ours = privileges.filter(
    ({ resource: { db, collection, anyResource } }) =>
      anyResource || (collection === '' && (db === '' || db === database)),
  );
  const allowed = new Set(ours.flatMap(({ actions }) => actions));
  const missing = ACTIONS.filter((action) => !allowed.has(action) && !allowed.has('anyAction'));
  if (missing.length === 0) return ok('privileges', `the user has all necessary privileges in ${database}`);
  return bad(
    'privileges',
    `The user lacks ${missing.join(', ')} in the database ${database}.`,
    `db.grantRolesToUser(…, [{ role: 'readWrite', db: '${database}' }])`,
  );
}
