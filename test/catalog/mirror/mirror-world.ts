// Mirrors with a store and a source of the test's own. Pauses are recorded instead of waited for.

import type { MirrorLimits } from '../../../src/catalog/mirror/limits.js';
import { type MirrorLine, type MirrorSummary, Mirrors } from '../../../src/catalog/mirror/mirror.js';
import type { MirrorRequest } from '../../../src/catalog/mirror/mirror-record.js';
import { guardedFetch } from '../../../src/http/outbound/guarded-fetch.js';
import { ProcessLease } from '../../../src/store/process-lease.js';
import { processLeaseModels } from '../../../src/store/process-rows.js';
import { type AdminStore, OPERATOR, openAdminStore } from '../admin/admin-store.js';
import { networkOf, type SourceServer, startSource } from './source-server.js';

/** All entries of the network: 12 schemas, credentials and programs, 3 issuers, 1 verifier. */
export const ALL = 40;

export class MirrorWorld {
  /** The pauses that mirrors made, milliseconds. */
  readonly pauses: number[] = [];
  /** How far the mirrors' clock is ahead of the store's, milliseconds. */
  ahead = 0;
  /** A time at which the mirrors' clock stands still but for their pauses. */
  standing: number | undefined;
  /** The leases of the processes that mirror. */
  readonly leases: ProcessLease[] = [];
  mirrors: Mirrors;

  constructor(
    readonly store: AdminStore,
    readonly source: SourceServer,
  ) {
    this.mirrors = this.newMirrors();
  }

  /** Mirrors over the same store that behave like another process. */
  newMirrors(timeoutMs?: number, limits: Partial<MirrorLimits> = {}): Mirrors {
    const outboundPolicy = { allowLoopback: true };
    const { models, admin } = this.store;
    const processLease = new ProcessLease({ models: processLeaseModels(models.mirrors.db) });
    processLease.start();
    this.leases.push(processLease);
    return new Mirrors({
      models,
      admin,
      processLease,
      outboundPolicy,
      fetch: guardedFetch(outboundPolicy),
      clock: () => (this.standing ?? Date.now()) + this.ahead,
      limits,
      pace: {
        timeoutMs,
        pause: async (ms) => {
          if (ms > 0) this.pauses.push(ms);
          this.ahead += ms;
        },
      },
    });
  }

  /** One run, with all that it prints. */
  async run(request: Partial<MirrorRequest> = {}): Promise<{ lines: MirrorLine[]; summary: MirrorSummary }> {
    const lines: MirrorLine[] = [];
    for await (const line of this.mirrors.run(OPERATOR, { from: this.source.base, ...request })) lines.push(line);
    return { lines, summary: lines.at(-1) as MirrorSummary };
  }

  async liveIds(kind: 'credentials' | 'programs' | 'schemas'): Promise<string[]> {
    return (await this.store.models[kind].collection.find({ live: true }).toArray()).map(({ _id }) => String(_id));
  }

  async close(): Promise<void> {
    await this.source.close();
    await Promise.all(this.leases.map((lease) => lease.stop()));
    await this.store.close();
  }
}

export const openMirrorWorld = async (): Promise<MirrorWorld> =>
  new MirrorWorld(await openAdminStore(), await startSource(networkOf(12)));

/** The messages of a run for entries with this result. */
export const messages = (lines: readonly MirrorLine[], result = 'refused'): string[] =>
  lines.flatMap((line) => ('id' in line && line.result === result ? [`${line.kind}/${line.id} ${line.message}`] : []));
