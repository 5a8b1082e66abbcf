// Places in a list that is newest first: the moment and the id of the entry that was read last, so that it may be deleted meanwhile.
import { badInput } from '../base/errors.js';

/** An entry's place. */
export interface ListPlace {
  _id: string;
  createdAt: Date;
}

/** The place as clients get it: opaque. */
export function cursorOf({ createdAt, _id }: ListPlace): string {
  return Buffer.from(JSON.stringify([createdAt.getTime(), _id])).toString('base64url');
}

/** The place of a cursor. @throws DomainError BAD_USER_INPUT. */
export function placeOf(cursor: string): ListPlace {
  try {
    const [time, _id]: unknown[] = JSON.parse(Buffer.from(cursor.slice(0, 200), 'base64url').toString());
    const createdAt = new Date(typeof time === 'number' ? time : Number.NaN);
    if (typeof _id === 'string' && !Number.isNaN(createdAt.getTime())) return { createdAt, _id };
  } catch {
    // Refused below, like every cursor that is none.
  }
  throw badInput('"after" is not a cursor of this list.', 'after');
}

/** Selects what comes after a place, newest first; the plain bound on `createdAt` is what an index walks from. */
export function olderThan({ createdAt, _id }: ListPlace) {
  return { createdAt: { $lte: createdAt }, $or: [{ createdAt: { $lt: createdAt } }, { createdAt, _id: { $lt: _id } }] };
}
