// Deletes the user operations and the spending of an erased holder. The chain cannot be erased: the row of a minted core id stays, without
// holder, account and name, so that its name is not used again.
import { randomUUID } from 'node:crypto';
import type { Connection } from 'mongoose';
import { ERASED, type Eraser, escapedPattern } from '../store/erasure-port.js';
import { deleteInPieces } from '../store/pieces.js';
import { accountModels } from './models.js';

/** The eraser of accounts. */
export function accountEraser(connection: Connection): Eraser {
  const { operations, spending, coreIds, deployments } = accountModels(connection);
  return {
    async erase({ holderId, addresses }, signal) {
      await deleteInPieces(operations, { holderId }, { signal });
      await deleteInPieces(spending, { _id: new RegExp(` ${escapedPattern(holderId)}$`) }, { signal });
      const anyAddress = addresses.map(escapedPattern).join('|');
      if (anyAddress !== '')
        await deleteInPieces(deployments, { _id: new RegExp(` (?:${anyAddress})$`, 'i') }, { signal });
      const nobody = `${ERASED} ${randomUUID()}`;
      await coreIds.updateMany({ holderId }, { $set: { holderId: nobody, account: nobody }, $unset: { name: 1 } });
    },
  };
}
