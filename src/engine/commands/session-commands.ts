// Sessions and transactions: endSessions, refreshSessions, startSession, killSessions, killAllSessions, commitTransaction, abortTransaction
import { randomUUID } from 'node:crypto';
import { Int32, UUID } from 'bson';
import type { Doc } from '../bson/types.js';
import { fail } from '../errors.js';
import { SESSION_MINUTES } from '../sessions/sessions.js';
import { type Command, type Ctx, writeDirect } from './context.js';
import { noSuchTransaction } from './transaction.js';

const lsids = (ctx: Ctx): Doc[] => ctx.args.documents(ctx.name) ?? [];

function endAll(ctx: Ctx): Doc {
  for (const lsid of lsids(ctx)) {
    const session = ctx.engine.sessions.get(lsid);
    ctx.engine.cursors.killWhere((cursor) => cursor.session === session);
    ctx.engine.sessions.end(session);
  }
  return {};
}

/** Ends sessions with their transactions and cursors. */
export const endSessionsCommand: Command = {
  name: 'endSessions',
  help: 'ends sessions',
  fields: [],
  stable: true,
  noSession: true,
  run: endAll,
};

/** Kills sessions; without authentication, this is the same as ending them. */
export const killSessionsCommand: Command = {
  ...endSessionsCommand,
  name: 'killSessions',
  help: 'kills sessions',
  stable: false,
};

/** Kills every session. */
export const killAllSessionsCommand: Command = {
  name: 'killAllSessions',
  help: 'kills all sessions',
  fields: [],
  noSession: true,
  run(ctx: Ctx): Doc {
    ctx.engine.cursors.killWhere((cursor) => cursor.session !== undefined);
    for (const session of ctx.engine.sessions.all()) ctx.engine.sessions.end(session);
    return {};
  },
};

/** Resets the timeout of sessions. */
export const refreshSessionsCommand: Command = {
  name: 'refreshSessions',
  help: 'keeps sessions alive',
  fields: [],
  stable: true,
  noSession: true,
  run(ctx: Ctx): Doc {
    for (const lsid of lsids(ctx)) ctx.engine.sessions.get(lsid);
    return {};
  },
};

/** Returns a new session id. */
export const startSessionCommand: Command = {
  name: 'startSession',
  help: 'gives a new session id',
  fields: [],
  noSession: true,
  run: () => ({ id: { id: new UUID(randomUUID()) }, timeoutMinutes: new Int32(SESSION_MINUTES) }),
};

/** Writes the transaction's changes in one commit. */
export const commitTransactionCommand: Command = {
  name: 'commitTransaction',
  help: 'commits the transaction of a session',
  fields: ['recoveryToken', 'coordinator'],
  inTransaction: true,
  stable: true,
  writes: true,
  admin: true,
  async run(ctx: Ctx): Promise<Doc> {
    const { session, txn } = ctx;
    if (!session) return fail('BadValue', 'commitTransaction must be run within a session');
    if (session.state === 'committed') return {};
    if (!txn || session.state !== 'open') throw noSuchTransaction(session);
    txn.endRead();
    // biome-ignore lint/correctness/useYield: one step, never interrupted
    await writeDirect(ctx, function* commit(writer) {
      // The transaction may have timed out while this commit waited.
      if (session.txn !== txn) throw noSuchTransaction(session);
      try {
        txn.commit(writer);
      } catch (error) {
        session.abort();
        throw error;
      }
      session.finish('committed');
    });
    ctx.engine.garbage.start();
    return {};
  },
};

/** Aborts the transaction. */
export const abortTransactionCommand: Command = {
  name: 'abortTransaction',
  help: 'aborts the transaction of a session',
  fields: ['recoveryToken', 'coordinator'],
  inTransaction: true,
  stable: true,
  writes: true,
  admin: true,
  run(ctx: Ctx): Doc {
    const { session } = ctx;
    if (!session) return fail('BadValue', 'abortTransaction must be run within a session');
    if (session.state === 'committed') {
      return fail('TransactionCommitted', `Cannot call abortTransaction after calling commitTransaction`);
    }
    if (session.state !== 'open') throw noSuchTransaction(session);
    session.abort();
    return {};
  },
};
