// The database commands that requests cause, told apart from those of the loops that run in every gateway: leases, folds, the search index.
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { CommandStartedEvent } from 'mongodb';
import type { TestGateway } from './gateway.js';

/** Node's own: published where a request arrives, before anything serves it. */
const REQUEST_STARTS = 'http.server.request.start';

/** What has been sent for the requests that began while some work was watched. */
type Watched = CommandStartedEvent[];

export interface RequestCommands {
  /** Does some work, and returns with its result what its requests sent to the store: `find credentials`, in the order of sending. */
  of<T>(work: () => Promise<T>): Promise<{ result: T; commands: string[] }>;
}

/** Follows the commands of a gateway that was started with `monitorCommands`; `counts` leaves out what is of no matter to a test. */
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
