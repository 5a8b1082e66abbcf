// Cursors of lists that are newest first: the time and the id of the last entry, which may be deleted meanwhile.
import { badInput } from '../base/errors.js';

/** The position of an entry. */
export interface ListPosition {
  _id: string;
  createdAt: Date;
}

/** The opaque cursor of a position. */
export function cursorOf({ createdAt, _id }: ListPosition): string {
  return Buffer.from(JSON.stringify([createdAt.getTime(), _id])).toString('base64url');
}

/** The position of a cursor. @throws DomainError BAD_USER_INPUT. */
export function positionOf(cursor: string): ListPosition {
  try {
    const [time, _id]: unknown[] = JSON.parse(Buffer.from(cursor.slice(0, 200), 'base64url').toString());
    const createdAt = new Date(typeof time === 'number' ? time : Number.NaN);
    if (typeof _id === 'string' && !Number.isNaN(createdAt.getTime())) return { createdAt, _id };
  } catch {
    // An invalid cursor is refused below.
  }
  throw badInput('"after" is not a cursor of this list.', 'after');
}

/** Selects the entries after a position, newest first. An index scan starts at the plain bound on `createdAt`. */
export function olderThan({ createdAt, _id }: ListPosition) {
  return { createdAt: { $lte: createdAt }, $or: [{ createdAt: { $lt: createdAt } }, { createdAt, _id: { $lt: _id } }] };
}
