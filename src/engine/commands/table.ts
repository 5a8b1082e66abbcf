// Every command, alphabetically. Dispatch, listCommands, the stable API's list and the docs derive from this table.
import { Int32 } from 'bson';
import type { Doc } from '../bson/types.js';
import {
  buildInfoCommand,
  configureFailPointCommand,
  connectionStatusCommand,
  getCmdLineOptsCommand,
  getParameterCommand,
  pingCommand,
  serverStatusCommand,
} from './admin.js';
import { aggregateCommand } from './aggregate.js';
import {
  createCommand,
  dropCommand,
  dropDatabaseCommand,
  listCollectionsCommand,
  listDatabasesCommand,
} from './collections.js';
import type { Command } from './context.js';
import { getMoreCommand, killCursorsCommand } from './cursors.js';
import { distinctCommand } from './distinct.js';
import { explainCommand } from './explain.js';
import { countCommand, findCommand } from './find.js';
import { findAndModifyCommand } from './find-and-modify.js';
import { helloCommand } from './hello.js';
import { holdSnapshotCommand } from './hold-snapshot.js';
import { createIndexesCommand, dropIndexesCommand, listIndexesCommand } from './indexes.js';
import { insertCommand } from './insert.js';
import {
  abortTransactionCommand,
  commitTransactionCommand,
  endSessionsCommand,
  killAllSessionsCommand,
  killSessionsCommand,
  refreshSessionsCommand,
  startSessionCommand,
} from './session-commands.js';
import { collStatsCommand, dbStatsCommand } from './statistics.js';
import { deleteCommand, updateCommand } from './update.js';

const listCommandsCommand: Command = {
  name: 'listCommands',
  help: 'lists the commands',
  fields: [],
  run: (): Doc => ({
    commands: Object.fromEntries(
      COMMANDS.map((command) => [
        command.name,
        {
          help: command.help,
          adminOnly: command.admin === true,
          requiresAuth: false,
          apiVersions: command.stable ? ['1'] : [],
        },
      ]),
    ),
    ok: new Int32(1),
  }),
};

/** All commands, by name. */
export const COMMANDS: readonly Command[] = [
  abortTransactionCommand,
  aggregateCommand,
  buildInfoCommand,
  collStatsCommand,
  commitTransactionCommand,
  configureFailPointCommand,
  connectionStatusCommand,
  countCommand,
  createCommand,
  createIndexesCommand,
  dbStatsCommand,
  deleteCommand,
  distinctCommand,
  dropCommand,
  dropDatabaseCommand,
  dropIndexesCommand,
  endSessionsCommand,
  explainCommand,
  findCommand,
  findAndModifyCommand,
  getCmdLineOptsCommand,
  getMoreCommand,
  getParameterCommand,
  helloCommand,
  holdSnapshotCommand,
  insertCommand,
  killAllSessionsCommand,
  killCursorsCommand,
  killSessionsCommand,
  listCollectionsCommand,
  listCommandsCommand,
  listDatabasesCommand,
  listIndexesCommand,
  pingCommand,
  refreshSessionsCommand,
  serverStatusCommand,
  startSessionCommand,
  updateCommand,
];

/** Commands by every name they are called by. */
export function commandIndex(): Map<string, Command> {
  const index = new Map<string, Command>();
  for (const command of COMMANDS)
    for (const name of [command.name, ...(command.aliases ?? [])]) index.set(name, command);
  return index;
}
