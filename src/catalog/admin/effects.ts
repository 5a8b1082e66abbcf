// Derived state of a batch of catalog writes: totals, counters, edges, and events. Effects are collected first, then
// applied in the same transaction.
import type { ClientSession } from 'mongoose';
import { native } from '../../base/mongodb/native.js';
import type { StoreChange } from '../../store/change-feed.js';
import type { AppendEvents, NewEvent } from '../../store/event-port.js';
import type { CatalogKind, CatalogModels, SchemaIssuerRow, SchemaVersionRow } from '../rows/models.js';

type Increments = Record<string, number>;

/** A change of a row's counters, or of how many live credentials an issuer has on a schema. */
export type CountDelta =
  | { kind: CatalogKind; id: string; by: Increments }
  | { schemaId: string; issuerId: string; by: number };

/** Stores counter changes that are applied later. */
export interface CounterNotes {
  /** Whether the transaction sees no note. */
  isEmpty(session: ClientSession): Promise<boolean>;
  /** @param isBulk whether an import writes, and adds its notes to their rows itself */
  note(deltas: readonly CountDelta[], session: ClientSession, isBulk: boolean): Promise<void>;
}

/** The transaction of effects. */
export interface EffectScope {
  models: CatalogModels;
  session: ClientSession;
  appendEvents: AppendEvents;
  /** Stores the counters of issuers and schemas if they are not changed at once. */
  counters?: CounterNotes;
  /** Whether to store them for later, because many windows follow. */
  isBulk?: boolean;
}

/** The kinds whose counters follow from credentials alone. */
const FOLLOWING: readonly CatalogKind[] = ['issuers', 'schemas'];

/** What happened to an entry, in the words of events. */
type EntryChange = 'added' | 'changed' | 'retired';
const CHANGES: readonly EntryChange[] = ['added', 'changed', 'retired'];

/** Counter changes of one transaction; opposite changes cancel before anything is written. */
export class Effects {
  /** Effects that only change these counters. */
  static of(deltas: readonly CountDelta[]): Effects {
    const effects = new Effects();
    effects.add(deltas);
    return effects;
  }

  readonly #totals = new Map<CatalogKind, number>();
  readonly #counters = new Map<CatalogKind, Map<string, Increments>>();
  readonly #edges = new Map<string, SchemaIssuerRow>();
  readonly #accepted = new Map<string, number>();
  readonly #moved = new Set<string>();
  readonly #revised = new Set<CatalogKind>();
  readonly #versions: SchemaVersionRow[] = [];
  readonly #entries = new Map<CatalogKind, Map<string, EntryChange>>();

  /** Changes the number of live rows of a kind. */
  total(kind: CatalogKind, by: number): void {
    this.#totals.set(kind, (this.#totals.get(kind) ?? 0) + by);
  }

  /** A field of an entry has changed that imports hold (held-references.ts). */
  revise(kind: CatalogKind): void {
    this.#revised.add(kind);
  }

  /** Changes counters of another row, by (dotted) field. */
  count(kind: CatalogKind, id: string, fields: Increments): void {
    const rows = this.#counters.get(kind) ?? new Map<string, Increments>();
    const sums = rows.get(id) ?? {};
    for (const [field, by] of Object.entries(fields)) sums[field] = (sums[field] ?? 0) + by;
    this.#counters.set(kind, rows.set(id, sums));
  }

  /** Adds changes of counters. */
  add(deltas: readonly CountDelta[]): void {
    for (const delta of deltas) {
      if ('kind' in delta) this.count(delta.kind, delta.id, delta.by);
      else this.edge(delta.schemaId, delta.issuerId, delta.by);
    }
  }

  /** The changes of counters that follow from credentials. */
  deltas(): CountDelta[] {
    return [
      ...this.#changedEdges().map(({ schemaId, issuerId, credentialCount: by }) => ({ schemaId, issuerId, by })),
      ...FOLLOWING.flatMap((kind) =>
        [...(this.#counters.get(kind) ?? [])].flatMap(([id, sums]): CountDelta[] => {
          const by = changedOf(sums);
          return Object.keys(by).length === 0 ? [] : [{ kind, id, by }];
        }),
      ),
    ];
  }

  /** Changes the number of an issuer's live credentials on a schema. */
  edge(schemaId: string, issuerId: string, by: number): void {
    const _id = `${schemaId} ${issuerId}`;
    const credentialCount = (this.#edges.get(_id)?.credentialCount ?? 0) + by;
    this.#edges.set(_id, { _id, schemaId, issuerId, credentialCount });
  }

  /** A credential became live (+1) or retired (-1): changes how many live credentials each program accepts. */
  acceptance(credentialId: string, by: number): void {
    this.#accepted.set(credentialId, (this.#accepted.get(credentialId) ?? 0) + by);
  }

  /**
   * A credential moved to other schema content, or lost its key. Also writes the live programs that accept it: a
   * concurrent write of their conditions, checked against the old content, then conflicts and is checked again.
   */
  move(credentialId: string): void {
    this.#moved.add(credentialId);
  }

  /** Adds an entry that has changed for clients. One that is added and changed in one batch counts as added. */
  entry(kind: CatalogKind, id: string, change: EntryChange): void {
    const entries = this.#entries.get(kind) ?? new Map<string, EntryChange>();
    this.#entries.set(kind, entries);
    if (change !== 'changed' || !entries.has(id)) entries.set(id, change);
  }

  /** A new version of a schema's content. */
  version(row: SchemaVersionRow): void {
    this.#versions.push(row);
  }

  /** Writes all effects; call it in the transaction, after the rows. Returns what it wrote. */
  async apply(scope: EffectScope): Promise<StoreChange[]> {
    const { models, session, appendEvents } = scope;
    await this.#noteCounters(scope);
    if (this.#versions.length > 0)
      await models.schemaVersions.collection.insertMany(this.#versions as object[], { session });
    await this.#applyEdges(models, session);
    for (const [kind, rows] of this.#counters) await applyCounters(models, session, kind, rows);
    const accepting = await this.#applyAcceptances(models, session);
    await this.#applyMoves(models, session);
    await this.#applyTotals(models, session);
    await appendEvents(this.#events(), session);
    return [...this.#written(), ...accepting];
  }

  /**
   * Stores the counter changes that are applied later. While any are stored, every write stores its own, too: a
   * subtraction applied at once could make a counter negative.
   */
  async #noteCounters({ counters, isBulk = false, session }: EffectScope): Promise<void> {
    const deltas = this.deltas();
    if (!counters || deltas.length === 0 || (!isBulk && (await counters.isEmpty(session)))) return;
    await counters.note(deltas, session, isBulk);
    this.#edges.clear();
    for (const kind of FOLLOWING) this.#counters.delete(kind);
  }

  #written(): StoreChange[] {
    const update = (collection: string, id: string, paths: string[]): StoreChange => ({
      collection,
      id,
      operation: 'update',
      paths,
    });
    return [
      ...this.#versions.map(({ _id }): StoreChange => ({ collection: 'schemaVersions', id: _id, operation: 'insert' })),
      ...this.#changedEdges().map(
        ({ _id: id }): StoreChange => ({ collection: 'schemaIssuers', id, operation: 'replace' }),
      ),
      ...[...this.#totals].filter(([, by]) => by !== 0).map(([kind]) => update('catalogTotals', kind, ['total'])),
      ...[...this.#counters].flatMap(([kind, rows]) =>
        [...rows].flatMap(([id, sums]) => {
          const paths = Object.keys(changedOf(sums));
          return paths.length === 0 ? [] : [update(kind, id, paths)];
        }),
      ),
    ];
  }

  /** One event for each kind of entry and each type of change, however many entries there are, so that imports stay fast. */
  #events(): NewEvent[] {
    return [...this.#entries].flatMap(([kind, entries]) =>
      CHANGES.flatMap((change) => {
        const ids = [...entries].filter(([, what]) => what === change).map(([id]) => id);
        return partsOf(ids).map(
          (part) =>
            ({ type: `catalog_entry_${change}`, viewers: { public: true }, payload: { kind, ids: part } }) as const,
        );
      }),
    );
  }

  #changedEdges(): SchemaIssuerRow[] {
    return [...this.#edges.values()].filter(({ credentialCount }) => credentialCount !== 0);
  }

  async #applyEdges(models: CatalogModels, session: ClientSession): Promise<void> {
    const edges = this.#changedEdges();
    if (edges.length === 0) return;
    const rows = await native(models.schemaIssuers)
      .find({ _id: { $in: edges.map(({ _id }) => _id) } }, { session, projection: { credentialCount: 1 } })
      .toArray();
    const before = new Map(rows.map((row) => [row._id, row.credentialCount]));
    const writes = edges.map((edge) => {
      const was = before.get(edge._id) ?? 0;
      const is = was + edge.credentialCount;
      if (was === 0) this.count('schemas', edge.schemaId, { issuerCount: 1 });
      if (is === 0) this.count('schemas', edge.schemaId, { issuerCount: -1 });
      return edgeWrite({ ...edge, credentialCount: is }, was);
    });
    await native(models.schemaIssuers).bulkWrite(writes, { session });
  }

  async #applyAcceptances(models: CatalogModels, session: ClientSession): Promise<StoreChange[]> {
    const written: StoreChange[] = [];
    for (const [credentialId, by] of this.#accepted) {
      if (by === 0) continue;
      const accepting = { live: true, 'acceptedCredentials.credentialId': credentialId };
      await models.programs.updateMany(accepting, { $inc: { credentialCount: by } }, { session });
      const programs = await models.programs.find(accepting, { _id: 1 }, { session }).lean();
      const paths = ['credentialCount'];
      for (const { _id } of programs) written.push({ collection: 'programs', id: _id, operation: 'update', paths });
    }
    return written;
  }

  async #applyMoves({ programs }: CatalogModels, session: ClientSession): Promise<void> {
    if (this.#moved.size === 0) return;
    const accepting = { live: true, 'acceptedCredentials.credentialId': { $in: [...this.#moved] } };
    await programs.updateMany(accepting, { $inc: { contentMoves: 1 } }, { session });
  }

  async #applyTotals(models: CatalogModels, session: ClientSession): Promise<void> {
    for (const kind of new Set([...this.#totals.keys(), ...this.#revised])) {
      const by = this.#totals.get(kind) ?? 0;
      const revision = this.#revised.has(kind) ? { revision: 1 } : {};
      if (by === 0 && !this.#revised.has(kind)) continue;
      await native(models.totals).updateOne(
        { _id: kind },
        { $inc: { total: by, ...revision } },
        { session, upsert: true },
      );
    }
  }
}

function edgeWrite(edge: SchemaIssuerRow, was: number) {
  const filter = { _id: edge._id };
  if (was === 0) return { insertOne: { document: edge } };
  if (edge.credentialCount === 0) return { deleteOne: { filter } };
  return { updateOne: { filter, update: { $set: { credentialCount: edge.credentialCount } } } };
}

/** The changes that did not cancel. */
const changedOf = (sums: Increments): Increments =>
  Object.fromEntries(Object.entries(sums).filter(([, by]) => by !== 0));

async function applyCounters(
  models: CatalogModels,
  session: ClientSession,
  kind: CatalogKind,
  rows: ReadonlyMap<string, Increments>,
): Promise<void> {
  const writes = [...rows].flatMap(([id, fields]) => {
    const increments = changedOf(fields);
    return Object.keys(increments).length === 0
      ? []
      : [{ updateOne: { filter: { _id: id }, update: { $inc: increments } } }];
  });
  if (writes.length > 0) await native(models[kind]).bulkWrite(writes, { session });
}

/** Most entries of one event: a subscription may resolve every entry. */
const EVENT_ENTRIES = 100;

function partsOf(ids: readonly string[]): string[][] {
  const count = Math.ceil(ids.length / EVENT_ENTRIES);
  return Array.from({ length: count }, (_, part) => ids.slice(part * EVENT_ENTRIES, (part + 1) * EVENT_ENTRIES));
}
