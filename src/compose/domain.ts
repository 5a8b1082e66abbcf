// What every domain is built from: configuration, connection, clock, keys, and the interfaces to other domains.
import type { Connection } from 'mongoose';
import type { Config } from '../base/config/config.js';
import type { Metrics } from '../base/monitoring/metrics.js';
import type { Points } from '../base/callers/points.js';
import type { ProblemReport } from '../base/monitoring/problems.js';
import type { ManagedIssuers } from '../keys/managed-issuers.js';
import type { SealedBox } from '../keys/sealed-box.js';
import type { SigningKeys } from '../keys/signing-keys.js';
import type { ZkKeys } from '../keys/zk/keys.js';
import type { ZkThreads } from '../keys/zk/threads.js';
import type { ChangeFeed } from '../store/change-feed.js';
import type { CommandGate } from '../store/command-gate.js';
import type { RecordWrites } from '../store/audit-port.js';
import type { Erasers } from '../store/erasure-port.js';
import type { AppendEvents } from '../store/event-port.js';
import type { Idempotency } from '../store/idempotency.js';
import type { ProcessLease } from '../store/process-lease.js';
import type { GuardedFetch } from '../http/guarded-fetch.js';

export interface Core {
  config: Config;
  connection: Connection;
  /** Milliseconds since the epoch. */
  clock(): number;
  /** The address at which verifiers reach the gateway, without a trailing slash. */
  publicUrl: string;
  problems: ProblemReport;
  /** What operators measure. */
  metrics: Metrics;
  /** Reports failures of background work. */
  onError(error: unknown): void;
  box: SealedBox;
  signingKeys: SigningKeys;
  managedIssuers: ManagedIssuers;
  /** BBS keys of managed issuers. */
  zkKeys: ZkKeys;
  /** Ended with the process; undefined: proofs are off. */
  zkThreads: ZkThreads | undefined;
  /** Calls addresses that others registered. */
  outbound: GuardedFetch;
  /** Changes in the database, for everything cached in memory. */
  changes: ChangeFeed;
  /** How each domain forgets an erased holder. */
  erasers: Erasers;
  appendEvents: AppendEvents;
  /** Records writes of operators and partners, in their transaction. */
  recordWrites: RecordWrites;
  processLease: ProcessLease;
  idempotency: Idempotency;
  /** What callers may ask for. */
  points: Points;
  /** Bounds the database commands that each caller runs at the same time. */
  commandGate: CommandGate;
}
