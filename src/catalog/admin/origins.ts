// Entries that came from other networks (docs/mirror.md): a mirror overwrites only entries that it created and that were not changed here since.
import type { ClientSession } from 'mongoose';
import { DomainError } from '../../base/errors.js';
import { native } from '../../base/mongodb/native.js';
import type { StoreChange } from '../../store/change-feed.js';
import { type LocalChange, type MirroredRow, originId } from '../rows/mirror-models.js';
import type { CatalogKind, CatalogModels } from '../rows/models.js';

/** Where an item comes from; items of operators have none. */
export interface ItemOrigin {
  /** Base address of the network. */
  source: string;
  fingerprint: string;
  /** Also replaces entries that were changed here, or came from another network. */
  overwrite: boolean;
}

/** Another entry that an item names. */
export interface Reference {
  kind: CatalogKind;
  id: string;
  /** The field that names it. */
  field: string;
}

interface OriginScope {
  models: CatalogModels;
  session: ClientSession;
  now: Date;
}

/** The origins of a batch's entries and of the entries that they refer to: the stored ones, and the batch's changes. */
export class Origins {
  readonly #changed = new Map<string, MirroredRow>();

  private constructor(
    private readonly scope: OriginScope,
    private readonly kind: CatalogKind,
    /** By `originId`. */
    private readonly rows: ReadonlyMap<string, MirroredRow>,
  ) {}

  /** Reads the origins of entries and of the entries that they refer to; at most one command. */
  static async load(
    scope: OriginScope,
    kind: CatalogKind,
    ids: readonly string[],
    references: readonly Reference[] = [],
  ): Promise<Origins> {
    const keys = new Set([...ids.map((id) => originId(kind, id)), ...references.map(keyOf)]);
    if (keys.size === 0) return new Origins(scope, kind, new Map());
    const wanted = { _id: { $in: [...keys] } };
    const rows = await scope.models.mirrored.find(wanted, null, { session: scope.session }).lean();
    return new Origins(scope, kind, new Map(rows.map((row) => [row._id, row])));
  }

  /** @throws DomainError CONFLICT when an item of a mirror must not replace the entry that is there. */
  check(id: string, isThere: boolean, origin: ItemOrigin | undefined): void {
    if (origin === undefined) return;
    const row = this.#rowOf(id);
    if (row === undefined) {
      if (isThere) throw conflict('The id belongs to an entry of this gateway, which a mirror does not replace.');
    } else if (row.source !== origin.source && !origin.overwrite) {
      throw conflict(`The entry comes from ${row.source}.`);
    } else if (row.local && !origin.overwrite) {
      throw conflict(localSentence(row.local));
    }
  }

  /**
   * A mirror's items may refer only to entries of their own network: it cannot add a credential to another network's
   * issuer, or to one of this gateway.
   * @throws DomainError CONFLICT when an item of a mirror names an entry that is not of its network.
   */
  checkReferences(references: readonly Reference[], origin: ItemOrigin | undefined): void {
    if (origin === undefined) return;
    for (const reference of references) {
      const row = this.rows.get(keyOf(reference));
      if (row?.source === origin.source) continue;
      const whose = row === undefined ? 'belongs to this gateway' : `comes from ${row.source}`;
      throw conflict(`"${reference.field}" names ${reference.id}, which ${whose}.`);
    }
  }

  /** An item was written, or is unchanged. Once an operator changes an entry, mirrors no longer overwrite it. */
  written(id: string, origin: ItemOrigin | undefined, isChanged: boolean): void {
    if (origin) this.#changed.set(id, this.#mirrored(id, origin));
    else if (isChanged) this.changedHere(id, 'edited');
  }

  /** Notes a change by the operator. */
  changedHere(id: string, why: LocalChange['why']): void {
    const row = this.#rowOf(id);
    if (row) this.#changed.set(id, { ...row, local: { why, at: this.scope.now } });
  }

  /** Writes what has changed. Returns it, for caches. */
  async apply(): Promise<StoreChange[]> {
    const { models, session } = this.scope;
    const rows = [...this.#changed.values()];
    if (rows.length === 0) return [];
    const writes = rows.map((replacement) => ({
      replaceOne: { filter: { _id: replacement._id }, replacement, upsert: true },
    }));
    await native(models.mirrored).bulkWrite(writes, { session });
    const collection = models.mirrored.collection.name;
    return rows.map(({ _id: id }): StoreChange => ({ collection, id, operation: 'replace' }));
  }

  #rowOf(id: string): MirroredRow | undefined {
    return this.rows.get(originId(this.kind, id));
  }

  #mirrored(id: string, { source, fingerprint }: ItemOrigin): MirroredRow {
    const { now } = this.scope;
    const seen = { readAt: now, seenAt: now, missingSince: null, local: null };
    return { _id: originId(this.kind, id), kind: this.kind, entryId: id, source, fingerprint, ...seen };
  }
}

const keyOf = ({ kind, id }: Reference): string => originId(kind, id);

const conflict = (sentence: string): DomainError => new DomainError('CONFLICT', sentence);

/** Why a mirror does not overwrite an entry. */
export const localSentence = ({ why, at }: LocalChange): string =>
  `The entry was ${why} here on ${at.toISOString().slice(0, 10)}; import --overwrite replaces it with the source's.`;
