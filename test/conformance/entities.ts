// The entities of one test: clients with their event logs, databases, collections, sessions, cursors, saved values.
import { type ClientSession, type ClientSessionOptions, type Collection, type Db, MongoClient } from 'mongodb';
import { type Json, object } from './format.js';

/** One observed event: its kind as the format names it, and its fields. */
export interface Observed {
  kind: string;
  fields: Json;
}

const COMMAND_EVENTS = {
  commandStartedEvent: 'commandStarted',
  commandSucceededEvent: 'commandSucceeded',
  commandFailedEvent: 'commandFailed',
} as const;
const POOL_EVENTS: Record<string, string> = {
  connectionCheckOutStartedEvent: 'connectionCheckOutStarted',
  connectionCheckedOutEvent: 'connectionCheckedOut',
  connectionCheckedInEvent: 'connectionCheckedIn',
  connectionCreatedEvent: 'connectionCreated',
  connectionReadyEvent: 'connectionReady',
  connectionClosedEvent: 'connectionClosed',
  poolClearedEvent: 'connectionPoolCleared',
};
/** Commands that the format leaves out of every log. */
const SENSITIVE = [
  'authenticate',
  'saslStart',
  'saslContinue',
  'getnonce',
  'createUser',
  'updateUser',
  'hello',
  'isMaster',
  'ismaster',
  'configureFailPoint',
];

export interface ObservedClient {
  client: MongoClient;
  commands: Observed[];
  pool: Observed[];
  /** Every started command, observed or not, for the lsid assertions. */
  started: Json[];
}

/** A connection string with more options; it may name several hosts, which a URL cannot. */
function clientUri(uri: string, options: Json): string {
  const [base = '', query] = uri.split('?');
  const parameters = new URLSearchParams(query);
  for (const [key, value] of Object.entries(options)) parameters.set(key, String(value));
  const path = base.indexOf('/', base.indexOf('://') + 3) === -1 ? '/' : '';
  return `${base}${path}?${parameters}`;
}

export class Entities {
  readonly #values = new Map<string, unknown>();
  readonly clients = new Map<string, ObservedClient>();
  readonly sessions: ClientSession[] = [];
  readonly closers: (() => Promise<void>)[] = [];

  constructor(readonly uri: string) {}

  get = (id: string): unknown => {
    if (!this.#values.has(id)) throw new Error(`no entity ${id}`);
    return this.#values.get(id);
  };

  set(id: string, value: unknown): void {
    this.#values.set(id, value);
  }

  client(id: string): ObservedClient {
    const client = this.clients.get(id);
    if (!client) throw new Error(`no client ${id}`);
    return client;
  }

  async create(definitions: Json[]): Promise<void> {
    for (const definition of definitions) {
      const [kind, body] = Object.entries(definition)[0] ?? ['nothing', {}];
      await this.#create(kind, object(body, kind));
    }
  }

  async #create(kind: string, body: Json): Promise<void> {
    const id = String(body.id);
    if (kind === 'client') this.set(id, await this.#openClient(id, body));
    else if (kind === 'database')
      this.set(
        id,
        this.client(String(body.client)).client.db(
          String(body.databaseName),
          object(body.databaseOptions ?? {}, 'databaseOptions'),
        ),
      );
    else if (kind === 'collection') this.set(id, this.#collection(body));
    else if (kind === 'session') this.set(id, this.#session(body));
    else throw new Error(`the runner does not know the entity ${kind}`);
  }

  async #openClient(id: string, body: Json): Promise<MongoClient> {
    const client = new MongoClient(clientUri(this.uri, object(body.uriOptions ?? {}, 'uriOptions')), {
      monitorCommands: true,
    });
    const observed: ObservedClient = { client, commands: [], pool: [], started: [] };
    const ignored = new Set([...SENSITIVE, ...((body.ignoreCommandMonitoringEvents as string[]) ?? [])]);
    const wanted = (body.observeEvents as string[]) ?? [];
    client.on('commandStarted', (event) => {
      if (!ignored.has(event.commandName)) observed.started.push(copy(event.command) as Json);
    });
    for (const [kind, name] of Object.entries(COMMAND_EVENTS)) {
      if (!wanted.includes(kind)) continue;
      client.on(name as 'commandStarted', (event) => {
        if (!ignored.has(event.commandName))
          observed.commands.push({ kind, fields: copy({ ...event, databaseName: event.databaseName }) as Json });
      });
    }
    for (const [kind, name] of Object.entries(POOL_EVENTS)) {
      if (wanted.includes(kind))
        client.on(name as 'connectionReady', (event) => void observed.pool.push({ kind, fields: { ...event } }));
    }
    this.clients.set(id, observed);
    this.closers.push(() => client.close());
    return client.connect();
  }

  #collection(body: Json): Collection {
    const database = this.get(String(body.database)) as Db;
    return database.collection(String(body.collectionName), object(body.collectionOptions ?? {}, 'collectionOptions'));
  }

  #session(body: Json): ClientSession {
    const { snapshotTime, ...options } = object(body.sessionOptions ?? {}, 'sessionOptions');
    const session = this.client(String(body.client)).client.startSession(options as ClientSessionOptions);
    if (typeof snapshotTime === 'string') setSnapshotTime(session, this.get(snapshotTime));
    this.sessions.push(session);
    return session;
  }

  async close(): Promise<void> {
    for (const session of this.sessions) await session.endSession().catch(() => {});
    for (const close of this.closers.reverse()) await close().catch(() => {});
  }
}

/** Events are kept as they were: the driver changes its own objects for the next command (`readConcern.afterClusterTime`). */
function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy);
  if (typeof value !== 'object' || value === null || '_bsontype' in value) return value;
  if (value instanceof Date || value instanceof Uint8Array || value instanceof Map || value instanceof Error)
    return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copy(inner)]));
}

/** The driver keeps the snapshot's time on the session without an option for it; the format needs to carry it over. */
function setSnapshotTime(session: ClientSession, time: unknown): void {
  (session as unknown as { snapshotTime: unknown }).snapshotTime = time;
}
