// Puts the gate in front of the store: every command of a registered model that a request starts passes it.
import type { ClientSession, Connection } from 'mongoose';
import { currentScope } from '../base/request-scope.js';
import { CommandGate, type GateLimits } from './command-gate.js';

/** Methods of a collection that are one command and read. */
const READS = ['findOne', 'countDocuments', 'distinct'];
/** Those that write: what a request has begun it brings to its end, also when its client has gone. */
const WRITES = [
  'insertOne',
  'insertMany',
  'updateOne',
  'updateMany',
  'replaceOne',
  'deleteOne',
  'deleteMany',
  'findOneAndUpdate',
  'findOneAndDelete',
  'bulkWrite',
];
/** Methods that return a cursor; its first batch is the command. */
const CURSORS = ['find', 'aggregate'];

type Method = (...args: unknown[]) => unknown;

/** Gates the collections of all models that the connection has. */
export function gateCommands(connection: Connection, limits: GateLimits): void {
  const gate = new CommandGate(limits);
  for (const { collection } of Object.values(connection.models)) {
    const methods = collection as unknown as Record<string, Method | undefined>;
    for (const name of [...READS, ...WRITES]) {
      const run = methods[name]?.bind(collection);
      const writes = WRITES.includes(name);
      if (run) methods[name] = (...args) => passing(gate, args, () => run(...args), !writes);
    }
    for (const name of CURSORS) {
      const open = methods[name]?.bind(collection);
      if (open) methods[name] = (...args) => gatedCursor(open(...args), gate, args);
    }
  }
}

interface Cursor {
  toArray(): Promise<unknown[]>;
}

function gatedCursor(cursor: unknown, gate: CommandGate, args: readonly unknown[]): unknown {
  // Before the first connection mongoose gives a promise of it, and nobody is served yet.
  if (!isCursor(cursor)) return cursor;
  const toArray = cursor.toArray.bind(cursor);
  cursor.toArray = () => passing(gate, args, toArray) as Promise<unknown[]>;
  return cursor;
}

const isCursor = (value: unknown): value is Cursor => typeof (value as Partial<Cursor>).toArray === 'function';

/** Commands of a transaction do not wait: others may wait for what it holds. */
function passing(gate: CommandGate, args: readonly unknown[], command: () => unknown, leaves = true): unknown {
  const scope = currentScope();
  if (scope === undefined || args.some(isInTransaction)) return command();
  return gate.run(scope, async () => command(), leaves);
}

function isInTransaction(argument: unknown): boolean {
  const session = (argument as { session?: Partial<ClientSession> } | null | undefined)?.session;
  return typeof session?.inTransaction === 'function' && session.inTransaction();
}
