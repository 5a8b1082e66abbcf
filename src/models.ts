// Every collection of the gateway, by domain: what `migrate` builds indexes for.
import type { Connection } from 'mongoose';
import { catalogModels } from './catalog/models.js';
import { eventModels } from './events/models.js';
import { holderModels } from './holders/models.js';
import { idempotencyModels } from './idempotency.js';
import { batchModels } from './issuance/batch-models.js';
import { issuanceModels } from './issuance/models.js';
import { keyModels } from './keys/models.js';
import { leaseModels } from './lease.js';
import { partnerModels } from './partners/models.js';
import { processLeaseModels } from './process-lease.js';
import { storageModels } from './storage/models.js';

const DOMAINS: readonly ((connection: Connection) => unknown)[] = [
  batchModels,
  catalogModels,
  eventModels,
  holderModels,
  idempotencyModels,
  issuanceModels,
  keyModels,
  leaseModels,
  partnerModels,
  processLeaseModels,
  storageModels,
];

/** Registers every model on a connection. */
export function registerModels(connection: Connection): void {
  for (const register of DOMAINS) register(connection);
}
