// Erases a holder from the event log. Its events stay, because the log has no gaps, but without their personal members.
import type { Connection } from 'mongoose';
import type { Eraser } from '../store/erasure-port.js';
import { updateInPieces } from '../store/pieces.js';
import { eventModels } from './models.js';

/** Members of payloads that identify a holder, or belong to one holder only. */
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
  const { events } = eventModels(connection);
  return {
    async erase({ holderId, did }, signal) {
      const channel = `holder:${holderId}`;
      const named = {
        $or: [{ 'viewers.holderId': holderId }, { 'payload.userId': holderId }, { 'payload.holderDid': did }],
      };
      const personal = Object.fromEntries(PERSONAL.map((name) => [`payload.${name}`, 1]));
      const change = { $unset: { 'viewers.holderId': 1, ...personal }, $pull: { channels: channel } };
      await updateInPieces(events, named, change, { signal });
    },
  };
}
