// Counters that are changed later: an import notes in each of its transactions how the counters of issuers and schemas
// change, and a fold adds the notes of many lines to their rows at once
// (docs/decisions/0061-counters-of-imports-follow.md).
import { randomUUID } from 'node:crypto';
import type { ClientSession, Connection } from 'mongoose';
import { ignoreDuplicate } from '../../base/mongodb/duplicate-key.js';
import { SNAPSHOT } from '../../base/mongodb/majority.js';
import { native } from '../../base/mongodb/native.js';
import type { StoreChange } from '../../store/change-feed.js';
import type { CatalogModels, CounterFoldRow } from '../rows/models.js';
import { type CountDelta, type CounterNotes, Effects } from './effects.js';

/** Counters of one transaction. */
const CHUNK = 1_000;
/** If the newest note has this age, in milliseconds, no import is running. */
export const LEFT_MS = 120_000;
/** Name of the row with the progress of a fold. */
const FOLD = 'fold';
/** The progress of a fold that has added all counters and still removes notes. */
const ADDED = Number.MAX_SAFE_INTEGER;
/** Notes that one transaction removes, of about 300 kB each: the store keeps in memory what a transaction removes. */
const REMOVED_AT_ONCE = 20;

export interface CounterJournalParts {
  connection: Connection;
  models: CatalogModels;
  /** Called for every committed write. */
  onWritten(changes: readonly StoreChange[]): void;
  now(): Date;
}

/** Notes of counters, and their fold. Any process may fold; if two do at once, each chunk is still added once. */
export class CounterJournal implements CounterNotes {
  constructor(private readonly parts: CounterJournalParts) {}

  /** Whether the transaction sees no note. If so, it may change counters itself. */
  async isEmpty(session: ClientSession): Promise<boolean> {
    return (await native(this.#notes).findOne(ANY, { session, projection: { _id: 1 } })) === null;
  }

  /**
   * Notes changes of counters in a transaction, which then conflicts with every transaction that retires an issuer or a schema.
   * Notes of single writes count as left at once: one that is committed while the import folds for the last time would wait
   * for two minutes, and make each further write add another note.
   */
  async note(deltas: readonly CountDelta[], session: ClientSession, isBulk: boolean): Promise<void> {
    const at = new Date(this.parts.now().getTime() - (isBulk ? 0 : LEFT_MS));
    await native(this.#notes).insertOne({ _id: randomUUID(), at, deltas: JSON.stringify(deltas) }, { session });
    await guard(this.parts.models, session);
  }

  /** The times of the oldest and the newest note, milliseconds since the epoch; undefined when there is none. */
  async times(): Promise<{ oldest: number; newest: number } | undefined> {
    const oldest = await this.#time(1);
    const newest = await this.#time(-1);
    return oldest === undefined || newest === undefined ? undefined : { oldest, newest };
  }

  /** The time of the first or the last note. */
  async #time(order: 1 | -1): Promise<number | undefined> {
    const note = await native(this.#notes).findOne({}, { sort: { at: order }, projection: { _id: 0, at: 1 } });
    return note?.at.getTime();
  }

  /** Adds all current notes to the rows. After a crash, the next fold continues where the last transaction ended. */
  async fold(): Promise<void> {
    // A fold that began earlier lacks the newest notes, so another one follows.
    for (let isNew = false; !isNew; ) {
      const begun = await this.#begin();
      if (begun === undefined) return;
      isNew = begun.isNew;
      await this.#carryOut(begun.plan);
    }
  }

  get #notes() {
    return this.parts.models.counterNotes;
  }

  /** The fold in progress, or a new one of all notes. */
  async #begin(): Promise<{ plan: CounterFoldRow; isNew: boolean } | undefined> {
    const { counterFolds } = this.parts.models;
    const plan = await native(counterFolds).findOne({ _id: FOLD });
    if (plan) return { plan, isNew: false };
    const notes = await native(this.#notes)
      .find(ANY, { projection: { _id: 1 }, ...AS_LONG_AS_IT_TAKES })
      .toArray();
    if (notes.length === 0) return undefined;
    const fresh = { _id: FOLD, key: randomUUID(), notes: notes.map(({ _id }) => _id), done: 0 } as const;
    const inserted = await native(counterFolds).insertOne(fresh).catch(ignoreDuplicate);
    return inserted ? { plan: fresh, isNew: true } : this.#begin();
  }

  async #carryOut({ key, notes, done: from }: CounterFoldRow): Promise<void> {
    const deltas = from === ADDED ? [] : await this.#sumOf(notes);
    for (let done: number | null = from; done !== null; ) {
      const at: number = done;
      const chunk = deltas.slice(at, at + CHUNK);
      const isLast = at + CHUNK >= deltas.length;
      const step = (session: ClientSession) => this.#step({ key, notes, done: at }, chunk, isLast, session);
      const { next, written } = await this.parts.connection.transaction(step, SNAPSHOT);
      this.parts.onWritten(written);
      done = next;
    }
  }

  /**
   * Adds one chunk and stores the progress, in one transaction. Returns where to continue; null when the fold has
   * ended.
   */
  async #step(
    { key, notes, done }: Omit<CounterFoldRow, '_id'>,
    chunk: readonly CountDelta[],
    isLast: boolean,
    session: ClientSession,
  ): Promise<{ next: number | null; written: StoreChange[] }> {
    const { models } = this.parts;
    const folds = native(models.counterFolds);
    const stored = await folds.findOne({ _id: FOLD, key }, { session });
    // Another process has added this chunk.
    if (stored === null || stored.done !== done) return { next: stored?.done ?? null, written: [] };
    const effects = Effects.of(await withoutImported(chunk, models, session));
    const written = await effects.apply({ models, session, appendEvents: async () => {} });
    if (isLast && (await this.#removeSome(notes, session))) {
      await models.counterFolds.collection.deleteOne({ _id: FOLD } as object, { session });
      return { next: null, written };
    }
    const next = isLast ? ADDED : done + CHUNK;
    if (next !== done) await folds.updateOne({ _id: FOLD, key }, { $set: { done: next } }, { session });
    return { next, written };
  }

  /** Removes some notes whose counters have been added; true if these were the last. */
  async #removeSome(notes: readonly string[], session: ClientSession): Promise<boolean> {
    const left = await native(this.#notes)
      .find({ _id: { $in: [...notes] } }, { session, projection: { _id: 1 }, limit: REMOVED_AT_ONCE })
      .toArray();
    await this.#notes.collection.deleteMany({ _id: { $in: left.map(({ _id }) => _id) } } as object, { session });
    return left.length < REMOVED_AT_ONCE;
  }

  /** The sums of the notes, in the same order in every process; opposite changes cancel each other. */
  async #sumOf(notes: readonly string[]): Promise<CountDelta[]> {
    const sums = new Effects();
    const rows = native(this.#notes).find({ _id: { $in: [...notes] } }, { batchSize: 10, ...AS_LONG_AS_IT_TAKES });
    for await (const { deltas } of rows) sums.add(JSON.parse(deltas) as CountDelta[]);
    const keyed = sums.deltas().map((delta) => ({ delta, key: keyOf(delta) }));
    return keyed.sort((one, other) => (one.key < other.key ? -1 : 1)).map(({ delta }) => delta);
  }
}

const keyOf = (delta: CountDelta): string =>
  'kind' in delta ? `1 ${delta.kind} ${delta.id}` : `0 ${delta.schemaId} ${delta.issuerId}`;

/** Hundreds of notes are read, of 300 kB each. On a busy machine, that may take longer than a command of a request. */
const AS_LONG_AS_IT_TAKES = { maxTimeMS: 0 };

/** Filter of all notes, which the index of `_id` serves. */
const ANY = { _id: { $gte: '' } };

/**
 * A write that makes a transaction conflict with every transaction that notes counters, so that no import adds
 * credentials to an entry while it is retired.
 */
export async function guard({ totals }: Pick<CatalogModels, 'totals'>, session: ClientSession): Promise<void> {
  await native(totals).updateOne({ _id: 'credentials' }, { $inc: { guards: 1 } }, { session, upsert: true });
}

const BASE = /^(popularity|traction\.base\..*)$/;

/**
 * Drops changes to the base counts of issuers whose traction an import has set meanwhile: their base count is no longer
 * the sum of their credentials.
 */
async function withoutImported(
  chunk: readonly CountDelta[],
  { issuers }: CatalogModels,
  session: ClientSession,
): Promise<CountDelta[]> {
  const ids = chunk.flatMap((delta) => ('kind' in delta && delta.kind === 'issuers' ? [delta.id] : []));
  if (ids.length === 0) return [...chunk];
  const filter = { _id: { $in: ids }, importedTraction: { $ne: null } };
  const rows = await native(issuers)
    .find(filter, { session, projection: { _id: 1 } })
    .toArray();
  const imported = new Set(rows.map(({ _id }) => _id));
  return chunk.map((delta) => {
    if (!('kind' in delta) || delta.kind !== 'issuers' || !imported.has(delta.id)) return delta;
    return { ...delta, by: Object.fromEntries(Object.entries(delta.by).filter(([field]) => !BASE.test(field))) };
  });
}
