// Every domain's services, made once a process from the configuration and the connection.
import type { Connection } from 'mongoose';
import type { Config } from '../base/config.js';
import type { ProblemReport } from '../base/problems.js';
import { CatalogAdmin } from '../catalog/admin/admin.service.js';
import { CatalogChanges, totalsOf } from '../catalog/cache/catalog-changes.js';
import { EntityCache } from '../catalog/cache/entity-cache.js';
import { CatalogService } from '../catalog/catalog.service.js';
import { DocumentChecks } from '../catalog/json-schema/document-checks.service.js';
import { catalogModels } from '../catalog/models.js';
import { CatalogSearch } from '../catalog/search/search.service.js';
import { AnswerCache } from '../http/response-cache.js';
import { issuerKeys } from '../keys/issuer-keys.js';
import { ChangeFeed } from '../store/change-feed.js';
import { CommandGate } from '../store/command-gate.js';
import type { Services } from './context.js';
import { makeEventing } from './eventing.js';
import { makeIdentity } from './identity.js';
import { makeIssuing } from './issuing.js';

export interface ServiceParts {
  clock(): number;
  onError(error: unknown): void;
  problems: ProblemReport;
}

/** @throws DataDirError when the sandbox's own secrets cannot be kept. */
export function makeServices(
  config: Config,
  connection: Connection,
  { clock, onError, problems }: ServiceParts,
): Services {
  const models = catalogModels(connection);
  const sandbox = config.networkEnv === 'sandbox';
  const changes = new ChangeFeed({ connection, onError });
  // The first to be told: what is in memory is dropped before anyone else hears of a change.
  const catalogChanges = new CatalogChanges(changes);
  const cache = config.entityCacheMb > 0 ? new EntityCache(catalogChanges, config.entityCacheMb) : undefined;
  // After the rows: an answer is never made anew from a row that is to be dropped.
  const answers =
    config.answerCacheMb > 0 ? new AnswerCache(catalogChanges, config.answerCacheMb, totalsOf) : undefined;
  const catalog = new CatalogService(models, cache);
  const identity = makeIdentity(config, connection, { clock, problems });
  const publicUrl = config.publicUrl ?? `http://localhost:${config.port}`;
  const documentChecks = new DocumentChecks();
  const issuing = makeIssuing({ connection, identity, documentChecks, publicUrl, clock, problems });
  return {
    ...identity,
    ...issuing,
    catalog,
    documentChecks,
    catalogAdmin: new CatalogAdmin({
      connection,
      models,
      sandbox,
      putPartner: async ({ id, body }) => (await identity.partnerAdmin.put({ kind: 'operator' }, id, body)).result,
      issuerKeys: issuerKeys(identity.managedIssuers, identity.box),
      appendEvents: issuing.events.append,
      documentChecks,
      onWritten: (written) => catalogChanges.written(written),
      now: () => new Date(clock()),
    }),
    search: new CatalogSearch(connection, models, catalog, onError),
    commandGate: new CommandGate({ perCaller: config.storeCommands, anonymous: config.anonymousStoreCommands }),
    changes,
    catalogChanges,
    answers,
    ...makeEventing(connection, issuing, { catalogEnabled: config.catalogEnabled, onError }),
  };
}
