// Whether a MongoDB has the unique indexes of the models: they alone decide between gateways that write at the same time.
import type { Connection, IndexDefinition, Model } from 'mongoose';
import { inParallel } from '../base/concurrency/parallel.js';
import { StoreRefused } from './server-check.js';

const READ_AT_ONCE = 8;
const MAX_NAMED = 3;
/** MongoDB's code for a collection that does not exist. */
const NAMESPACE_NOT_FOUND = 26;

/** @throws StoreRefused if a unique index of a registered model is missing: `migrate` has not run, or not with this version. */
export async function requireUniqueIndexes(connection: Connection): Promise<void> {
  const models = Object.values(connection.models);
  const found = await inParallel(models, READ_AT_ONCE, async (model) => ((await hasUnique(model)) ? [] : [model]));
  const missing = found.flat().map(({ collection }) => collection.name);
  if (missing.length === 0) return;
  const rest = missing.length > MAX_NAMED ? ` and ${missing.length - MAX_NAMED} more` : '';
  throw new StoreRefused(
    `The store at MONGODB_URI has no unique indexes yet for ${missing.slice(0, MAX_NAMED).join(', ')}${rest}, so two gateways could write the same thing twice: run \`npm run cli -- migrate\` with this version, then start it again.`,
  );
}

async function hasUnique(model: Model<unknown>): Promise<boolean> {
  const wanted = model.schema.indexes().flatMap(([key, { unique }]) => (unique ? [textOf(key)] : []));
  if (wanted.length === 0) return true;
  const indexes = await model.listIndexes().catch(noneOfMissing);
  const present = new Set(indexes.flatMap(({ key, unique }) => (unique ? [textOf(key)] : [])));
  return wanted.every((key) => present.has(key));
}

/** The fields of an index, in their order. */
const textOf = (key: IndexDefinition): string => JSON.stringify(key);

function noneOfMissing(error: unknown): [] {
  if (Object(error).code !== NAMESPACE_NOT_FOUND) throw error;
  return [];
}
