// Forgets an erased holder: its user operations and what it has spent. What the chain shows cannot be erased: the row of a minted core id stays
// without holder, account and name, so that its name is not taken twice.
import { randomUUID } from 'node:crypto';
import type { Connection } from 'mongoose';
import { ERASED, type Eraser, escapedPattern } from '../store/erasure-port.js';
import { accountModels } from './models.js';

/** The eraser of accounts. */
export function accountEraser(connection: Connection): Eraser {
  const { operations, spending, coreIds, deployments } = accountModels(connection);
  return {
    async erase({ holderId, addresses }) {
      await operations.deleteMany({ holderId });
      await spending.deleteMany({ _id: new RegExp(` ${escapedPattern(holderId)}$`) });
      for (const address of addresses)
        await deployments.deleteMany({ _id: new RegExp(` ${escapedPattern(address)}$`, 'i') });
      const nobody = `${ERASED} ${randomUUID()}`;
      await coreIds.updateMany({ holderId }, { $set: { holderId: nobody, account: nobody }, $unset: { name: 1 } });
    },
  };
}
