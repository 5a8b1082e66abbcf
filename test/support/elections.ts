// The elections of a process without a gateway: its lease, and the change feed that wakes its candidates.
import type { Connection } from 'mongoose';
import { onTestFinished } from 'vitest';
import { ChangeFeed } from '../../src/store/change-feed.js';
import { Elections } from '../../src/store/election.js';
import { leaseModels } from '../../src/store/lease.js';
import { type HeldLease, ProcessLease } from '../../src/store/process-lease.js';
import { processLeaseModels } from '../../src/store/process-rows.js';

export interface TestElections {
  elections: Elections;
  lease: ProcessLease;
  changes: ChangeFeed;
}

/** Starts the elections; they end with the test. */
export function openElections(connection: Connection, onError: (error: unknown) => void = () => {}): TestElections {
  const models = { ...leaseModels(connection), ...processLeaseModels(connection) };
  const lease = new ProcessLease({ models });
  const elections = new Elections({ models, processLease: lease, onError });
  const changes = new ChangeFeed({ connection, onError: () => {} });
  changes.listen(['leases'], elections.changes);
  changes.listen(['processes'], lease.changes);
  changes.listen(['processes'], elections.processChanges);
  // Until then, workers can add their listeners.
  setImmediate(() => changes.start());
  lease.start();
  onTestFinished(async () => {
    await lease.stop();
    await changes.stop();
  });
  return { elections, lease, changes };
}

/**
 * Does work that one lease of a process outlasts. A process that stands still for seconds loses its lease, as it should: then the work is begun
 * anew with the next one. What the work waits for must end when the lease is lost.
 */
export async function inOneLease<T>(lease: ProcessLease, work: (held: HeldLease) => Promise<T>): Promise<T> {
  for (;;) {
    const held = await lease.held();
    const { lost } = held;
    const begun = work(held).then(
      (value) => ({ value }),
      (error: unknown) => {
        if (!lost.aborted) throw error;
      },
    );
    const ended = new Promise<void>((resolve) => lost.addEventListener('abort', () => resolve(), { once: true }));
    const done = await Promise.race([begun, ended]);
    if (done !== undefined && !lost.aborted) return done.value;
  }
}
