// Composition of events as clients see them: the reader of the log, and who may listen to what.
import type { Connection } from 'mongoose';
import { EventFeed } from '../events/event-feed.service.js';
import { LogState } from '../events/log-state.js';
import { eventModels } from '../events/models.js';
import { EventTopics } from '../events/topics.service.js';
import { leaseModels } from '../store/lease.js';
import type { IssuingServices } from './issuing.js';

/** Services of events. */
export interface EventServices {
  /** Events as this process hears of them. */
  eventFeed: EventFeed;
  /** Who may listen to what. */
  eventTopics: EventTopics;
}

/** Builds the services; the feed is told of changes and started by the composition root. */
export function makeEventing(
  connection: Connection,
  { events: log, batches, status, issuingCatalog }: IssuingServices,
  { catalogEnabled, onError }: { catalogEnabled: boolean; onError(error: unknown): void },
): EventServices {
  const eventFeed = new EventFeed({
    log,
    state: new LogState({ ...leaseModels(connection), ...eventModels(connection) }),
    onError,
  });
  const isCredential = async (id: string) => (await issuingCatalog.credential(id)) !== null;
  const eventTopics = new EventTopics({ feed: eventFeed, log, batches, status, isCredential, catalogEnabled });
  return { eventFeed, eventTopics };
}
