// The parts of the erasure domain.
import type { Connection } from 'mongoose';
import type { Worker } from '../base/concurrency/worker.js';
import type { Core } from '../compose/domain.js';
import type { Holders } from '../holders/holders.service.js';
import type { SealedField } from '../keys/sealed-field.js';
import { Erasures } from './erasures.js';
import { erasureModels } from './models.js';
import { erasureOperations } from './operations.js';
import { erasureWorker } from './worker.js';

export interface ErasureServices {
  erasures: Erasures;
}

function erasureServices(core: Core, { holders }: { holders: Holders }): ErasureServices {
  const { connection, erasers, box, appendEvents, recordWrites, clock } = core;
  const models = erasureModels(connection);
  erasers.add(core.idempotency);
  return { erasures: new Erasures({ connection, models, holders, erasers, box, appendEvents, recordWrites, clock }) };
}

export const erasureDomain = {
  models: erasureModels,
  services: erasureServices,
  operations: erasureOperations,
  workers: ({ connection, changes, elections, erasers, box, clock, onError }: Core): Worker[] => [
    erasureWorker({
      changes,
      elections,
      models: erasureModels(connection),
      erasers,
      box,
      clock,
      onError,
    }),
  ],
  sealed: (connection: Connection): SealedField[] => [
    {
      model: erasureModels(connection).erasures,
      field: 'sealedEmail',
      what: 'holder-email',
      name: 'e-mails of holders that are being erased',
    },
  ],
} as const;
