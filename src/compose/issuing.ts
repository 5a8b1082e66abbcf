// Composition of storage, issuance and the event log's workers.
import type { Connection } from 'mongoose';
import { isStoreFull } from '../base/errors.js';
import type { ProblemReport } from '../base/problems.js';
import { IssuingCatalog } from '../catalog/issuing.service.js';
import type { DocumentChecks } from '../catalog/json-schema/document-checks.service.js';
import { catalogModels } from '../catalog/models.js';
import { TractionService } from '../catalog/traction.service.js';
import { EventLog } from '../events/event-log.service.js';
import { eventWorkers } from '../events/event-workers.js';
import { LogWatch } from '../events/log-watch.js';
import { eventModels } from '../events/models.js';
import { Batches } from '../issuance/batches/batches.service.js';
import { batchModels } from '../issuance/batches/models.js';
import { BatchRows } from '../issuance/batches/rows.js';
import { BatchWorker } from '../issuance/batches/worker.js';
import { expiryWorker } from '../issuance/expiry.js';
import { IssuanceService } from '../issuance/issuance.service.js';
import { IssuerHosted } from '../issuance/issuer-hosted.service.js';
import { IssuanceList } from '../issuance/list.service.js';
import { issuanceModels } from '../issuance/models.js';
import { RevocationService } from '../issuance/revocation.service.js';
import { StatusService } from '../issuance/status.service.js';
import { StatusLists } from '../issuance/status-list.js';
import { StoredPackages } from '../storage/list.service.js';
import { storageModels } from '../storage/models.js';
import { StorageService } from '../storage/storage.service.js';
import { Idempotency, idempotencyModels } from '../store/idempotency.js';
import { leaseModels } from '../store/lease.js';
import { ProcessLease, processLeaseModels } from '../store/process-lease.js';
import type { IdentityServices } from './identity.js';

/** Services of storage and issuance. */
export interface IssuingServices {
  events: EventLog;
  storage: StorageService;
  storedPackages: StoredPackages;
  issuingCatalog: IssuingCatalog;
  issuance: IssuanceService;
  issuances: IssuanceList;
  issuerHosted: IssuerHosted;
  batches: Batches;
  batchRows: BatchRows;
  revocation: RevocationService;
  status: StatusService;
  statusLists: StatusLists;
  processLease: ProcessLease;
  idempotency: Idempotency;
}

export interface IssuingOptions {
  connection: Connection;
  identity: IdentityServices;
  documentChecks: DocumentChecks;
  /** Where verifiers reach us, without a trailing slash. */
  publicUrl: string;
  clock(): number;
  problems: ProblemReport;
}

/** Builds the services. */
export function makeIssuing({
  connection,
  identity,
  documentChecks,
  publicUrl,
  clock,
  problems,
}: IssuingOptions): IssuingServices {
  const { holders, partners, managedIssuers, signingKeys, box } = identity;
  const events = new EventLog(eventModels(connection), clock);
  const catalog = new IssuingCatalog(catalogModels(connection));
  const models = issuanceModels(connection);
  const appendEvents = events.append;
  const stored = storageModels(connection);
  const storage = new StorageService({
    connection,
    models: stored,
    keys: signingKeys,
    holderIdOf: (did) => holders.holderIdOf(did),
    isSchemaPublished: (schemaId) => catalog.isSchemaPublished(schemaId),
    appendEvents,
    clock,
  });
  const parts = { connection, models, storage, appendEvents, clock };
  const batches = batchModels(connection);
  const processLease = makeProcessLease(connection, problems);
  const batchRows = new BatchRows({ connection, models: batches, box, appendEvents, clock });
  return {
    events,
    storage,
    storedPackages: new StoredPackages(stored),
    issuingCatalog: catalog,
    issuance: new IssuanceService({
      ...parts,
      catalog,
      partners,
      holders,
      managedIssuers,
      documentChecks,
      publicUrl,
    }),
    issuances: new IssuanceList(models, clock),
    batches: new Batches({ models: batches, batchRows, catalog, partners, holders, clock }),
    batchRows,
    issuerHosted: new IssuerHosted({ catalog, holders, box, outbound: identity.outbound }),
    revocation: new RevocationService(parts),
    status: new StatusService(models, clock),
    statusLists: new StatusLists({ models, catalog, managedIssuers, publicUrl, clock }),
    processLease,
    idempotency: new Idempotency(idempotencyModels(connection), box, processLease, clock),
  };
}

const FULL_STORE = 'The disk of the store is full: it takes no writes; reads go on.';

/** Every process writes its lease all the time, and so is the first to hear that nothing can be written. */
function makeProcessLease(connection: Connection, problems: ProblemReport): ProcessLease {
  return new ProcessLease({
    models: processLeaseModels(connection),
    onRenewed: () => problems.clear('store'),
    onFailed: (error) => isStoreFull(error) && problems.raise('store', FULL_STORE, error),
  });
}

/** Something that works beside the requests. */
export interface Worker {
  start(): void;
  /** Resolves when nothing of it is under way any more. */
  stop(): Promise<void>;
}

export interface WorkerOptions {
  clock(): number;
  /** How long a stamped event is kept, milliseconds. */
  retentionMs: number;
  problems: ProblemReport;
  onError(error: unknown): void;
}

/** The lease of this process, the watch over the log, the elected workers (the event log's places and counts, and expiry), and the one for batches that every process has. */
export function issuingWorkers(
  connection: Connection,
  { events, batchRows, issuance, partners, processLease }: IssuingServices & Pick<IdentityServices, 'partners'>,
  { clock, retentionMs, problems, onError }: WorkerOptions,
): Worker[] {
  const leases = leaseModels(connection);
  const traction = new TractionService(catalogModels(connection));
  return [
    processLease,
    new LogWatch({ models: eventModels(connection), problems }),
    eventWorkers({
      connection,
      leases,
      models: eventModels(connection),
      log: events,
      traction,
      clock,
      retentionMs,
      onError,
    }),
    expiryWorker({
      connection,
      leases,
      models: issuanceModels(connection),
      appendEvents: events.append,
      clock,
      onError,
    }),
    new BatchWorker({ models: batchModels(connection), batchRows, issuance, partners, onError }),
  ];
}
