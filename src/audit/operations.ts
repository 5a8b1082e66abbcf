// The audit log for operators; only GraphQL has it.
import { operationsOf } from '../http/routes/operation.js';
import type { AuditEntries } from './audit-entries.js';
import { auditEntriesInput, auditEntry } from './types.js';

const { listing } = operationsOf<{ auditEntries: AuditEntries }>();

export const auditOperations = [
  listing('auditEntries', 'Writes of operators and partners, newest first. Operator only.', {
    callers: 'operator',
    input: auditEntriesInput,
    output: auditEntry,
    listing: { what: 'audit entries', most: 100, size: 10 },
    run: ({ auditEntries }, { input: { where, ...page } }) => auditEntries.page(where ?? {}, page),
    // Counting the total costs extra points.
    graphql: { extensions: { counted: true } },
  }),
];
