// The context of a running command: its fields, session and transaction, the view that it reads and the writer that it writes through.
import type { Timestamp } from 'bson';
import { compileExpression } from '../expressions/expression.js';
import { isFree } from '../aggregate/indexable.js';
import { baseVars, type Vars } from '../expressions/types.js';
import type { Doc } from '../bson/types.js';
import type { Engine } from '../engine.js';
import { fail } from '../errors.js';
import type { Session } from '../sessions/sessions.js';
import type { CollectionInfo } from '../store/catalog.js';
import { toTimestamp } from '../store/clock.js';
import { runSlices, runStaged, type SlicedBody } from '../store/slices.js';
import type { Snapshot } from '../store/snapshot.js';
import type { Txn } from '../store/txn.js';
import type { View } from '../store/view.js';
import { DirectWriter, type Writer } from '../store/writer.js';
import type { Args } from './args.js';

/** One client connection, as commands see it. */
export interface WireClient {
  id: number;
  /** application.name of the handshake. */
  appName: string | undefined;
  /** The address that clients of this server use. */
  address: string;
  closed: boolean;
  /** Called when the client disconnects, to stop its pending operation. */
  onClose?: () => void;
  /** Releases the snapshot that the client holds (holdSnapshot). */
  release?: () => void;
  metadata: Doc | undefined;
}

/** One running command. */
export interface Ctx {
  engine: Engine;
  client: WireClient;
  name: string;
  db: string;
  args: Args;
  session: Session | undefined;
  /** The open transaction that this command belongs to. */
  txn: Txn | undefined;
  /** The command is a retryable write (a txnNumber without a transaction): it is applied at most once. */
  retryable: boolean;
  /** maxTimeMS as epoch milliseconds. */
  deadline: number | undefined;
  /** A snapshot read outside transactions (readConcern snapshot). */
  snapshot: Snapshot | undefined;
  /** The client requests apiStrict. */
  apiStrict: boolean;
  /** Close the connection after the command, without a reply (failpoints). */
  closeAfter: boolean;
  /** atClusterTime of the reply. */
  atClusterTime: Timestamp | undefined;
}

/** A command: its row in the table. */
export interface Command {
  name: string;
  /** Its other names. */
  aliases?: readonly string[];
  /** One line for listCommands and the docs. */
  help: string;
  /** Fields in addition to the common ones; others are refused (40415). */
  fields: readonly string[];
  /** Unknown fields are ignored, as MongoDB does for this command. */
  anyFields?: boolean;
  /** May run in a transaction. */
  inTransaction?: boolean;
  /** Part of the stable API, version 1. */
  stable?: boolean;
  /** Accepts a txnNumber as a retryable write. */
  retryable?: boolean;
  /** Changes data: accepts a write concern. */
  writes?: boolean;
  /** Accepts a read concern. */
  reads?: boolean;
  /** Runs on the admin database only. */
  admin?: boolean;
  /** Uses no session; an lsid is ignored. */
  noSession?: boolean;
  run(ctx: Ctx): Promise<Doc> | Doc;
}

/** The state that a read sees: the transaction's, a snapshot, or the newest. */
export function viewOf(ctx: Ctx): View {
  return ctx.txn?.view ?? ctx.snapshot ?? ctx.engine.latest;
}

/** The namespace of the collection that a command's first field names. Throws InvalidNamespace (73). */
export function namespaceOf(ctx: Ctx, field = ctx.name): string {
  const name = ctx.args.get(field);
  if (typeof name !== 'string') {
    return fail('InvalidNamespace', `collection name has invalid type ${typeof name}`);
  }
  return validNamespace(ctx.db, name);
}

/** The collection of a namespace as this command sees it. */
export function findCollection(ctx: Ctx, ns: string): CollectionInfo | undefined {
  return ctx.txn ? ctx.txn.collection(ns) : ctx.engine.catalog.find(ns);
}

/** Variables that expressions of this command may read: its `let`, evaluated once, and NOW. */
export function letVars(ctx: Ctx): Vars {
  const vars = baseVars({ now: new Date(), clusterTime: toTimestamp(ctx.engine.oplog.clock.last) });
  const variables = ctx.args.document('let') ?? {};
  for (const value of Object.values(variables)) {
    if (!isFree(value)) fail(4890500, 'Command let Expression tried to access a field, but this is not allowed.');
  }
  for (const [name, value] of Object.entries(variables)) vars[name] = compileExpression(value, vars)({}, vars);
  return vars;
}

const MAX_NAMESPACE = 255;

/** Checks a collection's name. Throws InvalidNamespace (73). */
export function validNamespace(db: string, name: string): string {
  const ns = `${db}.${name}`;
  const bad = name === '' || name.includes('$') || name.includes('\0') || name.startsWith('.') || name.endsWith('.');
  if (bad || name.includes('..')) return fail('InvalidNamespace', `Invalid namespace specified '${ns}'`);
  if (Buffer.byteLength(ns) > MAX_NAMESPACE) {
    return fail('InvalidNamespace', `Fully qualified namespace is too long. Namespace: ${ns} Max: ${MAX_NAMESPACE}`);
  }
  return ns;
}

/** Refuses writes into the server's own namespaces. */
export function requireWritable(ns: string): void {
  const name = ns.slice(ns.indexOf('.') + 1);
  if (name.startsWith('system.') || ns.startsWith('local.')) fail('InvalidNamespace', `cannot write to '${ns}'`);
}

/** Runs a writing body in the command's transaction, or in slices that are committed and on disk when this resolves. */
export function write<T>(ctx: Ctx, body: (writer: Writer) => SlicedBody<T>): Promise<T> {
  if (ctx.txn) return runStaged(body(ctx.txn), ctx.deadline);
  const { engine, session, retryable } = ctx;
  const writer = new DirectWriter(engine);
  const note = session && retryable ? () => session.note() : undefined;
  return runSlices({ parts: engine, writer, body: body(writer), note, deadline: ctx.deadline });
}

/** Runs a body outside any transaction with a DirectWriter (for catalog changes and commits). */
export function writeDirect<T>(ctx: Ctx, body: (writer: DirectWriter) => SlicedBody<T>): Promise<T> {
  const { engine, session, txn } = ctx;
  const txnNumber = ctx.args.get('txnNumber');
  const writer = new DirectWriter(engine, session && txn ? { lsid: session.lsid, txnNumber } : undefined);
  return runSlices({ parts: engine, writer, body: body(writer), note: () => session?.note(), deadline: ctx.deadline });
}
