// The parts of the catalog domain.
import type { Connection } from 'mongoose';
import type { Worker } from '../base/concurrency/worker.js';
import type { PartCheck } from '../base/monitoring/problems.js';
import type { Core } from '../compose/domain.js';
import { guardedFetch } from '../http/outbound/guarded-fetch.js';
import { issuerKeys } from '../keys/issuer-keys.js';
import type { SealedField } from '../keys/sealed-field.js';
import type { StoreChange } from '../store/change-feed.js';
import type { PartnerAdmin } from '../partners/admin.service.js';
import { catalogWriteOperations } from './admin/operations.js';
import { adminRoutes } from './admin/admin.routes.js';
import { CatalogAdmin } from './admin/admin.js';
import { counterFolder } from './admin/counter-folder.js';
import { CounterJournal } from './admin/counter-journal.js';
import { SchemaImpacts } from './admin/schema-impact.service.js';
import { CatalogChanges } from './cache/catalog-changes.js';
import { EntityCache } from './cache/entity-cache.js';
import { type CatalogRouteServices, catalogRoutes } from './rest/catalog.routes.js';
import { CatalogService } from './reading/catalog.js';
import { catalogResolvers, relationResolvers } from './graphql/resolvers.js';
import { originResolvers } from './mirror/origins.resolver.js';
import { IssuingCatalog } from './reading/issuing.service.js';
import { DocumentChecks } from './json-schema/document-checks.service.js';
import { OriginReads } from './mirror/origins.js';
import { Mirrors } from './mirror/mirror.js';
import { mirrorOperations } from './mirror/operations.js';
import { mirrorRoutes } from './mirror/mirror.routes.js';
import { mirrorAlways } from './mirror/schedule.js';
import { catalogModels } from './rows/models.js';
import { ProgramCatalog } from './reading/program-terms.service.js';
import { CatalogSearch } from './search/search.js';
import { REFOLDED_TERMS } from './rows/refold-terms.js';
import { type SeriesRouteServices, seriesRoutes } from './rest/series.routes.js';
import { TractionSeries } from './traction/series.js';
import { TractionService } from './traction/traction.service.js';
import { TractionRuns } from './traction/traction-runs.service.js';

export interface CatalogServices {
  catalog: CatalogService;
  catalogAdmin: CatalogAdmin;
  /** Changes of the catalog, as keys of its rows and lists (store/reads.ts). */
  catalogChanges: CatalogChanges;
  /** Counter changes that imports store, to be added to the rows later. */
  counters: CounterJournal;
  /** Validates subjects against JSON Schema documents; stops with the process. */
  documentChecks: DocumentChecks;
  /** The catalog for issuance. */
  issuingCatalog: IssuingCatalog;
  /** Catalogs of other networks. */
  mirrors: Mirrors;
  origins: OriginReads;
  /** What verification needs of the catalog. */
  programCatalog: ProgramCatalog;
  /** What schema changes would break. */
  schemaImpacts: SchemaImpacts;
  search: CatalogSearch;
  /** Adds counts from events to the stored counts. */
  traction: TractionService;
  /** Traction over time. */
  tractionSeries: TractionSeries;
  /** Folds days into runs. */
  tractionRuns: TractionRuns;
}

function catalogServices(core: Core, { partnerAdmin }: { partnerAdmin: PartnerAdmin }): CatalogServices {
  const { config, connection, box, managedIssuers, zkKeys, appendEvents, recordWrites, onError, clock } = core;
  const models = catalogModels(connection);
  // Added first: caches drop stale entries before any other listener is called.
  const catalogChanges = new CatalogChanges(core.changes, clock);
  const cache = config.entityCacheMb > 0 ? new EntityCache(catalogChanges, config.entityCacheMb) : undefined;
  if (cache) {
    core.metrics.gauges('cached_rows.result', 'Catalog rows asked of the cache', 'process', () => cache.counts);
    core.metrics.gauges('cached_lists.result', 'Lists asked of the cache', 'process', () => cache.listCounts);
  }
  const catalog = new CatalogService(models, catalogChanges, core.publicUrl, cache);
  const documentChecks = new DocumentChecks(config.holderDidPrefix);
  const issuingCatalog = new IssuingCatalog(models);
  const programCatalog = new ProgramCatalog(models, issuingCatalog, clock);
  const now = (): Date => new Date(clock());
  const onWritten = (written: readonly StoreChange[]): void => catalogChanges.written(written);
  const counters = new CounterJournal({ connection, models, onWritten, now });
  const catalogAdmin = new CatalogAdmin({
    connection,
    models,
    counters,
    sandbox: config.networkEnv === 'sandbox',
    putPartner: async (caller, { id, body }) => (await partnerAdmin.put(caller, id, body)).result,
    issuerKeys: issuerKeys(managedIssuers, zkKeys, box),
    appendEvents,
    recordWrites,
    documentChecks,
    provabilities: (programIds) => programCatalog.provabilities(programIds),
    onWritten,
    now,
  });
  const outboundPolicy = { allowLoopback: config.networkEnv === 'sandbox', allowInternal: config.mirrorInternal };
  const { processLease } = core;
  const fetch = guardedFetch(outboundPolicy);
  const mirrors = new Mirrors({ models, admin: catalogAdmin, processLease, outboundPolicy, fetch, clock });
  const schemaImpacts = new SchemaImpacts(models, clock);
  const search = new CatalogSearch(core.changes, models, catalog, onError);
  const traction = new TractionService(models);
  return {
    catalog,
    catalogAdmin,
    catalogChanges,
    counters,
    documentChecks,
    issuingCatalog,
    mirrors,
    origins: new OriginReads(models),
    programCatalog,
    schemaImpacts,
    search,
    traction,
    tractionSeries: new TractionSeries(models),
    tractionRuns: new TractionRuns(models),
  };
}

function catalogWorkers(
  { config, connection, changes, elections, problems, clock, onError }: Core,
  { counters, mirrors }: CatalogServices,
): Worker[] {
  const { mirrorFrom, mirrorIntervalMs: intervalMs } = config;
  const collection = catalogModels(connection).counterNotes.collection.name;
  const folder = counterFolder({ counters, collection, changes, elections, clock });
  if (mirrorFrom.length === 0) return [folder];
  const sources = mirrorFrom.map((from) => mirrors.baseOf(from, 'MIRROR_FROM'));
  const options = { mirrors, sources, intervalMs, problems, clock, onError };
  return [folder, elections.elect('mirror', (term) => mirrorAlways(term, options))];
}

export const catalogDomain = {
  models: catalogModels,
  services: catalogServices,
  operations: [...catalogWriteOperations, ...mirrorOperations],
  resolvers: [...catalogResolvers, ...originResolvers],
  byLoaders: [...catalogResolvers, ...originResolvers],
  cacheable: relationResolvers,
  routes: (
    services: CatalogRouteServices & SeriesRouteServices & Pick<CatalogServices, 'catalogAdmin' | 'mirrors'>,
  ) => [...catalogRoutes(services), ...seriesRoutes(services), ...adminRoutes(services), ...mirrorRoutes(services)],
  workers: catalogWorkers,
  partChecks: (_core: Core, { search }: Pick<CatalogServices, 'search'>): PartCheck[] => [
    { kinds: ['search-stopped'], look: () => (search.isDown ? [{ kind: 'search-stopped' }] : []) },
  ],
  rowUpdates: [REFOLDED_TERMS],
  sealed: (connection: Connection): SealedField[] => [
    { model: catalogModels(connection).issuers, field: 'apiKeySealed', what: 'api-key', name: 'API keys of issuers' },
  ],
} as const;
