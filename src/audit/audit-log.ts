// Writes the audit log: rows are inserted in the transaction of the write that they record; the sealer adds them to the chain (docs/audit.md).
import { createHash, randomUUID } from 'node:crypto';
import type { Caller, OperatorCaller, PartnerCaller } from '../base/callers/caller.js';
import { insertRows } from '../base/mongodb/native.js';
import { AUDIT_OPERATIONS, type AuditOperation, SECRET_MEMBERS } from '../store/audit-operations.js';
import type { NewAuditEntry, RecordWrites } from '../store/audit-port.js';
import { memberAt } from './member-paths.js';
import type { AuditModels, AuditRow } from './models.js';

/** A value with more characters, as JSON, is replaced by its hash. */
const MAX_VALUE = 4_096;
const MAX_SUBJECT = 500;
/** Most writes in one row, and most characters of their states before and after. */
const MAX_TOGETHER = 250;
const MAX_LENGTH_TOGETHER = 1_000_000;

/** Records writes. */
export class AuditLog {
  constructor(
    private readonly models: AuditModels,
    private readonly clock: () => number,
  ) {}

  /** Inserts entries inside the caller's transaction; a `RecordWrites`. */
  record: RecordWrites = async (caller, entries, session, { together = false } = {}) => {
    const rows = together
      ? this.#rows(caller, grouped(entries.map(shownOf)))
      : entries.flatMap((entry) => this.#rows(entry.caller ?? caller, [shownOf(entry)]));
    await insertRows(this.models.entries, rows, session);
  };

  /** The rows of a caller; none for holders and anonymous callers. */
  #rows(caller: Caller, facts: readonly Facts[]): AuditRow[] {
    if (caller.kind !== 'operator' && caller.kind !== 'partner') return [];
    const who = { ...actorOf(caller), requestId: caller.requestId ?? null };
    const createdAt = new Date(this.clock());
    return facts.map((each) => ({ _id: randomUUID(), createdAt, ...who, ...each, pending: true }));
  }
}

type Facts = Pick<AuditRow, 'operation' | 'subject' | 'outcome' | 'before' | 'after'>;
type Shown = Facts & { subject: string };

function shownOf({ operation, subject, outcome, before, after }: NewAuditEntry): Shown {
  return {
    operation,
    subject: subject.slice(0, MAX_SUBJECT),
    outcome,
    before: visibleMembers(operation, before),
    after: visibleMembers(operation, after, before ?? null),
  };
}

/** Combines entries of one operation and outcome into rows of several entries; a subject occurs once in each row. */
function grouped(entries: readonly Shown[]): Facts[] {
  const kinds = new Map<string, Shown[]>();
  for (const entry of entries) {
    const kind = `${entry.operation} ${entry.outcome}`;
    const same = kinds.get(kind);
    if (same) same.push(entry);
    else kinds.set(kind, [entry]);
  }
  return [...kinds.values()].flatMap((kind) => groupsOf(kind).map(rowOf));
}

/** Groups within the limits of entries and characters; a subject occurs once in each group. */
function groupsOf(entries: readonly Shown[]): Shown[][] {
  const groups: Shown[][] = [];
  let subjects = new Set<string>();
  let length = 0;
  for (const entry of entries) {
    const size = (entry.before?.length ?? 0) + (entry.after?.length ?? 0);
    const group = groups.at(-1);
    const isFull = subjects.size >= MAX_TOGETHER || length + size > MAX_LENGTH_TOGETHER || subjects.has(entry.subject);
    if (group && !isFull) group.push(entry);
    else {
      groups.push([entry]);
      subjects = new Set();
      length = 0;
    }
    subjects.add(entry.subject);
    length += size;
  }
  return groups;
}

function rowOf(group: readonly Shown[]): Facts {
  const [first] = group;
  if (first === undefined) throw new Error('a group has an entry');
  if (group.length === 1) return first;
  const { operation, outcome } = first;
  const subject = group.map((entry) => entry.subject);
  return { operation, subject, outcome, before: bySubject(group, 'before'), after: bySubject(group, 'after') };
}

/** JSON with a member for each subject; null when there is nothing to show for any. */
function bySubject(group: readonly Shown[], state: 'before' | 'after'): string | null {
  if (group.every((entry) => entry[state] === null)) return null;
  return `{${group.map((entry) => `${JSON.stringify(entry.subject)}:${entry[state]}`).join(',')}}`;
}

function actorOf(caller: OperatorCaller | PartnerCaller): Pick<AuditRow, 'actor' | 'kid'> {
  if (caller.kind === 'operator') return { actor: `operator ${caller.keyName}`, kid: null };
  return { actor: `partner ${caller.partnerId}`, kid: caller.kid };
}

type State = object | null | undefined;

/** The members that the operation lists, as JSON; null when there is nothing to show. @param earlier the state before the write, if `state` is the one after it */
function visibleMembers(operation: AuditOperation, state: State, earlier: State = state): string | null {
  if (!state) return null;
  const members: Record<string, unknown> = {};
  for (const name of AUDIT_OPERATIONS[operation]) {
    const secret = SECRET_MEMBERS[name];
    members[name] =
      secret === undefined ? memberAt(state, name) : changeOf(memberAt(state, secret), memberAt(earlier, secret));
  }
  const text = JSON.stringify(members);
  // No member can be longer than all of them.
  return text.length <= MAX_VALUE ? text : withShortened(members);
}

function withShortened(members: Readonly<Record<string, unknown>>): string {
  const texts = Object.entries(members).flatMap(([name, value]) => {
    const text = shortened(JSON.stringify(value));
    return text === undefined ? [] : [`"${name}":${text}`];
  });
  return `{${texts.join(',')}}`;
}

const changeOf = (value: unknown, earlier: unknown) => (value === earlier ? undefined : 'changed');

/** The JSON of a value, or its hash if it is long. */
function shortened(text: string | undefined): string | undefined {
  if (text === undefined || text.length <= MAX_VALUE) return text;
  return JSON.stringify({ sha256: createHash('sha256').update(text).digest('hex'), characters: text.length });
}
