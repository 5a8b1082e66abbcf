// Writes the audit log: rows are inserted in the transaction of what they record, not yet in the chain (docs/audit.md).
import { createHash, randomUUID } from 'node:crypto';
import type { ClientSession } from 'mongoose';
import type { Caller, OperatorCaller, PartnerCaller } from '../base/callers/caller.js';
import { AUDIT_OPERATIONS, type AuditOperation, SECRET_MEMBERS } from '../store/audit-operations.js';
import type { NewAuditEntry } from '../store/audit-port.js';
import { memberAt } from './member-paths.js';
import type { AuditModels, AuditRow } from './models.js';

/** A value with more characters, as JSON, is replaced by its hash. */
const MAX_VALUE = 4_096;
const MAX_SUBJECT = 500;

/** Records writes. */
export class AuditLog {
  constructor(
    private readonly models: AuditModels,
    private readonly clock: () => number,
  ) {}

  /** Inserts entries inside the caller's transaction; a `RecordWrites`. */
  record = async (caller: Caller, entries: readonly NewAuditEntry[], session: ClientSession): Promise<void> => {
    if (entries.length === 0 || (caller.kind !== 'operator' && caller.kind !== 'partner')) return;
    const who = { ...actorOf(caller), requestId: caller.requestId ?? null };
    const createdAt = new Date(this.clock());
    const rows = entries.map(
      ({ operation, subject, outcome, before, after }): AuditRow => ({
        _id: randomUUID(),
        createdAt,
        ...who,
        operation,
        subject: subject.slice(0, MAX_SUBJECT),
        outcome,
        before: visibleMembers(operation, before),
        after: visibleMembers(operation, after, before ?? null),
        pending: true,
      }),
    );
    await this.models.entries.collection.insertMany(rows as never, { session, ordered: true });
  };
}

function actorOf(caller: OperatorCaller | PartnerCaller): Pick<AuditRow, 'actor' | 'kid'> {
  if (caller.kind === 'operator') return { actor: `operator ${caller.keyName}`, kid: null };
  return { actor: `partner ${caller.partnerId}`, kid: caller.kid };
}

type State = object | null | undefined;

/** The members that the operation lists, as JSON; null when there is nothing to show. @param earlier the state before, of one after */
function visibleMembers(operation: AuditOperation, state: State, earlier: State = state): string | null {
  if (!state) return null;
  const members = AUDIT_OPERATIONS[operation].flatMap((name) => {
    const secret = SECRET_MEMBERS[name];
    const value =
      secret === undefined ? memberAt(state, name) : changeOf(memberAt(state, secret), memberAt(earlier, secret));
    return value === undefined ? [] : [[name, shortened(value)]];
  });
  return JSON.stringify(Object.fromEntries(members));
}

const changeOf = (value: unknown, earlier: unknown) => (value === earlier ? undefined : 'changed');

function shortened(value: unknown): unknown {
  const text = JSON.stringify(value);
  if (text === undefined || text.length <= MAX_VALUE) return value;
  return { sha256: createHash('sha256').update(text).digest('hex'), characters: text.length };
}
