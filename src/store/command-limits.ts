// Limits of store commands: how long the server may work on one, and how long a transaction is retried.
import type { ClientSession, Connection } from 'mongoose';
import { storeUnavailable } from '../base/errors.js';

/**
 * The methods of a collection that serve requests, and the position of the options among their arguments. Methods that
 * may touch many rows have no time limit.
 */
const OPTIONS_AT = {
  find: 1,
  findOne: 1,
  countDocuments: 1,
  aggregate: 1,
  insertOne: 1,
  insertMany: 1,
  updateOne: 2,
  deleteOne: 1,
  findOneAndUpdate: 2,
  findOneAndDelete: 1,
  bulkWrite: 1,
} as const;

/** The limits of each command of a connection. */
export interface CommandLimit {
  /** How long the server may work on it, milliseconds. */
  limitMs: number;
  /** Called before each command, with the name of its method. */
  onCommand(method: string): void;
}

const LIMITS = new WeakMap<Connection, CommandLimit>();

/** The limit of this connection's commands; undefined when there is none. */
export const limitOf = (connection: Connection): CommandLimit | undefined => LIMITS.get(connection);

type CollectionMethod = (...args: unknown[]) => unknown;

/**
 * Sets `maxTimeMS` for every command of the registered models, unless its caller has set it (0: no limit), and limits transactions.
 * @param onCommand called before each command, with the name of its method.
 */
export function limitCommands(connection: Connection, limitMs: number, onCommand: (method: string) => void): void {
  LIMITS.set(connection, { limitMs, onCommand });
  for (const { collection } of Object.values(connection.models)) {
    const methods = collection as unknown as Record<string, CollectionMethod>;
    for (const [name, at] of Object.entries(OPTIONS_AT)) {
      const run = methods[name];
      if (!run) continue;
      methods[name] = (...args) => {
        onCommand(name);
        return run.apply(collection, withLimit(args, at, limitMs));
      };
    }
  }
  limitTransactions(connection, limitMs);
}

function withLimit(args: readonly unknown[], at: number, limitMs: number): unknown[] {
  const limited = [...args];
  limited[at] = { maxTimeMS: limitMs, ...(args[at] as object | undefined) };
  return limited;
}

/** The driver retries a transaction for two minutes; here no attempt begins after the limit. */
function limitTransactions(connection: Connection, limitMs: number): void {
  const transact = connection.transaction.bind(connection);
  connection.transaction = async (work, options) => {
    const startedAt = performance.now();
    let failure: unknown;
    const attempt = async (session: ClientSession) => {
      if (failure !== undefined && performance.now() - startedAt > limitMs) throw storeUnavailable(failure);
      try {
        return await work(session);
      } catch (error) {
        failure = error;
        throw error;
      }
    };
    return transact(attempt, options);
  };
}
