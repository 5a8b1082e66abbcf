// Erasures as operators see them, and what they send.
import { z } from 'zod';
import { choice, id, input, record, time, uuid } from '../base/record.js';
import { holderNames } from '../holders/types.js';
import type { ErasureRow } from './models.js';

const erasureState = choice('ErasureState', 'The progress of an erasure.', {
  erasing: 'Rows are being deleted.',
  settling: 'Everything is deleted. What requests in progress still add is deleted after ten minutes.',
  done: 'Nothing of the holder is left.',
});

export const erasure = record('Erasure', 'The erasure of a holder.', {
  erasureId: uuid.describe('Its id, which reveals nothing about the holder.'),
  state: erasureState.describe('Its progress.'),
  createdAt: time.describe('When it began.'),
  doneAt: time.nullable().describe('When everything was deleted; null until then.'),
}).meta({ id: 'Erasure' });
export type Erasure = z.output<typeof erasure>;

export const erasureInput = z.strictObject({ erasureId: id.describe('Which one.') });
export const erasureParams = z.object({ id: uuid });

export const eraseHolderInput = input('EraseHolderInput', 'The holder, by userId, DID or e-mail address.', holderNames);

export const eraseHolderPayload = record('EraseHolderPayload', 'The result of eraseHolder.', {
  erasure: erasure.describe('The erasure, which continues in the background.'),
});

/** An erasure for operators, made from its row. */
export const erasureView = ({ _id: erasureId, state, createdAt, doneAt }: ErasureRow): Erasure => ({
  erasureId,
  state,
  createdAt,
  doneAt: doneAt ?? null,
});
