// The driver's collections, by their models: inserted rows are typed, and nothing is cast.
import type { ClientSession, Model, mongo } from 'mongoose';

/** One of several writes; its filter and change are in MongoDB's language. */
export type NativeWrite<Row> =
  | { insertOne: { document: Row } }
  | { updateOne: { filter: object; update: object; upsert?: boolean } }
  | { replaceOne: { filter: object; replacement: Row; upsert?: boolean } }
  | { deleteOne: { filter: object } };

/** A row to insert: the driver makes ids of its own kind. */
type Inserted<Row> = Row extends { _id: mongo.ObjectId } ? Omit<Row, '_id'> : Row;

/** The part of the driver's collections that the gateway uses. */
export interface NativeCollection<Row> {
  insertOne(row: Inserted<Row>, options?: mongo.InsertOneOptions): Promise<mongo.InsertOneResult>;
  insertMany(rows: readonly Inserted<Row>[], options?: mongo.BulkWriteOptions): Promise<mongo.InsertManyResult>;
  updateOne(filter: object, change: object, options?: mongo.UpdateOptions): Promise<mongo.UpdateResult>;
  updateMany(filter: object, change: object, options?: mongo.UpdateOptions): Promise<mongo.UpdateResult>;
  replaceOne(filter: object, row: Row, options?: mongo.ReplaceOptions): Promise<mongo.UpdateResult>;
  bulkWrite(writes: readonly NativeWrite<Row>[], options?: mongo.BulkWriteOptions): Promise<mongo.BulkWriteResult>;
  findOne(filter: object, options?: mongo.FindOneOptions): Promise<Row | null>;
  find(filter: object, options?: mongo.FindOptions): mongo.FindCursor<Row>;
}

type RowOf<M> = M extends Model<infer Row> ? Row : never;

/**
 * The driver's collection of a model. Commands through it skip mongoose, which would cast each value again and build
 * documents; rows are stored in the form of their types.
 */
export function native<Row>(model: Model<Row>): NativeCollection<Row>;
export function native<M extends { collection: object }>(model: M): NativeCollection<RowOf<M>>;
export function native(model: { collection: object }): unknown {
  return model.collection;
}

/** Inserts rows in a transaction. The driver takes longer to send one row as many. */
export async function insertRows<Row>(model: Model<Row>, rows: readonly Inserted<Row>[], session: ClientSession) {
  const [first, ...others] = rows;
  if (first && others.length === 0) await native(model).insertOne(first, { session });
  else if (first) await native(model).insertMany(rows, { session, ordered: true });
}
