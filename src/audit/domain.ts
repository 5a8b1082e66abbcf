// The parts of the audit domain.
import type { Worker } from '../base/concurrency/worker.js';
import type { Core } from '../compose/domain.js';
import { AuditEntries } from './audit-entries.js';
import { auditEraser } from './forget.js';
import { auditModels } from './models.js';
import { auditOperations } from './operations.js';
import { auditSealer } from './sealer.js';

export interface AuditServices {
  auditEntries: AuditEntries;
}

export const auditDomain = {
  models: auditModels,
  services: ({ connection, erasers, recordWrites }: Core): AuditServices => {
    erasers.add(auditEraser(connection, recordWrites));
    return { auditEntries: new AuditEntries(auditModels(connection)) };
  },
  operations: auditOperations,
  workers: ({ connection, changes, elections }: Core): Worker[] => [
    auditSealer({ changes, elections, models: auditModels(connection) }),
  ],
} as const;
