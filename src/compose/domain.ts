// The interface of a domain: the parts that its domain.ts lists, and the core from which they are built.
import type { Connection } from 'mongoose';
import type { Points } from '../base/callers/points.js';
import type { Worker } from '../base/concurrency/worker.js';
import type { Config } from '../base/config/config.js';
import type { Retention } from '../base/config/retention-config.js';
import type { Metrics } from '../base/monitoring/metrics.js';
import type { PartCheck, SharedProblems } from '../base/monitoring/problems.js';
import type { Clients } from '../http/callers/clients.js';
import type { GuardedFetch } from '../http/outbound/guarded-fetch.js';
import type { ProtocolRoute } from '../http/protocols/protocol-routes.js';
import type { Operation } from '../http/routes/operation.js';
import type { AnyRoute } from '../http/routes/route.js';
import type { ManagedIssuers } from '../keys/managed-issuers.js';
import type { SealedBox } from '../keys/sealed-box.js';
import type { SealedField } from '../keys/sealed-field.js';
import type { SigningKeys } from '../keys/signing-keys.js';
import type { ZkKeys } from '../keys/zk/keys.js';
import type { ZkThreads } from '../keys/zk/threads.js';
import type { RecordWrites } from '../store/audit-port.js';
import type { ChangeFeed } from '../store/change-feed.js';
import type { CommandGate } from '../store/command-gate.js';
import type { Elections } from '../store/election.js';
import type { Erasers } from '../store/erasure-port.js';
import type { AppendEvents } from '../store/event-port.js';
import type { Idempotency } from '../store/idempotency.js';
import type { ProcessLease } from '../store/process-lease.js';
import type { RateLimits } from '../store/rate-limits.js';
import type { RefusedWrites } from '../store/refused-writes.js';
import type { RetentionRule } from '../store/retention.js';
import type { RowUpdate } from '../store/row-updates.js';

/** Configuration, connection, clock, keys, and the interfaces to other domains. */
export interface Core {
  config: Config;
  connection: Connection;
  /** Milliseconds since the epoch. */
  clock(): number;
  /** The address at which verifiers reach the gateway, without a trailing slash. */
  publicUrl: string;
  problems: SharedProblems;
  /** Metrics for operators. */
  metrics: Metrics;
  /** Reports failures of background work. */
  onError(error: unknown): void;
  box: SealedBox;
  signingKeys: SigningKeys;
  managedIssuers: ManagedIssuers;
  /** BBS keys of managed issuers. */
  zkKeys: ZkKeys;
  /** Closed when the process ends; undefined if proofs are off. */
  zkThreads: ZkThreads | undefined;
  /** Calls addresses that others registered. */
  outbound: GuardedFetch;
  /** Changes in the database, for all caches. */
  changes: ChangeFeed;
  /** The erasers of all domains, for erased holders. */
  erasers: Erasers;
  appendEvents: AppendEvents;
  /** Records writes of operators and partners, in their transaction. */
  recordWrites: RecordWrites;
  processLease: ProcessLease;
  /** Whether the store refuses writes because its disk is full. */
  refusedWrites: RefusedWrites;
  /** Elects one process among many for background work. */
  elections: Elections;
  idempotency: Idempotency;
  rateLimits: RateLimits;
  /** The points of callers. */
  points: Points;
  /** Bounds the database commands that each caller runs at the same time. */
  commandGate: CommandGate;
}

export type ResolverClass = new () => object;

/** The parts of a domain. Services are built from the core and the services of earlier domains. @typeParam S all services */
export interface Domain<S> {
  /** Registers its collections on a connection. */
  models(connection: Connection): unknown;
  services: (core: Core, earlier: S) => object;
  /** Operations that both GraphQL and REST have. */
  operations?: readonly Operation[];
  /** Resolvers that only GraphQL has. */
  resolvers?: readonly ResolverClass[];
  /** Of these, those that read from the store only through loaders; their root fields close with the catalog. */
  byLoaders?: readonly ResolverClass[];
  /** Of `byLoaders`, those whose results are the same for every caller until the rows that they read, or the day, change. */
  cacheable?: readonly ResolverClass[];
  /** Routes that only REST has. */
  routes?: (services: S, clients: Clients) => AnyRoute[];
  /** Routes of protocols that others specify. */
  protocolRoutes?: (services: S) => ProtocolRoute[];
  /** Its background workers. */
  workers?: (core: Core, services: S) => Worker[];
  /** Looks for problems of its parts that nothing reports by itself, in every process (src/base/monitoring/problem-kinds.ts). */
  partChecks?: (core: Core, services: S) => PartCheck[];
  /** Drops indexes of earlier versions; it may run repeatedly, also while gateways run. */
  dropIndexes?(connection: Connection): Promise<unknown>;
  /** Updates of rows of earlier versions. */
  rowUpdates?: readonly RowUpdate[];
  /** Fields with sealed values that are stored longer than a day. */
  sealed?(connection: Connection): SealedField[];
  /** Rows whose time of expiry follows from a setting. */
  retained?(connection: Connection, settings: Retention): RetentionRule[];
}
