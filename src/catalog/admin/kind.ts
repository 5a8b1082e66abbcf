// Writes one kind of catalog entry for the operator: bodies become rows, many at a time, inside the caller's transaction.
// What differs between kinds is in put-<kind>.ts; what they share (etags, if-match, retiring, effects) is here.
import { createHash } from 'node:crypto';
import type { Model } from 'mongoose';
import type { OperatorRole } from '../../base/callers/caller.js';
import { DomainError, toDomainError } from '../../base/errors.js';
import { parseInput } from '../../base/input.js';
import { requireRole } from '../../base/callers/rights.js';
import { type NativeWrite, native } from '../../base/mongodb/native.js';
import { checkMatch, type Precondition } from '../../http/requests/preconditions.js';
import type { ManagedIssuerKeys } from '../../keys/issuer-keys.js';
import type { StoreChange as Written } from '../../store/change-feed.js';
import type { NewAuditEntry } from '../../store/audit-port.js';
import type { DocumentChecks } from '../json-schema/document-checks.service.js';
import type { CatalogKind, CatalogModels, Row } from '../rows/models.js';
import { type CatalogBodies, IMPORT_BODIES, PUT_BODIES } from './bodies.js';
import { checkedId } from './body-fields.js';
import { Effects, type EffectScope } from './effects.js';
import { rowsById } from './entry-rows.js';
import type { HeldReferences } from './held-references.js';
import { type ItemOrigin, Origins, type Reference } from './origins.js';
import type { AdminRecords } from './records.js';
import { pathsOf, updateOf } from './field-update.js';

/** The transaction of a write. */
export interface WriteScope extends EffectScope {
  now: Date;
  /** The role of the operator's key. */
  role: OperatorRole;
  /** The sandbox allows http to loopback. */
  sandbox: boolean;
  issuerKeys: ManagedIssuerKeys;
  documentChecks: DocumentChecks;
  /** Adds audit entries to the transaction. */
  record(entries: readonly NewAuditEntry[]): Promise<void>;
  /** The catalog keys that the transaction changes, for listeners after its commit. */
  written: Written[];
  /** What an import of several windows holds of earlier ones. */
  held?: HeldReferences | undefined;
  /** Whether the items are import lines, which have more fields than a PUT and treat a schema's document differently. */
  importing: boolean;
}

/** One entry to write: the body is outside data, not yet checked. */
export interface PutItem extends Precondition {
  id: string;
  body: unknown;
  /** Only items of a mirror have one. */
  origin?: ItemOrigin;
}

export type PutResult = 'created' | 'updated' | 'unchanged';

/** The result of one item, or why it was refused. A refusal affects only its own item. */
export type PutOutcome = { result: PutResult; recordOf(): CatalogRecord } | { refused: DomainError };

/** A record for the operator, with the contract's names and its `etag`. */
export type CatalogRecord = { etag: string; createdAt: Date; updatedAt: Date } & Record<string, unknown>;

/** One entry to write: its id and its checked body. */
export interface EntryBody<B> {
  id: string;
  body: B;
  /** The entry comes from another network: its conditions need not parse. */
  isMirrored?: boolean;
}

/** A change of one row: `before` is undefined for a new one; both may be retired (`live: false`). */
export interface RowChange<R> {
  before: R | undefined;
  after: R;
}

/** The word for messages: "issuer"; also the first part of audited operations. */
export type Noun = 'issuer' | 'verifier' | 'schema' | 'credential' | 'program';

/** What differs between kinds. `L`: the other rows that `build` needs. */
export interface KindRules<K extends CatalogKind, R extends Row, L> {
  kind: K;
  noun: Noun;
  model(models: CatalogModels): Model<R>;
  /** Reads everything that the items refer to, in a fixed number of commands. */
  load(scope: WriteScope, items: readonly EntryBody<CatalogBodies[K]>[], before: ReadonlyMap<string, R>): Promise<L>;
  /** The entries that a body names. */
  references?(body: CatalogBodies[K]): Reference[];
  /**
   * Members that only the role `all` may change, and whether a body changes them. Bodies of other roles repeat the
   * stored values, or omit members that cannot be read.
   */
  guarded?: Readonly<Record<string, (body: CatalogBodies[K], before: R | undefined) => boolean>>;
  /** The row of a body, without its etag. @throws DomainError when the body does not fit the loaded rows. */
  build(item: EntryBody<CatalogBodies[K]>, before: R | undefined, loaded: L, scope: WriteScope): R;
  /** The part of the row that comes from the body; its hash is the etag. */
  content(row: R): unknown[];
  /** @throws DomainError CONFLICT while live entries need it. */
  mayRetire?(row: R, scope: WriteScope): Promise<void>;
  /** Adds the effects of the change on derived state. `loaded` is undefined for a retired entry. */
  effects(change: RowChange<R>, effects: Effects, loaded: L | undefined, now: Date): void;
  record(row: R): AdminRecords[K];
}

/** One kind's operations, without its own types, so that all five fit one table. */
export interface KindWriter {
  readonly noun: string;
  put(scope: WriteScope, items: readonly PutItem[]): Promise<PutOutcome[]>;
  retire(scope: WriteScope, id: string, ifMatch?: string): Promise<void>;
  get(models: CatalogModels, id: string): Promise<CatalogRecord>;
  list(models: CatalogModels, page: { skip: number; limit: number }): Promise<CatalogRecord[]>;
}

/** The writer of a kind with these rules. */
export function kindWriter<K extends CatalogKind, R extends Row, L>(rules: KindRules<K, R, L>): KindWriter {
  return {
    noun: rules.noun,
    put: (scope, items) => putAll(rules, scope, items),
    retire: (scope, id, ifMatch) => retire(rules, scope, id, ifMatch),
    get: (models, id) => get(rules, models, id),
    list: (models, page) => list(rules, models, page),
  };
}

async function putAll<K extends CatalogKind, R extends Row, L>(
  rules: KindRules<K, R, L>,
  scope: WriteScope,
  items: readonly PutItem[],
): Promise<PutOutcome[]> {
  const bodies = scope.importing ? IMPORT_BODIES : PUT_BODIES;
  const parsed = items.map((item) => attempt(() => parseItem<K>(bodies[rules.kind], item)));
  const ids = parsed.flatMap((item) => ('refused' in item ? [] : [item.value.id]));
  const before = await rowsById(rules.model(scope.models), ids, scope.session);
  const allowed = parsed.map((item) =>
    'refused' in item ? item : attempt(() => allowedItem(rules, scope, item.value, before.get(item.value.id))),
  );
  const good = allowed.flatMap((item) => ('refused' in item ? [] : [item.value]));
  const loaded = await rules.load(scope, good, before);
  const rows = new Map(before);
  const mirrored = items.some(({ origin }) => origin) ? good : undefined;
  const references = mirrored?.flatMap(({ body }) => rules.references?.(body) ?? []);
  const origins = await Origins.load(scope, rules.kind, mirrored ? ids : [...before.keys()], references);
  const effects = new Effects();
  const audited: NewAuditEntry[] = [];
  const outcomes = allowed.map((item, at): PutOutcome => {
    if ('refused' in item) return item;
    const { origin, ...precondition } = items[at] ?? {};
    const row = rows.get(item.value.id);
    const outcome = attempt(() => {
      origins.check(item.value.id, row !== undefined, origin);
      const changed = change(rules, scope, item.value, precondition, row, loaded);
      origins.checkReferences(rules.references?.(item.value.body) ?? [], origin);
      return changed;
    });
    if ('refused' in outcome) return outcome;
    const { result, after } = outcome.value;
    origins.written(after._id, origin, result !== 'unchanged');
    if (result !== 'unchanged') {
      rows.set(after._id, after);
      if (result === 'created') effects.total(rules.kind, 1);
      effects.entry(rules.kind, after._id, result === 'created' ? 'added' : 'changed');
      rules.effects(outcome.value, effects, loaded, scope.now);
      audited.push(entryOf(`${rules.noun}.put`, outcome.value, result));
    }
    return { result, recordOf: () => rules.record(after) };
  });
  await writeRows(rules, before, rows, scope);
  await scope.record(audited);
  scope.written.push(...(await effects.apply(scope)));
  scope.written.push(...(await origins.apply()));
  return outcomes;
}

function parseItem<K extends CatalogKind>(schema: (typeof PUT_BODIES)[K], item: PutItem): EntryBody<CatalogBodies[K]> {
  const isMirrored = item.origin !== undefined;
  return { id: checkedId(item.id), body: parseInput(schema, item.body), isMirrored };
}

/**
 * Returns the item if the role may make its change. Compares it with the stored row, before anything is loaded or
 * created for it. Earlier items of the batch do not matter: a lesser role cannot change these members in them either.
 * For a retired row, every member counts as changed.
 * @throws DomainError FORBIDDEN naming the first member that it may not change.
 */
function allowedItem<K extends CatalogKind, R extends Row, L>(
  { guarded = {} }: KindRules<K, R, L>,
  scope: WriteScope,
  item: EntryBody<CatalogBodies[K]>,
  before: R | undefined,
): EntryBody<CatalogBodies[K]> {
  for (const [member, isChanged] of Object.entries(guarded))
    if (isChanged(item.body, before?.live ? before : undefined)) requireRole(scope, 'all', member);
  return item;
}

function change<K extends CatalogKind, R extends Row, L>(
  rules: KindRules<K, R, L>,
  scope: WriteScope,
  item: EntryBody<CatalogBodies[K]>,
  precondition: Precondition,
  before: R | undefined,
  loaded: L,
): RowChange<R> & { result: PutResult } {
  checkMatch(precondition, before?.live ? before.etag : undefined);
  const row = rules.build(item, before, loaded, scope);
  const etag = createHash('sha256')
    .update(JSON.stringify(rules.content(row)))
    .digest('base64url')
    .slice(0, 22);
  if (before?.live && before.etag === etag) return { before, after: before, result: 'unchanged' };
  row.etag = etag;
  return { before, after: row, result: before?.live ? 'updated' : 'created' };
}

/** Writing what was computed from a row that was read before is safe: a concurrent change restarts this transaction. */
async function writeRows<K extends CatalogKind, R extends Row, L>(
  { kind, model }: KindRules<K, R, L>,
  before: ReadonlyMap<string, R>,
  rows: ReadonlyMap<string, R>,
  { models, session, written }: WriteScope,
): Promise<void> {
  const writes: NativeWrite<R>[] = [];
  for (const [id, row] of rows) {
    const stored = before.get(id);
    if (stored === row) continue;
    if (stored === undefined) {
      writes.push({ insertOne: { document: row } });
      written.push({ collection: kind, id, operation: 'insert' });
      continue;
    }
    const update = updateOf(stored, row);
    writes.push({ updateOne: { filter: { _id: id }, update: { ...update } } });
    written.push({ collection: kind, id, operation: 'update', paths: pathsOf(update) });
  }
  if (writes.length > 0) await native(model(models)).bulkWrite(writes, { session });
}

async function retire<K extends CatalogKind, R extends Row, L>(
  rules: KindRules<K, R, L>,
  scope: WriteScope,
  id: string,
  ifMatch: string | undefined,
): Promise<void> {
  const model = rules.model(scope.models);
  const row = (await rowsById(model, [id], scope.session)).get(id);
  if (!row?.live) throw unknownEntry(rules.noun, id);
  checkMatch({ ifMatch }, row.etag);
  await rules.mayRetire?.(row, scope);
  const after = { ...row, live: false, updatedAt: scope.now };
  const effects = new Effects();
  effects.total(rules.kind, -1);
  effects.entry(rules.kind, id, 'retired');
  rules.effects({ before: row, after }, effects, undefined, scope.now);
  await writeRows(rules, new Map([[id, row]]), new Map([[id, after]]), scope);
  await scope.record([entryOf(`${rules.noun}.retire`, { before: row, after }, 'retired')]);
  const origins = await Origins.load(scope, rules.kind, [id]);
  origins.changedHere(id, 'retired');
  scope.written.push(...(await origins.apply()));
  scope.written.push(...(await effects.apply(scope)));
}

const entryOf = <R extends Row>(
  operation: NewAuditEntry['operation'],
  { before, after }: RowChange<R>,
  outcome: NewAuditEntry['outcome'],
): NewAuditEntry => ({ operation, subject: after._id, outcome, before, after });

async function get<K extends CatalogKind, R extends Row, L>(
  rules: KindRules<K, R, L>,
  models: CatalogModels,
  id: string,
): Promise<CatalogRecord> {
  const row = await native(rules.model(models)).findOne({ _id: id, live: true });
  if (row === null) throw unknownEntry(rules.noun, id);
  return rules.record(row as unknown as R);
}

async function list<K extends CatalogKind, R extends Row, L>(
  rules: KindRules<K, R, L>,
  models: CatalogModels,
  page: { skip: number; limit: number },
): Promise<CatalogRecord[]> {
  const newestFirst = { createdAt: -1, _id: -1 } as const;
  const rows = await rules
    .model(models)
    .collection.find({ live: true }, { sort: newestFirst, ...page })
    .toArray();
  return (rows as unknown as R[]).map(rules.record);
}

/** NOT_FOUND for an id without a live entry. */
function unknownEntry(noun: string, id: string): DomainError {
  return new DomainError('NOT_FOUND', `There is no ${noun} ${id.slice(0, 500) || 'with an empty id'}.`);
}

function attempt<T>(make: () => T): { value: T } | { refused: DomainError } {
  try {
    return { value: make() };
  } catch (thrown) {
    return { refused: toDomainError(thrown) };
  }
}
