// The parts of the storage domain.
import type { Connection } from 'mongoose';
import type { IssuingCatalog } from '../catalog/reading/issuing.service.js';
import type { Holders } from '../holders/holders.service.js';
import type { Core } from '../compose/domain.js';
import { dropIndexes } from '../store/indexes.js';
import { packageEraser } from './forget.js';
import { StoredPackages } from './list.js';
import { storageModels } from './models.js';
import { storageOperations } from './operations.js';
import { storageRoutes } from './storage.routes.js';
import { StorageService } from './storage.service.js';

export interface StorageServices {
  storage: StorageService;
  storedPackages: StoredPackages;
}

function storageServices(
  { connection, changes, erasers, signingKeys: keys, appendEvents, recordWrites, clock }: Core,
  { holders, issuingCatalog }: { holders: Holders; issuingCatalog: IssuingCatalog },
): StorageServices {
  const models = storageModels(connection);
  const storage = new StorageService({
    connection,
    models,
    keys,
    holderIdOf: (did) => holders.holderIdOf(did),
    isSchemaPublished: (schemaId) => issuingCatalog.isSchemaPublished(schemaId),
    appendEvents,
    recordWrites,
    clock,
  });
  erasers.add(packageEraser(connection));
  const forget = (): void => storage.forgetHolders();
  changes.listen(['erasures'], { changed: forget, interrupted: forget });
  return { storage, storedPackages: new StoredPackages(models) };
}

export const storageDomain = {
  models: storageModels,
  services: storageServices,
  operations: storageOperations,
  routes: storageRoutes,
  /** Nothing reads packages by the hash of their claim. */
  dropIndexes: (connection: Connection) =>
    dropIndexes(storageModels(connection).storedCredentials, ['rowsWith_coreClaimHash']),
} as const;
