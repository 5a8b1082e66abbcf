// The parts of a running process, and what each needs while it works: a part starts after those that it needs, and stops before them.
import type { FastifyInstance } from 'fastify';
import type { Worker } from '../base/concurrency/worker.js';
import { PartWatch } from '../base/monitoring/part-watch.js';
import type { Problems } from '../base/monitoring/problems.js';
import type { Services } from './context.js';
import type { Store } from '../store/connection.js';
import type { Core } from './domain.js';
import { domainPartChecks } from './domains.js';
import { processChecks } from './part-checks.js';

/** A part of the process. */
export interface Part<Name extends string = string> {
  /** The parts that must not stop before this one. */
  needs?: readonly Name[];
  start?(): void;
  stop(): unknown;
}

type Parts = Readonly<Record<string, Part>>;

interface RunningParts {
  core: Core;
  http: FastifyInstance;
  services: Services;
  /** The background work of the domains. */
  workers: readonly Worker[];
  problems: Problems;
  store: Pick<Store, 'ping'>;
  /** False for a process without clients. */
  serves: boolean;
}

/** All parts of a gateway. The store is open before they start, and is closed after they have stopped. */
export function partsOf({ core, http, services, workers, problems, store, serves }: RunningParts): Parts {
  const { changes, processLease } = core;
  const { documentChecks, eventFeed, loginMail, search, verificationWaits, zkThreads } = services;
  const watch = new PartWatch(problems, [...processChecks(core, store), ...domainPartChecks(core, services)]);
  return checked({
    lease: { start: () => processLease.start(), stop: () => processLease.stop() },
    changes: { start: () => changes.start(), stop: () => changes.stop() },
    search: { needs: ['changes'], ...(serves && { start: () => search.start() }), stop: () => search.close() },
    documentChecks: { stop: () => documentChecks.close() },
    proofs: { stop: () => zkThreads?.close() },
    workers: {
      needs: ['lease', 'changes', 'search', 'documentChecks', 'proofs'],
      start: () => {
        for (const worker of workers) worker.start();
      },
      stop: () => Promise.all(workers.map((worker) => worker.stop())),
    },
    watch: { needs: ['lease'], start: () => watch.start(), stop: () => watch.stop() },
    mail: {
      stop: () => {
        const unsent = loginMail.close();
        if (unsent > 0) http.log.warn({ unsent }, 'mails were not sent before the end');
      },
    },
    requests: {
      needs: ['lease', 'changes', 'search', 'documentChecks', 'proofs', 'mail', 'workers'],
      stop: () => http.close(),
    },
    // Requests may wait for events, so the feed ends first, which ends these requests.
    events: { needs: ['changes', 'requests'], start: () => eventFeed.start(), stop: () => eventFeed.stop() },
    verificationWaits: { needs: ['requests'], stop: () => verificationWaits.end() },
  });
}

/** @throws Error if parts need each other. */
export function checked<Name extends string>(parts: Record<Name, Part<NoInfer<Name>>>): Parts {
  inOrder(parts);
  return parts;
}

/** Starts each part after the parts that it needs. */
export function startParts(parts: Parts): void {
  for (const part of inOrder(parts)) part.start?.();
}

/**
 * Stops each part after all parts that need it. @throws the error of a part; the parts that it needs are then not
 * stopped.
 */
export async function stopParts(parts: Parts): Promise<void> {
  const stops = new Map<Part, Promise<unknown>>();
  const users = (needed: Part): Part[] =>
    Object.values(parts).filter(({ needs = [] }) => needs.some((name) => parts[name] === needed));
  const stop = (part: Part): Promise<unknown> => {
    const stopped = stops.get(part) ?? Promise.all(users(part).map(stop)).then(() => part.stop());
    stops.set(part, stopped);
    return stopped;
  };
  await Promise.all(Object.values(parts).map(stop));
}

/** The parts in an order in which each comes after those that it needs. @throws Error if parts need each other. */
function inOrder(parts: Parts): Part[] {
  const ordered = new Set<Part>();
  const add = (name: string, path: readonly string[]): void => {
    const part = parts[name];
    if (part === undefined || ordered.has(part)) return;
    if (path.includes(name)) throw new Error(`these parts need each other: ${[...path, name].join(', ')}`);
    for (const needed of part.needs ?? []) add(needed, [...path, name]);
    ordered.add(part);
  };
  for (const name of Object.keys(parts)) add(name, []);
  return [...ordered];
}
