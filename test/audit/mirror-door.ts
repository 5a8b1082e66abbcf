// The door through which entries of other networks are written.
import { networkOf, startSource } from '../catalog/mirror/source-server.js';
import { asOperator, type Door } from './doors.js';

export const MIRROR_DOOR: Door = [
  'POST /v1/admin/mirrors',
  'program.put',
  async () => {
    const source = await startSource(networkOf(1));
    try {
      return await asOperator('POST', '/v1/admin/mirrors', { from: source.base });
    } finally {
      await source.close();
    }
  },
];
