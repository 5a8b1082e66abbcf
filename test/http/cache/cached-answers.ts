// Observes the response cache of a gateway. On a busy machine the change stream is behind at times and responses are rightly not cached; then the
// requests are repeated.
import { expect, vi } from 'vitest';
import { until } from '../../support/eventually.js';
import type { TestGateway } from '../../support/gateway.js';
import { type RequestCommands, requestCommandsOf } from '../../support/request-commands.js';

const COLLECTIONS = /^(issuers|schemas|schemaVersions|credentials|programs|verifiers|catalogTotals)$/;

export class CachedAnswers {
  readonly #commands: RequestCommands;

  /** @param gateway one with `monitorCommands`. */
  constructor(private readonly gateway: TestGateway) {
    this.#commands = requestCommandsOf(gateway, (collection) => COLLECTIONS.test(collection));
  }

  /**
   * Resolves when earlier writes have come through the stream: a response is not cached if a change arrives while it is
   * made.
   */
  settled(now = Date.now()): Promise<void> {
    return until(() => Number(this.gateway.app.services.changes.asOf) > now);
  }

  /** How many commands of the catalog's collections the requests of some work need. */
  async allCommands(work: () => Promise<unknown>): Promise<number> {
    return (await this.#commands.of(work)).commands.length;
  }

  /** The same for work during which responses could be cached all the time. */
  async commands(work: () => Promise<unknown>, prepare = async () => {}): Promise<number> {
    const { catalogChanges } = this.gateway.app.services;
    for (;;) {
      await until(() => catalogChanges.trusted);
      const trust = vi.spyOn(catalogChanges, 'trusted', 'get');
      try {
        await prepare();
        const count = await this.allCommands(work);
        expect(trust).toHaveBeenCalled();
        if (trust.mock.results.every(({ value }) => value === true)) return count;
      } finally {
        trust.mockRestore();
      }
    }
  }

  /** Returns a response that is cached, and therefore has an entity tag. */
  async withTag<T extends { headers: Headers }>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      await this.settled();
      const answer = await ask();
      if (answer.headers.has('etag')) return answer;
    }
  }
}
