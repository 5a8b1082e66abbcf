// The core from which all domains are built, created once in a process from the configuration and the connection.
import { join } from 'node:path';
import type { Connection } from 'mongoose';
import { AuditLog } from '../audit/audit-log.js';
import { auditModels } from '../audit/models.js';
import { Points } from '../base/callers/points.js';
import type { Config } from '../base/config/config.js';
import { DataDirError, keepSecret, readSecret } from '../base/data-dir.js';
import type { Metrics } from '../base/monitoring/metrics.js';
import type { ProblemReport, SharedProblems } from '../base/monitoring/problems.js';
import type { Tracing } from '../base/monitoring/tracing.js';
import { EventLog } from '../events/event-log.js';
import { eventModels } from '../events/models.js';
import { guardedFetch } from '../http/outbound/guarded-fetch.js';
import { resolverOfNames } from '../http/outbound/resolve-name.js';
import { traceCalls } from '../http/server/tracing.js';
import { ManagedIssuers } from '../keys/managed-issuers.js';
import { keyModels } from '../keys/models.js';
import { KEYSTORE_KEY_BYTES, SealedBox } from '../keys/sealed-box.js';
import { SigningKeys } from '../keys/signing-keys.js';
import { ZkKeys } from '../keys/zk/keys.js';
import { ZkThreads } from '../keys/zk/threads.js';
import { ChangeFeed } from '../store/change-feed.js';
import { CommandGate } from '../store/command-gate.js';
import { Elections } from '../store/election.js';
import { Erasers } from '../store/erasure-port.js';
import { Idempotency, idempotencyModels } from '../store/idempotency.js';
import { leaseModels } from '../store/lease.js';
import { ProcessLease } from '../store/process-lease.js';
import { processLeaseModels } from '../store/process-rows.js';
import { RateLimits, rateModel } from '../store/rate-limits.js';
import { RefusedWrites, writeTrialModels } from '../store/refused-writes.js';
import type { Core } from './domain.js';

/** The file of the sandbox's KEYSTORE_KEY, in DATA_DIR. */
export const KEYSTORE_KEY_FILE = 'keystore.key';

export interface CoreParts {
  clock(): number;
  problems: SharedProblems;
  metrics: Metrics;
  /** Default: new points, for a process that serves no requests. */
  points?: Points;
  tracing?: Tracing | undefined;
  onError(error: unknown): void;
}

/** @throws DataDirError when the sandbox's own key cannot be read. */
export function makeCore(
  config: Config,
  connection: Connection,
  { clock, problems, metrics, points = new Points(config, clock), tracing, onError }: CoreParts,
): Core & { events: EventLog } {
  const box = keystoreBoxOf(config);
  const models = keyModels(connection);
  const signingKeys = new SigningKeys(models, box, clock);
  const zkThreads = config.zkWorkers > 0 ? new ZkThreads({ max: config.zkWorkers, problems }) : undefined;
  const outbound = guardedFetch({
    allowLoopback: config.networkEnv === 'sandbox',
    resolve: resolverOfNames(),
  });
  const events = new EventLog(eventModels(connection), clock);
  const processLease = makeProcessLease(connection, box, problems);
  const refusedWrites = makeRefusedWrites(connection, clock, problems);
  processLease.afterBeat(() => refusedWrites.tryAgain());
  const changes = new ChangeFeed({ connection, onError });
  return {
    config,
    connection,
    clock,
    problems,
    metrics,
    onError,
    publicUrl: config.publicUrl ?? `http://localhost:${config.port}`,
    box,
    signingKeys,
    managedIssuers: new ManagedIssuers(signingKeys, config.publicUrl),
    zkKeys: new ZkKeys({ models, box, threads: zkThreads, clock }),
    zkThreads,
    outbound: tracing ? traceCalls(outbound, tracing) : outbound,
    changes,
    erasers: new Erasers(),
    events,
    appendEvents: events.append,
    recordWrites: new AuditLog(auditModels(connection), clock).record,
    processLease,
    refusedWrites,
    elections: electionsOf({ connection, processLease, changes, onError }),
    idempotency: new Idempotency(idempotencyModels(connection), box, processLease, clock),
    rateLimits: new RateLimits(rateModel(connection), box, clock),
    points,
    commandGate: new CommandGate({ perCaller: config.storeCommands, anonymous: config.anonymousStoreCommands }),
  };
}

/**
 * KEYSTORE_KEY, or the sandbox's own key. Undefined in a sandbox before its first start; production requires the
 * variable. @throws DataDirError.
 */
export function keystoreKeyOf({ keystoreKey, dataDir }: Config): Buffer | undefined {
  return keystoreKey ?? ownKey(dataDir, readSecret(dataDir, KEYSTORE_KEY_FILE));
}

/** Creates the sandbox's own key, unless it exists. @throws DataDirError. */
export function makeKeystoreKey(dataDir: string): Buffer | undefined {
  return ownKey(dataDir, keepSecret(dataDir, KEYSTORE_KEY_FILE, 'base64'));
}

function ownKey(dataDir: string, text: string | undefined): Buffer | undefined {
  const key = text === undefined ? undefined : Buffer.from(text, 'base64');
  if (key === undefined || key.length === KEYSTORE_KEY_BYTES) return key;
  const file = join(dataDir, KEYSTORE_KEY_FILE);
  throw new DataDirError(
    `${file} must hold a KEYSTORE_KEY, ${KEYSTORE_KEY_BYTES} bytes in base64: restore the right one.`,
  );
}

/** The box of KEYSTORE_KEY, which also opens values sealed under KEYSTORE_KEY_PREVIOUS; empty while there is no key. @throws DataDirError. */
export function keystoreBoxOf(config: Config): SealedBox {
  const { keystoreKeyPrevious: previous } = config;
  return new SealedBox(keystoreKeyOf(config), previous === undefined ? [] : [previous]);
}

/** The most problems of a process that others can read in its row. */
const MAX_SHARED = 50;

function makeRefusedWrites(connection: Connection, clock: () => number, problems: ProblemReport): RefusedWrites {
  return new RefusedWrites({
    models: writeTrialModels(connection),
    clock,
    onRefused: ({ cause }) => problems.raise('disk-full', { cause }),
    onAccepted: () => problems.clear('disk-full'),
  });
}

function makeProcessLease(connection: Connection, box: SealedBox, problems: SharedProblems): ProcessLease {
  return new ProcessLease({
    facts: () => ({
      ...(box.isEmpty ? {} : { keys: box.keyIds, sealing: box.sealing }),
      problems: problems.open
        .slice(0, MAX_SHARED)
        .map(({ kind, since, note, todo }) => ({ kind, since, note, ...(todo && { todo }) })),
    }),
    models: processLeaseModels(connection),
  });
}

function electionsOf({
  connection,
  processLease,
  changes,
  onError,
}: Pick<Core, 'connection' | 'processLease' | 'changes' | 'onError'>): Elections {
  const models = { ...leaseModels(connection), ...processLeaseModels(connection) };
  const elections = new Elections({ models, processLease, onError });
  changes.listen([models.leases.collection.name], elections.changes);
  for (const listener of [processLease.changes, elections.processChanges])
    changes.listen([models.processes.collection.name], listener);
  return elections;
}
