// Updates of rows that earlier versions wrote: each is made once for a store, when its indexes are built, and then has a checkpoint.
import type { Connection } from 'mongoose';
import { native } from '../base/mongodb/native.js';
import { leaseModels } from './lease.js';

/** One update of rows of earlier versions. */
export interface RowUpdate {
  /** The id of its checkpoint. */
  done: string;
  /** It may be stopped and run again, also while gateways run. */
  update(connection: Connection): Promise<void>;
}

/** Makes the updates that this store has not had. @param isNew whether the store has no rows yet: then they only get their checkpoints. */
export async function updateRows(connection: Connection, updates: readonly RowUpdate[], isNew = false): Promise<void> {
  if (isNew) return markDone(connection, updates);
  const { checkpoints } = leaseModels(connection);
  const ids = updates.map(({ done }) => done);
  const made = await checkpoints.find({ _id: { $in: ids } }, { _id: 1 }).lean<{ _id: string }[]>();
  for (const each of updates) {
    if (made.some(({ _id }) => _id === each.done)) continue;
    await each.update(connection);
    await markDone(connection, [each]);
  }
}

async function markDone(connection: Connection, updates: readonly RowUpdate[]): Promise<void> {
  const change = { $set: { token: 0, state: {} } };
  const writes = updates.map(({ done }) => ({ updateOne: { filter: { _id: done }, update: change, upsert: true } }));
  await native(leaseModels(connection).checkpoints).bulkWrite(writes, { ordered: false });
}
