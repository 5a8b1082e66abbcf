// Takes an erased holder out of the event log. Its events keep their places, because the log has no gaps; what is left of them says nothing of it.
import type { Connection } from 'mongoose';
import type { Eraser } from '../store/erasure-port.js';
import { eventModels } from './models.js';

/** Members of payloads that name a holder, or are of it alone. */
const PERSONAL = [
  'holderDid',
  'userId',
  'id',
  'abstractAccountAddress',
  'name',
  'node',
  'imageUrl',
  'errorMessage',
  'storagePath',
];

/** The eraser of events. */
export function eventEraser(connection: Connection): Eraser {
  const { collection } = eventModels(connection).events;
  return {
    async erase({ holderId, did }) {
      const channel = `holder:${holderId}`;
      const named = {
        $or: [{ 'viewers.holderId': holderId }, { 'payload.userId': holderId }, { 'payload.holderDid': did }],
      };
      const personal = Object.fromEntries(PERSONAL.map((name) => [`payload.${name}`, 1]));
      const change = { $unset: { 'viewers.holderId': 1, ...personal }, $pull: { channels: channel } };
      await collection.updateMany(named as never, change as never);
    },
  };
}
