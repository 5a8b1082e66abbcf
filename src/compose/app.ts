// The composition root: builds every part with its dependencies. Importing it starts nothing.
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { GraphQLSchema } from 'graphql';
import type { Connection } from 'mongoose';
import { addressOf } from '../base/address.js';
import { Points } from '../base/callers/points.js';
import type { Config } from '../base/config/config.js';
import type { LogOverride } from '../base/monitoring/log.js';
import { Metrics } from '../base/monitoring/metrics.js';
import { Problems } from '../base/monitoring/problems.js';
import { startTracing, type Tracing } from '../base/monitoring/tracing.js';
import { buildOf } from '../base/version.js';
import { totalsOf } from '../catalog/cache/catalog-changes.js';
import { loadSample } from '../catalog/sample/sample.js';
import { Documents } from '../graphql/documents/documents.js';
import { Limits } from '../graphql/documents/limits.js';
import { makeExecutor, newExecutionCounts } from '../graphql/execution/executor.js';
import { countOperations } from '../graphql/execution/operation-metrics.js';
import { traceOperations } from '../graphql/execution/operation-tracing.js';
import { RowTextCache } from '../graphql/execution/row-text-cache.js';
import { registerGraphql } from '../graphql/server.js';
import type { FanOut } from '../graphql/subscriptions/fan-out.js';
import { chooseByTransport, registerSubscriptions } from '../graphql/subscriptions/register.js';
import { ResponseCache } from '../http/cache/response-cache.js';
import { Clients } from '../http/callers/clients.js';
import { registerClientFiles } from '../http/pages/client-files.js';
import { consoleDocuments, registerPages } from '../http/pages/pages.js';
import { registerProtocolRoutes } from '../http/protocols/protocol-routes.js';
import { registerRoutes } from '../http/routes/register-routes.js';
import { drainConnections } from '../http/server/connections.js';
import type { RequestUnderWay } from '../http/server/requests-under-way.js';
import { createHttpServer } from '../http/server/server.js';
import { traceRequests } from '../http/server/tracing.js';
import { limitCommands } from '../store/command-limits.js';
import { traceCommands } from '../store/command-tracing.js';
import { BUILT_AT_ONCE_EMBEDDED, isConnected, openStore, type Store } from '../store/connection.js';
import { requireUniqueIndexes } from '../store/unique-indexes.js';
import { accessOf, operatorKeyOf, refuseWithoutStore } from './access.js';
import { makeLoaders, type Services } from './context.js';
import { makeCore } from './core.js';
import { domainServices, domainWorkers, migrateAll, protocolRoutes, registerModels, sealedFields } from './domains.js';
import { followRights } from './follow-rights.js';
import { keystoreChecked } from './keystore.js';
import { partsOf, startParts, stopParts } from './parts.js';
import { measureClients, measureQueries } from './query-metrics.js';
import { restRoutes } from './routes.js';
import { CACHEABLE_FIELDS, gatewaySchema } from './schema.js';

/** The longest time of a command while the store is reachable. */
const SILENCE_MS = 60_000;

/** Parts that processes and tests may replace. */
export interface AppOverrides extends LogOverride {
  /** Returns the text of `/metrics`, made from the gateway's own metrics. */
  metricsText?: (own: Metrics) => () => Promise<string>;
  /** Milliseconds since the epoch. */
  clock?: () => number;
  /** Lets tests count database commands through the driver's events. */
  monitorCommands?: boolean;
  /** False for a process that serves no clients, and so needs no search index. */
  serves?: boolean;
  /** Whether a MongoDB without the models' unique indexes is refused; tests build them later. */
  requiresIndexes?: boolean;
}

export interface App {
  services: Services;
  /** The subscriptions, and counts of what was sent to them. */
  subscriptions: FanOut;
  connection: Connection;
  log: FastifyBaseLogger;
  /** The points of callers. */
  points: Points;
  /** Requests in progress, newest first. */
  requestsUnderWay(): RequestUnderWay[];
  /** The operator's key; undefined when the operator's API is closed. */
  operatorKey: string | undefined;
  /** Listens on the configured host and port; returns the address. */
  listen(): Promise<{ url: string }>;
  /** Rejects when a store that was unreachable at the start is sealed under another KEYSTORE_KEY; never resolves. */
  failed: Promise<never>;
  /** `/health/ready` returns 503 from now on; everything else continues. */
  refuseReadiness(): void;
  /** Accepts no more connections, and closes the balancer's after their next response, for at most a second. */
  drain(): Promise<void>;
  /** Shuts down after the requests in progress are finished. */
  close(): Promise<void>;
}

/** Builds a gateway over its store, without listening. @throws DataDirError and the store's errors, each one sentence. */
export async function createApp(config: Config, overrides: AppOverrides = {}): Promise<App> {
  const { clock = Date.now, monitorCommands = config.tracing !== undefined, serves = true } = overrides;
  const metrics = new Metrics();
  metrics.info('info', 'What runs', { ...buildOf() });
  const http = createHttpServer({ ...config, logTo: overrides.logTo }, new Points(config, clock), metrics);
  const metricsText = overrides.metricsText?.(metrics) ?? (() => metrics.text());
  const firstCheck = overrides.requiresIndexes && config.mongodbUri !== undefined ? requireUniqueIndexes : undefined;
  const start = { config, http, clock, metrics, metricsText, serves, firstCheck, ...graphqlOf(config) };
  const onUnreachable = (error: unknown) => http.log.warn({ err: error }, 'the store is not there yet');
  // No limit for a process that builds the embedded store's indexes, which may take a while.
  const socketTimeoutMS = config.preparesStore ? 0 : SILENCE_MS;
  const store = await openStore(config, { monitorCommands, onUnreachable, socketTimeoutMS });
  try {
    return await compose(start, store);
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** The parts that do not need the store. */
interface Start {
  config: Config;
  http: FastifyInstance;
  clock(): number;
  metrics: Metrics;
  metricsText(): Promise<string>;
  serves: boolean;
  /** What a store that is reached must pass. */
  firstCheck: ((connection: Connection) => Promise<void>) | undefined;
  schema: GraphQLSchema;
  documents: Documents;
}

/** The schema, and the documents of the manifest. @throws ManifestError. */
function graphqlOf({ catalogEnabled, trustedDocuments: mode, trustedDocumentsFile: file, pages }: Config) {
  const schema = gatewaySchema(catalogEnabled);
  return { schema, documents: new Documents(schema, { mode, file, pages: pages ? consoleDocuments() : undefined }) };
}

async function compose(start: Start, store: Store): Promise<App> {
  const { config, http, clock } = start;
  const { connection } = store;
  const onError = (error: unknown): void => http.log.error({ err: error }, 'a background task failed');
  const problems = problemsOf(start);
  const tracing = config.tracing && (await startTracing(config.tracing, problems));
  if (tracing) traceCommands(connection, tracing);
  const parts = { clock, onError, problems, metrics: start.metrics, points: http.points, tracing };
  const core = makeCore(config, connection, parts);
  const services = servicesOf(core);
  registerModels(connection);
  watchCommands(start, core);
  const closing = new AbortController();
  let stopping = false;
  const onAway = (error: unknown): void => http.log.warn({ err: error }, 'KEYSTORE_KEY is not compared yet');
  const keyWatch = { signal: closing.signal, onError: onAway, first: start.firstCheck };
  const checked = keystoreChecked(store, core, sealedFields(connection), keyWatch);
  if (isConnected(connection)) await checked;
  // Nothing else builds the indexes of the embedded store.
  if (config.preparesStore) await migrateAll(connection, { atOnce: BUILT_AT_ONCE_EMBEDDED });
  if (config.preparesStore && config.sampleCatalog) await loadSample(services.catalogAdmin);
  const workers = domainWorkers(core, services);
  const running = partsOf({ core, http, services, workers, problems, store, serves: start.serves });
  const operatorKey = operatorKeyOf(config);
  const subscriptions = await registerAll(start, {
    store,
    services,
    operatorKey,
    problems,
    tracing,
    isStopping: () => stopping,
  });
  // Background workers start once the store is connected, and its indexes and key are checked; `failed` rejects if these are wrong.
  checked.then(
    () => startParts(running),
    () => {},
  );
  return {
    services,
    subscriptions,
    connection,
    log: http.log,
    points: http.points,
    requestsUnderWay: () => http.underWay.list(),
    operatorKey,
    listen: () => listen(http, config),
    failed: checked.then(() => new Promise<never>(() => {})),
    refuseReadiness: () => {
      stopping = true;
    },
    drain: () => drainConnections(http),
    close: async () => {
      stopping = true;
      closing.abort();
      await stopParts(running);
      await store.close();
      await tracing?.close();
    },
  };
}

/** The problems of this process, and their metric. */
function problemsOf({ http, clock, metrics }: Start): Problems {
  const problems = new Problems(http.log, clock);
  const help = 'Whether a part works: 0 yes, 1 it needs somebody soon, 2 no';
  metrics.gauges('problem.part', help, 'store', () => problems.states);
  http.connectionLimits.report(problems);
  return problems;
}

/** Limits and counts the commands of the registered models, and sees which writes the store refuses. */
function watchCommands({ config, metrics }: Start, { connection, refusedWrites }: ReturnType<typeof makeCore>): void {
  const commands = metrics.counter('store_commands_total', 'Database commands by method', ['method']);
  limitCommands(connection, config.requestTimeoutMs, (method) => commands.inc({ method }));
  refusedWrites.watch(connection);
}

function servicesOf(core: ReturnType<typeof makeCore>): Services {
  const services = domainServices(core, core);
  const { responseCacheMb } = core.config;
  // Created after the entity cache, so that changes reach that cache first: no response must be computed from a stale
  // row.
  const answers =
    responseCacheMb > 0 ? new ResponseCache(services.catalogChanges, responseCacheMb, totalsOf) : undefined;
  if (answers)
    core.metrics.gauges('cached_responses.result', 'Responses asked of the cache', 'process', () => answers.counts);
  return { ...services, answers };
}

interface StartedParts {
  store: Store;
  services: Services;
  operatorKey: string | undefined;
  problems: Problems;
  tracing: Tracing | undefined;
  isStopping(): boolean;
}

async function registerAll(
  { config, http, clock, metrics, metricsText, schema, documents }: Start,
  { store, services, operatorKey, problems, tracing, isStopping }: StartedParts,
): Promise<FanOut> {
  if (tracing) traceRequests(http, tracing);
  const { authenticate, origins } = accessOf(config, services, operatorKey, http);
  const { catalogEnabled, anonymousSubscriptions } = config;
  const clients = new Clients({ authenticate, limits: config, clock });
  followRights(services, clients);
  refuseWithoutStore(http, store);
  const { answers } = services;
  chooseByTransport(http);
  const health = { ping: store.ping, isStopping, problems: () => problems.list() };
  registerRoutes(http, restRoutes(services, clients, { health, metricsText }), {
    authenticate,
    origins,
    catalogEnabled,
    answers,
    commandGate: services.commandGate,
    clock,
    maxResponseBytes: config.maxResponseBytes,
  });
  const rowTexts = rowTextCacheOf(config);
  const executions = newExecutionCounts();
  const executor = makeExecutor(schema, {
    kind: config.executor,
    rowTexts,
    counts: executions,
    maxBytes: config.maxResponseBytes,
    documents: documents.prepared,
  });
  const limits = new Limits(schema, config.maxResponseValues);
  const graphql = {
    schema,
    documents,
    limits,
    execute: countOperations(tracing ? traceOperations(executor, tracing) : executor, metrics),
    services,
    makeLoaders: (facts: Parameters<typeof makeLoaders>[1]) => makeLoaders(services, facts),
    cacheable: CACHEABLE_FIELDS,
    authenticate,
    origins,
  };
  const subscriptions = registerSubscriptions(http, {
    ...graphql,
    feed: services.eventFeed,
    clients,
    anonymousSubscriptions,
    isStoreAvailable: () => isConnected(store.connection),
    requestTimeoutMs: config.requestTimeoutMs,
  });
  const requests = await registerGraphql(http, graphql);
  if (config.openid4vc) registerProtocolRoutes(http, protocolRoutes(services), config.maxResponseBytes);
  if (config.pages) registerPages(http);
  registerClientFiles(http, (partnerId) => services.clientConfigs.find(partnerId));
  measureClients(metrics, clients, subscriptions);
  measureQueries(metrics, { requests, executions, rowTexts });
  return subscriptions;
}

/** The row text cache needs the entity cache, whose rows it uses as keys. */
function rowTextCacheOf({ entityCacheMb, rowTextCacheMb }: Config): RowTextCache | undefined {
  return entityCacheMb > 0 && rowTextCacheMb > 0 ? new RowTextCache(rowTextCacheMb * 1024 * 1024) : undefined;
}

async function listen(http: FastifyInstance, { host, port }: Config): Promise<{ url: string }> {
  await http.listen({ host, port });
  const address = http.server.address();
  const bound = typeof address === 'object' && address ? address.port : port;
  return { url: addressOf(host, bound) };
}
