// Every collection of the gateway, by domain: what `migrate` builds indexes for.
import type { Connection } from 'mongoose';
import { catalogModels } from '../catalog/models.js';
import { eventModels } from '../events/models.js';
import { holderModels } from '../holders/models.js';
import { batchModels } from '../issuance/batches/models.js';
import { issuanceModels } from '../issuance/models.js';
import { keyModels } from '../keys/models.js';
import { partnerModels } from '../partners/models.js';
import { storageModels } from '../storage/models.js';
import { idempotencyModels } from '../store/idempotency.js';
import { leaseModels } from '../store/lease.js';
import { processLeaseModels } from '../store/process-lease.js';

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
