// Commands that report on the server or only reply: ping, buildInfo, serverStatus and the like.
import { Double, Int32, Long } from 'bson';
import { type Doc, isDocument } from '../bson/types.js';
import { fail } from '../errors.js';
import type { Command, Ctx } from './context.js';
import { VERSION } from './hello.js';

/** Replies with ok. */
export const pingCommand: Command = {
  name: 'ping',
  help: 'replies with ok',
  fields: [],
  stable: true,
  run: () => ({}),
};

/** The MongoDB version whose behaviour this engine follows. */
export const buildInfoCommand: Command = {
  name: 'buildInfo',
  aliases: ['buildinfo'],
  help: 'returns the version',
  fields: [],
  run: () => ({
    version: VERSION,
    gitVersion: 'embedded',
    modules: [],
    versionArray: [7, 0, 0, 0].map((part) => new Int32(part)),
    bits: new Int32(64),
    debug: false,
    maxBsonObjectSize: new Int32(16 * 1024 * 1024),
    storageEngines: ['lmdb'],
  }),
};

/** The part of serverStatus that clients read. */
export const serverStatusCommand: Command = {
  name: 'serverStatus',
  help: 'returns counters of the server',
  fields: ['repl', 'metrics', 'locks', 'mirroredReads', 'latchAnalysis'],
  run(ctx: Ctx): Doc {
    const uptime = (Date.now() - ctx.engine.startedAt) / 1000;
    return {
      host: ctx.client.address,
      version: VERSION,
      process: 'mongod',
      pid: Long.fromNumber(process.pid),
      uptime: new Double(Math.floor(uptime)),
      localTime: new Date(),
      connections: { current: new Int32(ctx.engine.connections) },
      logicalSessionRecordCache: { activeSessionsCount: new Int32(ctx.engine.sessions.all().length) },
      metrics: { cursor: { open: { total: Long.fromNumber(ctx.engine.cursors.size) } } },
      mem: { resident: new Int32(Math.round(process.memoryUsage.rss() / 1048576)) },
      storageEngine: { name: 'lmdb', persistent: true },
    };
  },
};

/** The parameters that clients request. */
function parameters(ctx: Ctx): Doc {
  return {
    featureCompatibilityVersion: { version: '7.0' },
    enableTestCommands: ctx.engine.failpoints.allowed,
    requireApiVersion: false,
    transactionLifetimeLimitSeconds: new Int32(60),
    authenticationMechanisms: [],
  };
}

/** Parameters of the server. */
export const getParameterCommand: Command = {
  name: 'getParameter',
  help: 'returns parameters of the server',
  fields: [
    'allParameters',
    ...['featureCompatibilityVersion', 'enableTestCommands', 'requireApiVersion'],
    'transactionLifetimeLimitSeconds',
    'authenticationMechanisms',
  ],
  admin: true,
  run(ctx: Ctx): Doc {
    const all = parameters(ctx);
    const parameter = ctx.args.get('getParameter');
    if (parameter === '*' || ctx.args.boolean('allParameters')) return all;
    const names = Object.keys(all).filter((name) => ctx.args.has(name));
    if (names.length === 0) fail('InvalidOptions', 'no option found to get');
    return Object.fromEntries(names.map((name) => [name, all[name]]));
  },
};

/** The connection's users: none, because there is no authentication. */
export const connectionStatusCommand: Command = {
  name: 'connectionStatus',
  help: 'returns the users who are logged in on this connection',
  fields: ['showPrivileges'],
  run: () => ({ authInfo: { authenticatedUsers: [], authenticatedUserRoles: [] } }),
};

/** The server's command line. */
export const getCmdLineOptsCommand: Command = {
  name: 'getCmdLineOpts',
  help: 'returns the options the server was started with',
  fields: [],
  admin: true,
  run: (ctx: Ctx) => ({
    argv: [],
    parsed: { setParameter: { enableTestCommands: ctx.engine.failpoints.allowed ? '1' : '0' } },
  }),
};

/** Sets failpoints; only with testCommands. */
export const configureFailPointCommand: Command = {
  name: 'configureFailPoint',
  help: 'sets a fault for tests (only when the engine was started with testCommands)',
  fields: ['mode', 'data'],
  admin: true,
  noSession: true,
  run(ctx: Ctx): Doc {
    if (!ctx.engine.failpoints.allowed) return fail('CommandNotFound', "no such command: 'configureFailPoint'");
    const data = ctx.args.get('data');
    ctx.engine.failpoints.configure(
      ctx.args.requiredString('configureFailPoint'),
      ctx.args.get('mode'),
      isDocument(data) ? data : {},
    );
    return {};
  },
};
