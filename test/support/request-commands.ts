// The database commands that requests cause, separated from those of the loops that run in every gateway: leases, folds, the search index.
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { CommandStartedEvent } from 'mongodb';
import type { TestGateway } from './gateway.js';

/** Node's own channel: it reports a request when it arrives, before anything handles it. */
const REQUEST_STARTS = 'http.server.request.start';

/** The commands of the requests that began while some work was observed. */
type Watched = CommandStartedEvent[];

export interface RequestCommands {
  /**
   * Does some work, and returns its result and the commands that its requests sent to the store, such as `find
   * credentials`, in the order of sending.
   */
  of<T>(work: () => Promise<T>): Promise<{ result: T; commands: string[] }>;
}

/**
 * Observes the commands of a gateway that was started with `monitorCommands`.
 * @param counts whether the commands on a collection matter to the test
 */
export function requestCommandsOf(
  { app }: Pick<TestGateway, 'app'>,
  counts: (collection: string) => boolean = () => true,
): RequestCommands {
  const context = new AsyncLocalStorage<Watched>();
  app.connection.getClient().on('commandStarted', (event: CommandStartedEvent) => context.getStore()?.push(event));
  return {
    of: async (work) => {
      const watched: Watched = [];
      const enter = (): void => context.enterWith(watched);
      subscribe(REQUEST_STARTS, enter);
      try {
        const result = await work();
        const sent = watched.map(({ commandName, command }) => [
          commandName,
          command.collection ?? command[commandName],
        ]);
        const commands = sent.filter(([, collection]) => typeof collection === 'string' && counts(collection));
        return { result, commands: commands.map((each) => each.join(' ')) };
      } finally {
        unsubscribe(REQUEST_STARTS, enter);
      }
    },
  };
}
