// Watches the answer cache of a gateway. On a busy machine the change stream lags at times, and answers are rightly not kept: then it asks again.
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

  /** Resolves once what was written before has come through the stream: an answer that a change overtakes while it is made is not kept. */
  settled(now = Date.now()): Promise<void> {
    return until(() => Number(this.gateway.app.services.changes.asOf) > now);
  }

  /** How many commands of the catalog's collections the requests of some work need. */
  async allCommands(work: () => Promise<unknown>): Promise<number> {
    return (await this.#commands.of(work)).commands.length;
  }

  /** The same of work during which answers could be kept throughout. */
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

  /** An answer that is kept, and so has an entity tag. */
  async withTag<T extends { headers: Headers }>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      await this.settled();
      const answer = await ask();
      if (answer.headers.has('etag')) return answer;
    }
  }
}
