// From a request to a reply: finds the command, checks the common fields, runs it in its session, and encodes errors as MongoDB does.
import { Binary, Double, Long } from 'bson';
import type { Doc } from '../bson/types.js';
import type { Engine } from '../engine.js';
import { fail, MongoError, mongoError } from '../errors.js';
import type { CommandFault } from '../sessions/failpoints.js';
import type { Session } from '../sessions/sessions.js';
import { toTimestamp } from '../store/clock.js';
import { requireApi } from './api.js';
import { Args } from './args.js';
import { requireConcerns, writeConcernFault } from './concerns.js';
import type { Command, Ctx, WireClient } from './context.js';
import { errorReply } from './error-reply.js';
import { fieldsOf } from './fields.js';
import { appNameOf } from './hello.js';
import { PAST } from './read.js';
import { REFUSED_COMMANDS, SEARCH_COMMANDS } from './refused.js';
import { commandIndex } from './table.js';
import { belongingOf } from './transaction.js';

/** Cluster times are not signed, because there is no authentication. */
const SIGNATURE = { hash: new Binary(Buffer.alloc(20)), keyId: Long.ZERO };
const OK = new Double(1);
/** Options without effect here (there are no temporary files and validators); a wrong type is an error, as in MongoDB. */
const UNUSED_BOOLEANS = ['allowDiskUse', 'bypassDocumentValidation'];

/** Closes the connection instead of replying (failpoints). */
export class CloseConnection extends Error {}

/** Runs the commands of one engine. */
export class CommandDispatcher {
  readonly #engine: Engine;
  readonly #commands = commandIndex();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** The reply to a request. Throws only CloseConnection. */
  async answer(client: WireClient, body: Doc): Promise<Doc> {
    const name = Object.keys(body)[0] ?? '';
    const command = this.#commands.get(name);
    try {
      if (!command) return unknownCommand(name);
      return await this.#run(client, command, name, body);
    } catch (error) {
      if (error instanceof CloseConnection) throw error;
      return this.#stamp(errorReply(error, body, command));
    }
  }

  /** The reply to a request that could not be read. */
  refuse(fault: MongoError): Doc {
    return this.#stamp(errorReply(fault, {}, undefined));
  }

  async #run(client: WireClient, command: Command, name: string, body: Doc): Promise<Doc> {
    const engine = this.#engine;
    if (engine.closing) fail('InterruptedAtShutdown', 'the engine is closing');
    const args = new Args(body, command.name);
    if (!command.anyFields) args.allow(fieldsOf(command));
    for (const field of UNUSED_BOOLEANS) args.boolean(field);
    const db = args.requiredString('$db');
    requireDatabase(command, db);
    requireApi(command, args);
    const fault = engine.failpoints.forCommand(command.name, client.appName ?? appNameOf(body.client));
    if (fault?.blockMs) await new Promise((resolve) => setTimeout(resolve, fault.blockMs));
    if (fault?.closeConnection) throw new CloseConnection();
    const lsid = args.document('lsid');
    const session = lsid && !command.noSession ? engine.sessions.get(lsid) : undefined;
    const go = () => this.#inSession({ client, command, name, db, args, session, fault });
    const alone = session && args.has('txnNumber');
    const reply = alone ? await session.exclusive(go) : await go();
    return this.#stamp(this.#withConcern(reply, command, args, fault));
  }

  async #inSession(call: CommandCall): Promise<Doc> {
    const { command, args, session, fault } = call;
    if (fault?.error && !fault.writeConcernError) throw labelled(fault.error, fault);
    if (args.boolean('startTransaction')) await this.#engine.turns.turn();
    const { txn, retryable } = belongingOf(this.#engine, command, args, session);
    const ctx: Ctx = {
      client: call.client,
      name: call.name,
      db: call.db,
      args,
      session,
      engine: this.#engine,
      txn,
      retryable,
      deadline: deadlineOf(command, args),
      snapshot: undefined,
      atClusterTime: undefined,
      apiStrict: args.boolean('apiStrict'),
      closeAfter: false,
    };
    requireConcerns(ctx, command);
    const stop = (): void => {
      ctx.deadline = PAST;
    };
    if (command.reads) call.client.onClose = stop;
    try {
      return await this.#runIn(command, ctx);
    } finally {
      if (command.reads) call.client.onClose = undefined;
    }
  }

  async #runIn(command: Command, ctx: Ctx): Promise<Doc> {
    const { txn, session } = ctx;
    if (!txn) return runPlain(command, ctx);
    try {
      const reply = await command.run(ctx);
      if (reply.writeErrors && session?.txn === txn) session.abort();
      return reply;
    } catch (error) {
      if (session?.txn === txn && command.name !== 'commitTransaction') session.abort();
      throw error;
    }
  }

  #withConcern(reply: Doc, command: Command, args: Args, fault: CommandFault | undefined): Doc {
    if (!command.writes) return reply;
    const concern = fault?.writeConcernError ?? writeConcernFault(args);
    if (!concern) return reply;
    const labels = fault?.labels ?? concern.errorLabels;
    return { ...reply, writeConcernError: concern, ...(labels ? { errorLabels: labels } : {}) };
  }

  /** Adds `ok` and the cluster times of a replica set's replies. It changes the reply object, since no command returns the same object twice. */
  #stamp(reply: Doc): Doc {
    const now = toTimestamp(this.#engine.oplog.clock.last);
    reply.ok ??= OK;
    reply.$clusterTime = { clusterTime: now, signature: SIGNATURE };
    reply.operationTime = now;
    return reply;
  }
}

async function runPlain(command: Command, ctx: Ctx): Promise<Doc> {
  try {
    const reply = await command.run(ctx);
    if (!ctx.closeAfter) return reply;
  } catch (error) {
    if (!ctx.closeAfter) throw error;
  }
  throw new CloseConnection();
}

interface CommandCall {
  client: WireClient;
  command: Command;
  name: string;
  db: string;
  args: Args;
  session: Session | undefined;
  fault: CommandFault | undefined;
}

/** MongoDB adds the label RetryableWriteError where a retry helps; a failpoint's own labels replace it. */
function labelled(error: MongoError, fault: CommandFault): MongoError {
  return fault.labels
    ? new MongoError(error.code, error.codeName, error.message, { labels: fault.labels, extra: { fixedLabels: true } })
    : error;
}

function unknownCommand(name: string): never {
  if (SEARCH_COMMANDS.has(name)) {
    fail(
      'SearchNotEnabled',
      'Using Atlas Search Database Commands and the $listSearchIndexes aggregation stage requires additional configuration. Please connect to Atlas or an AtlasCLI local deployment to enable.',
    );
  }
  const purpose = REFUSED_COMMANDS.get(name);
  if (purpose !== undefined) fail('NotImplemented', `The command ${name} is not supported by this store (${purpose}).`);
  return fail('CommandNotFound', `no such command: '${name}'`);
}

function requireDatabase(command: Command, db: string): void {
  if (db === '' || db.length > 63 || /[/\\. "$*<>:|?\0]/.test(db)) {
    throw mongoError('InvalidNamespace', `Invalid database name: '${db}'`);
  }
  if (command.admin && db !== 'admin')
    fail('Unauthorized', `${command.name} may only be run against the admin database.`);
}

function deadlineOf(command: Command, args: Args): number | undefined {
  const ms = args.integer('maxTimeMS');
  if (ms !== undefined && (ms < 0 || ms > 0x7fffffff))
    fail('BadValue', `${ms} value for maxTimeMS is out of range [0, 2147483647]`);
  return ms && command.name !== 'getMore' ? Date.now() + ms : undefined;
}
