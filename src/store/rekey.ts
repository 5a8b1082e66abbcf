// Changing KEYSTORE_KEY: every sealed value is opened with the old key and sealed with the new one, and keyed hashes
// are recomputed. It must run while no gateway is running; it may be stopped and run again.
import type { Connection } from 'mongoose';
import type { SealContext, SealedBox } from '../keys/sealed-box.js';
import type { SealedField } from '../keys/sealed-field.js';
import { collectionNames } from './collections.js';
import { readInPieces } from './pieces.js';

/** A sealed value and where it is stored. */
export interface SealedValue {
  id: string;
  sealed: string;
  context: SealContext;
}

/** Rows that are read at once: the content of some is large. */
const AT_ONCE = 200;

async function* valuesOf({ model, field, what }: SealedField): AsyncGenerator<SealedValue> {
  const sealed = { [field]: { $type: 'string' } };
  const options = { fields: [field], size: AT_ONCE } as const;
  for await (const rows of readInPieces<Record<string, unknown>>(model, sealed, options))
    for (const row of rows) {
      const id = String(row._id);
      yield { id, sealed: String(row[field]), context: { what, whose: id } };
    }
}

/** The first sealed value that is found; undefined for a store without any. */
export async function firstSealed(
  connection: Connection,
  fields: readonly SealedField[],
): Promise<SealedValue | undefined> {
  // A new store has none of the collections.
  const names = await collectionNames(connection);
  for (const field of fields.filter(({ model }) => names.has(model.collection.name)))
    for await (const value of valuesOf(field)) return value;
  return undefined;
}

/** The result of checking all sealed values. */
export interface SealedSurvey {
  /** How many values are sealed under the current key, and under an earlier one. */
  current: number;
  earlier: number;
  /** What prevents a change of the key, a line each. */
  faults: string[];
}

const NAMED_IDS = 3;
const listOf = (ids: readonly string[]): string =>
  ids.slice(0, NAMED_IDS).join(', ') + (ids.length > NAMED_IDS ? ', …' : '');

/** Opens every value without changing anything. */
export async function surveySealed(fields: readonly SealedField[], box: SealedBox): Promise<SealedSurvey> {
  const survey: SealedSurvey = { current: 0, earlier: 0, faults: [] };
  for (const field of fields) {
    const closed: string[] = [];
    const owners = new Map<string, string>();
    for await (const { id, sealed, context } of valuesOf(field)) {
      if (!box.opens(sealed, context)) closed.push(id);
      else if (box.isCurrent(sealed)) survey.current += 1;
      else survey.earlier += 1;
      if (field.hashField === undefined || closed.at(-1) === id) continue;
      const hash = box.blindIndex('holder-email', box.unseal(sealed, context));
      const owner = owners.get(hash);
      if (owner !== undefined) survey.faults.push(`two holders have the same e-mail: ${owner}, ${id}`);
      owners.set(hash, id);
    }
    if (closed.length > 0)
      survey.faults.push(`${field.name} that neither key opens: ${closed.length} (${listOf(closed)})`);
  }
  return survey;
}

/**
 * Seals values again that are sealed under an earlier key.
 * @param box seals with the new key and opens values of both keys.
 * @param signal stops it; the next call continues.
 * @returns how many values were sealed again.
 * @throws UnsealError when a value was sealed under neither key; values sealed until then stay valid.
 */
export async function rekey(fields: readonly SealedField[], box: SealedBox, signal?: AbortSignal): Promise<number> {
  let count = 0;
  for (const field of fields) {
    for await (const value of valuesOf(field)) {
      if (signal?.aborted) return count;
      if (box.isCurrent(value.sealed)) continue;
      await sealAnew(field, value, box);
      count += 1;
    }
  }
  return count;
}

async function sealAnew(
  { model, field, hashField }: SealedField,
  { id, sealed, context }: SealedValue,
  box: SealedBox,
): Promise<void> {
  const plaintext = box.unseal(sealed, context);
  const hash = hashField === undefined ? {} : { [hashField]: box.blindIndex('holder-email', plaintext) };
  // Replaces only the value that was read: a row that was changed meanwhile is already sealed with the new key.
  await model.updateOne({ _id: id, [field]: sealed }, { $set: { [field]: box.seal(plaintext, context), ...hash } });
}
