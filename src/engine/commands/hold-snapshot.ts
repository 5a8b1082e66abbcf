// holdSnapshot: the engine's own command, for processes that read its data file beside it.
import type { Command } from './context.js';

/**
 * Holds a snapshot until the client disconnects. While it is held, the pages of that state and of all later ones do not
 * change.
 */
export const holdSnapshotCommand: Command = {
  name: 'holdSnapshot',
  help: 'keeps the pages of the newest state until the client disconnects',
  fields: [],
  admin: true,
  run({ client, engine }) {
    if (!client.closed) client.release ??= engine.holdSnapshot();
    return {};
  },
};
