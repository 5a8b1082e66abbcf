// The parts of the events domain.
import type { Connection } from 'mongoose';
import type { Worker } from '../base/concurrency/worker.js';
import type { IssuingCatalog } from '../catalog/reading/issuing.service.js';
import type { TractionService } from '../catalog/traction/traction.service.js';
import type { TractionRuns } from '../catalog/traction/traction-runs.service.js';
import type { Core } from '../compose/domain.js';
import type { Batches } from '../issuance/batches/batches.service.js';
import type { RevocationJobs } from '../issuance/revocations/jobs.service.js';
import type { StatusService } from '../issuance/status.service.js';
import type { EndedClaims } from '../openid4vci/ended-claims.service.js';
import { dropIndexes } from '../store/indexes.js';
import { leaseModels } from '../store/lease.js';
import type { VerificationOutcomes } from '../verification/outcome/outcomes.service.js';
import { EventFeed } from './event-feed.service.js';
import type { EventLog } from './event-log.js';
import { eventEraser } from './forget.js';
import { eventWorkers } from './event-workers.js';
import { eventsRoutes } from './events.routes.js';
import { LogState } from './log-state.js';
import { LogWatch } from './log-watch.js';
import { eventModels } from './models.js';
import { eventRelations, eventResolvers } from './resolvers.js';
import { EventTopics } from './topics.service.js';

export interface EventServices {
  /** The event feed of this process. */
  eventFeed: EventFeed;
  /** The topics that callers may subscribe to. */
  eventTopics: EventTopics;
}

interface EarlierServices {
  /** The log, to which other domains write by `appendEvents`. */
  events: EventLog;
  batches: Batches;
  revocationJobs: RevocationJobs;
  status: StatusService;
  issuingCatalog: IssuingCatalog;
}

function eventServices(
  { config, connection, changes, erasers, metrics, onError }: Core,
  { events, batches, revocationJobs, status, issuingCatalog }: EarlierServices,
): EventServices {
  const state = new LogState({ ...leaseModels(connection), ...eventModels(connection) });
  erasers.add(eventEraser(connection));
  const eventFeed = new EventFeed({ log: events, state, onError });
  changes.listen([eventModels(connection).events.collection.name], eventFeed.changes);
  metrics.gauge('event_lag_seconds', 'From the newest event to its delivery here', 'store', () => eventFeed.lagSeconds);
  metrics.gauge('events_behind', 'Events in the log that are not delivered here yet', 'store', () =>
    eventFeed.behind(),
  );
  const isCredential = async (id: string) => (await issuingCatalog.credential(id)) !== null;
  const { catalogEnabled } = config;
  const jobs = { batches, revocationJobs };
  const eventTopics = new EventTopics({ feed: eventFeed, log: events, ...jobs, status, isCredential, catalogEnabled });
  return { eventFeed, eventTopics };
}

interface WorkerServices {
  traction: TractionService;
  tractionRuns: TractionRuns;
  verificationOutcomes: VerificationOutcomes;
  endedClaims: EndedClaims;
}

/** The check of the log's progress, and the elected process that numbers and counts events. */
function workers(
  { config, connection, elections, clock, problems, onError }: Core,
  {
    events: log,
    traction,
    tractionRuns: runs,
    verificationOutcomes: outcomes,
    endedClaims,
  }: Pick<EarlierServices, 'events'> & WorkerServices,
): Worker[] {
  const models = eventModels(connection);
  const retentionMs = config.eventRetentionMs;
  return [
    new LogWatch({ models, problems, bell: log.appended }),
    eventWorkers({
      ...{ connection, elections, models, log, traction, runs, outcomes, endedClaims },
      ...{ clock, retentionMs, onError },
    }),
  ];
}

export const eventsDomain = {
  models: eventModels,
  services: eventServices,
  resolvers: eventResolvers,
  byLoaders: eventRelations,
  routes: eventsRoutes,
  workers,
  /** The index that also has the events that wait for their number. */
  dropIndexes: (connection: Connection) => dropIndexes(eventModels(connection).events, ['channels_1_seq_1']),
} as const;
