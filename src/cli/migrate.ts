// `migrate`: builds every index of the configured store, and updates rows of earlier versions.
import { setTimeout } from 'node:timers/promises';
import type { Config } from '../base/config/config.js';
import { DomainError } from '../base/errors.js';
import { migrateAll, registerModels } from '../compose/domains.js';
import type { MigrateOptions } from '../store/connection.js';
import type { Report, Terminal } from './output.js';
import { openStoreBeside } from './store-beside.js';

/** The time limit, and the time after which a build is reported. Milliseconds. */
export interface MigrateTimes {
  limitMs: number;
  reportMs: number;
}

const MINUTE_MS = 60_000;
export const MIGRATE_TIMES: MigrateTimes = { limitMs: 60 * MINUTE_MS, reportMs: MINUTE_MS / 2 };

/**
 * Builds the indexes of every collection and migrates its rows, also while gateways run. @throws DomainError
 * STORE_UNAVAILABLE after the time limit; the store completes builds that have begun.
 */
export async function runMigrate(config: Config, terminal: Terminal, times = MIGRATE_TIMES): Promise<Report> {
  const store = await openStoreBeside(config);
  const progress = new BuildProgress();
  const end = new AbortController();
  try {
    await store.connected;
    registerModels(store.connection);
    const work = migrateAll(store.connection, progress);
    const watch = watched(progress, { ...times, terminal, signal: end.signal });
    await Promise.race([work, watch]);
  } finally {
    end.abort();
    await store.close();
  }
  // Sorted, because builds end in any order.
  const built = progress.built.toSorted();
  return { json: { collections: built }, lines: built.map((name) => `indexes of ${name} are built`) };
}

class BuildProgress implements MigrateOptions {
  readonly built: string[] = [];
  readonly #building = new Map<string, number>();

  onBegin = (name: string): void => void this.#building.set(name, performance.now());

  onBuilt = (name: string): void => {
    this.#building.delete(name);
    this.built.push(name);
  };

  /** Collections whose indexes are being built for at least this time. */
  longerThan(ms: number): string[] {
    return [...this.#building].filter(([, since]) => performance.now() - since >= ms).map(([name]) => name);
  }
}

interface Watch extends MigrateTimes {
  terminal: Terminal;
  signal: AbortSignal;
}

/** Reports each slow build once. Never resolves; rejects after the time limit. */
async function watched(progress: BuildProgress, { limitMs, reportMs, terminal, signal }: Watch): Promise<void> {
  const startedAt = performance.now();
  const reported = new Set<string>();
  while (!signal.aborted) {
    await setTimeout(Math.min(reportMs, limitMs) / 4, undefined, { signal }).catch(() => {});
    const slow = progress.longerThan(reportMs).filter((name) => !reported.has(name));
    for (const name of slow) reported.add(name);
    if (slow.length > 0)
      terminal.warn(
        `still building the indexes of ${slow.join(', ')}: MongoDB waits until every voting member has built them; rs.status() shows whether one is down`,
      );
    if (performance.now() - startedAt > limitMs) throw tooLong(progress.longerThan(0), limitMs);
  }
}

const tooLong = (names: readonly string[], limitMs: number): DomainError =>
  new DomainError(
    'STORE_UNAVAILABLE',
    `The migration has not ended within ${Math.round(limitMs / MINUTE_MS)} minutes: ${names.length > 0 ? `the indexes of ${names.join(', ')} are not built` : 'rows of earlier versions are not all updated'}. Is a member of the replica set away? Run it again; builds that have begun go on in the store.`,
  );
